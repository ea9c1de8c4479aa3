// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/emit_grid.cpp: the function of a kernel and its loops over the grid. Values that are the
// same for all points are computed before the loops. The last axis runs in vectors, with a mask at
// its end.
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>

#include <algorithm>

#include "jit/emit/emit.h"
#include "jit/schedule/nest_names.h"
#include "weft/error.h"

namespace weft::compiler {

void Emitter::emit_cpu(const std::string& name) {
  auto* ptr = b_.getPtrTy();
  auto* type = llvm::FunctionType::get(b_.getVoidTy(), {ptr, ptr, ptr, ptr}, false);
  begin_function(type, name);
  b_.function()->addParamAttr(3, llvm::Attribute::NoAlias);
  b_.function()->addFnAttr("prefer-vector-width", "512");
  interleave_ = s_.interleave;
  load_arguments();
  if (machine_.checked) {
    const V checked =
        b_.CreateLoad(ptr, b_.CreateConstGEP1_64(b_.getInt64Ty(), b_.function()->getArg(1),
                                                 static_cast<uint64_t>(k_.extents)));
    const V addresses = b_.allocate(ptr, AccessChecker::max_addresses, "addresses");
    checker_.emplace(k_.name, checked, addresses);
  }
  V range[4] = {b_.i64(0), b_.i64(1), b_.i64(0), b_.i64(1)};
  for (int r = k_.rank == 2 ? 0 : 2; r < 4 && k_.rank; ++r)
    range[r] = b_.CreateLoad(b_.getInt64Ty(),
                             b_.CreateConstGEP1_64(b_.getInt64Ty(), b_.function()->getArg(2), r));
  b_.vector_width = s_.mode == Mode::grid || s_.mode == Mode::refill ? s_.vector_width : 1;
  auto* run = b_.block("run");
  const V some =
      b_.CreateAnd(b_.CreateICmpSLT(range[0], range[1]), b_.CreateICmpSLT(range[2], range[3]));
  b_.CreateCondBr(some, run, b_.exit_block());
  b_.insert_at(run);
  if (s_.refill == nest::no_id)
    grid_rows(range[0], range[1], range[2], range[3]);
  else
    refill_grid(s_.refill, range[0], range[1], range[2], range[3]);
  b_.jump(b_.exit_block());
  if (checker_)
    checker_->run(*b_.function(), {buffers_, b_.scratch_bytes(), stop_flag_, b_.exit_block()});
}

void Emitter::begin_function(llvm::FunctionType* type, const std::string& name) {
  b_.begin_function(type, name);
  divergence_ = divergence_by(s_, k_);
  if (s_.kept) row_ = row_values(k_, divergence_, s_.threads);
  if (!s_.records.empty())
    for (auto& [first, r] : records_of(k_, divergence_)) {
      if (!s_.records.contains(first)) continue;
      for (const Record::Field& f : r.fields) record_of_[f.access] = first;
      records_.emplace(first, std::move(r));
    }
  if (s_.streamed.empty()) return;
  // Other threads see such stores only after a fence.
  const llvm::IRBuilderBase::InsertPointGuard guard(b_);
  b_.SetInsertPoint(b_.exit_block()->getTerminator());
  b_.call(llvm::Intrinsic::x86_sse_sfence, {}, {});
}

// Loads the arguments.
void Emitter::load_arguments() {
  auto* ptr = b_.getPtrTy();
  for (size_t i = 0; i < k_.buffers.size(); ++i)
    buffers_.push_back(b_.CreateLoad(ptr, b_.CreateConstGEP1_64(ptr, b_.function()->getArg(0), i)));
  for (int i = 0; i < k_.extents; ++i)
    extents_.push_back(b_.CreateLoad(
        b_.getInt64Ty(), b_.CreateConstGEP1_64(b_.getInt64Ty(), b_.function()->getArg(1), i)));
  const bool single = k_.rank > 0 && (s_.mode == Mode::scalar || s_.mode == Mode::inner);
  if (single || has_loops())
    init_cancellation_checks(
        b_.CreateLoad(ptr, b_.CreateGEP(ptr, b_.function()->getArg(0), b_.i64(-1))));
}

bool Emitter::has_loops() const {
  return any_inst(k_, 0, [](const Inst& i) { return is_structured(i.op) && i.op != Opcode::If; });
}

// Loops check the stop flag at this address from here on.
void Emitter::init_cancellation_checks(V address) {
  stop_flag_ = address;
  countdown_ = b_.allocate(b_.getInt32Ty(), 1, "budget");
  b_.CreateStore(b_.i32(cycles_between_checks), countdown_);
}

void Emitter::emit_level(int level) {
  for (Id v : k_.blocks[0].body)
    if (divergence_.level[v] == level) emit_inst(v);
}

void Emitter::grid_rows(V outer_begin, V outer_end, V inner_begin, V inner_end) {
  emit_level(0);
  if (k_.rank < 2) return grid_row(inner_begin, inner_end);
  if (s_.tile) return grid_tiles(s_.tile, outer_begin, outer_end, inner_begin, inner_end);
  rows_one_by_one(outer_begin, outer_end, inner_begin, inner_end);
}

void Emitter::rows_one_by_one(V outer_begin, V outer_end, V inner_begin, V inner_end) {
  b_.each("row", outer_begin, outer_end, 1, [&](V row) {
    indices_[0] = row;
    emit_level(1);
    grid_row(inner_begin, inner_end);
  });
}

void Emitter::grid_row(V begin, V end) {
  if (k_.rank == 0) return emit_points(nullptr, {});
  if (divergence_.mode == Mode::grid) return grid_points(begin, end);
  b_.each("point", begin, end, 1, [&](V i) {
    emit_cancellation_check(weight(k_, 0));
    emit_points(i, {});
  });
}

void Emitter::grid_points(V begin, V end) {
  const auto masked = [&](V from) {
    b_.each("tail", from, end, b_.vector_width * interleave_, [&](V i) {
      emit_points(
          i, vectors([&](int p) {
            return b_.prefix_mask(b_.CreateSub(end, b_.CreateAdd(i, b_.i64(p * b_.vector_width))));
          }));
    });
  };
  if (!s_.versioned) return masked(begin);
  const int step = b_.vector_width * interleave_;
  const V whole = b_.CreateSub(end, b_.i64(step - 1));
  const V tail = b_.each("vector", begin, whole, step, [&](V i) { emit_points(i, {}); });
  plain_loops_ = s_.plain_remainder;
  interleave_ = 1;
  masked(tail);
}

void Emitter::emit_points(V begin, const Masks& m) {
  if (k_.rank) indices_[k_.rank - 1] = begin;
  record_checked_point(k_.rank == 2 ? indices_[0] : nullptr, k_.rank ? begin : nullptr);
  active_ = in_grid_ = m;
  emit_level(2);
  active_.clear();
  in_grid_.clear();
}

}  // namespace weft::compiler
