// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/emit_prefetch.cpp: rows that are passed over several times. The first pass waits for
// memory, the second computes on what it brought; the next row is fetched meanwhile.
#include <llvm/IR/Intrinsics.h>

#include <map>
#include <set>

#include "weft/jit/emit/emit.h"

namespace weft::compiler {

using nest::Id;
using nest::Inst;
using nest::Opcode;

namespace {
constexpr int64_t short_row = 1024;  // bytes; such rows come along with their neighbours
}  // namespace

// Loads of the second loop that passes over a row, and how far away the next row is.
void Emitter::find_next_rows() {
  if (divergence_.mode != Mode::inner || k_.rank != 1) return;
  std::map<int64_t, int> passes;  // by buffer
  bool rest = false;              // the last loop went over whole blocks, this one over the rest
  for (Id v : k_.blocks[0].body) {
    const Inst* loop = &k_.insts[v];
    if (loop->op != Opcode::Fold && loop->op != Opcode::ForEach) continue;
    const bool blocks = loop->imm != 0, same_pass = rest && !blocks && loop->op == Opcode::Fold;
    loop = &innermost_fold(k_, *loop);
    rest = blocks;
    if (loop->op != Opcode::Fold && loop->op != Opcode::ForEach) continue;
    const nest::Block& body = k_.blocks[loop->blocks[0]];
    std::set<int64_t> read;
    for (Id u : body.body) {
      const Inst& i = k_.insts[u];
      if (i.op != Opcode::Load || k_.buffers[i.imm].written) continue;
      const auto n = nest::stride_along(k_, i.args[0], {.axis = 0});
      if (!n || *n == 0 || stride_in(u, loop->blocks[0]) != 1) continue;
      read.insert(i.imm);
      const auto size = static_cast<int64_t>(
          m_.getDataLayout().getTypeStoreSize(memory_type(k_.buffers[i.imm].storage)));
      if (passes[i.imm] - (same_pass ? 1 : 0) == 1 && *n * size >= short_row) next_row_[u] = *n;
    }
    for (int64_t buffer : read) passes[buffer] += same_pass ? 0 : 1;
  }
}

// Loads that jump from trip to trip: no prefetcher follows them, and the loop waits for memory.
void Emitter::fetch_ahead(Id loop) {
  constexpr int64_t trips = 16, far = 1024;  // bytes
  const Inst& i = k_.insts[loop];
  const nest::Block& body = k_.blocks[i.blocks[0]];
  for (Id v : body.body) {
    if (k_.insts[v].op != Opcode::Load || k_.buffers[k_.insts[v].imm].written) continue;
    const int64_t step = stride_in(v, i.blocks[0]).value_or(0);
    if (std::abs(step) * element_bytes(v) >= far)
      next_row_[v] = step * (i.imm > 0 ? trips : -trips);
  }
}

void Emitter::fetch_next_row(Id load) {
  const auto n = next_row_.find(load);
  if (n == next_row_.end() || !active_.empty()) return;
  const Inst& i = k_.insts[load];
  const Val& offset = values_[i.args[0]];
  if (!offset.stride) return;
  auto* t = memory_type(k_.buffers[i.imm].storage);
  for (int p = 0; p < packs_; ++p) {
    const V at = b_.CreateAdd(pack_base(offset, p), i64(n->second));
    // To be read, kept in all caches, data.
    call(llvm::Intrinsic::prefetch, {b_.getPtrTy()},
         {b_.CreateGEP(t, buffers_[i.imm], at), i32(0), i32(3), i32(1)});
  }
}

}  // namespace weft::compiler
