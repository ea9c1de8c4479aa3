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

void Emitter::fetch_next_row(Id load) {
  const auto n = s_.prefetch.find(load);
  if (n == s_.prefetch.end() || !active_.empty()) return;
  const Inst& i = k_.insts[load];
  const Val& offset = values_[i.args[0]];
  if (!offset.stride) return;
  auto* t = memory_type(k_.buffers[i.imm].storage);
  for (int p = 0; p < interleave_; ++p) {
    const V at = b_.CreateAdd(vector_base(offset, p), i64(n->second));
    // To be read, kept in all caches, data.
    call(llvm::Intrinsic::prefetch, {b_.getPtrTy()},
         {b_.CreateGEP(t, buffers_[i.imm], at), i32(0), i32(3), i32(1)});
  }
}

}  // namespace weft::compiler
