// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/emit_refill.cpp: kernels that consist of one divergent while between a prologue and an
// epilogue. Elements that finish are refilled with the next grid points, so no element waits for
// its vector ("dynamic SIMD vector lane scheduling", Krzikalla et al. 2016).
//
// The emitted code alternates between two parts, and leaves when no element is active.
// - refill, for each vector: finished elements run the epilogue under a mask. Free elements then
//   take the next points and run the prologue under a mask. Values that the loop or the epilogue
//   needs are stored to slots.
// - hot: it loads the slots and runs the while for all vectors together. Each trip counts the idle
//   elements. After enough idle trips, or when no element is active, it stores the slots and
//   refills again.
#include <llvm/IR/Intrinsics.h>

#include <algorithm>

#include "jit/emit/emit.h"
#include "jit/schedule/nest_names.h"
#include "weft/error.h"

namespace weft::compiler {

// The values in memory between refilling and running.
struct Emitter::Refill : RefillParts {
  Id loop;
  std::vector<Carry> carries;
  std::vector<Slot> value_slots, carry_slots, index_slots;
  V active = nullptr;    // by vector, one bit per element: the element runs
  V occupied = nullptr;  // the element had a point when the while was entered
  V next = nullptr;      // the first point that is not yet taken, counted from 0
  V total = nullptr, columns = nullptr, first_row = nullptr, first_column = nullptr;
};

void Emitter::refill_grid(Id loop, V outer_begin, V outer_end, V inner_begin, V inner_end) {
  Refill r;
  array_interleave_ = interleave_;
  refill_state(r, loop);
  const V rows = b_.CreateSub(outer_end, outer_begin);
  r.columns = b_.CreateSub(inner_end, inner_begin);
  r.total = b_.CreateMul(rows, r.columns);
  r.first_row = outer_begin;
  r.first_column = inner_begin;
  emit_level(0);
  record_checked_point(nullptr, nullptr);
  auto* refill = b_.block("refill");
  auto* run = b_.block("hot");
  auto* done = b_.block("done");
  b_.jump(refill);
  b_.insert_at(refill);
  const int interleave = interleave_;
  interleave_ = 1;
  b_.each("vector", b_.i64(0), b_.i64(interleave), 1, [&](V vector) {
    vector_offset_ = vector;
    refill_epilogue(r, vector);
    refill_prologue(r, vector);
  });
  vector_offset_ = nullptr;
  interleave_ = interleave;
  const Masks active = vectors([&](int p) { return refill_mask(r.active, b_.i64(p)); });
  b_.CreateCondBr(b_.any(active), run, done);
  b_.insert_at(run);
  refill_run(r, active);
  b_.jump(refill);
  b_.insert_at(done);
}

void Emitter::refill_state(Refill& r, Id loop) {
  r.loop = loop;
  static_cast<RefillParts&>(r) = refill_parts(k_, divergence_, loop);
  for (Id v : k_.blocks[0].body)
    if (k_.insts[v].op == Opcode::Local) local(v);
  const auto slot = [&](Kind kd) {
    auto* t = b_.vector_of(ops_.memory_type(kd));
    const Slot s{b_.allocate(t, interleave_, "slot"), kd};
    for (int p = 0; p < interleave_; ++p)
      b_.CreateStore(llvm::Constant::getNullValue(t), b_.CreateGEP(t, s.at, b_.i64(p)));
    return s;
  };
  for (Id v : r.kept) r.value_slots.push_back(slot(kind(v)));
  r.carries = carries(loop, 0, 0);
  for (const Carry& c : r.carries) r.carry_slots.push_back(slot(kind(c.param)));
  for (int axis = 0; axis < k_.rank; ++axis) r.index_slots.push_back(slot(Kind::I64));
  for (V* bits : {&r.active, &r.occupied}) {
    *bits = b_.allocate(b_.getInt32Ty(), interleave_, "active");
    for (int p = 0; p < interleave_; ++p)
      b_.CreateStore(b_.i32(0), b_.CreateGEP(b_.getInt32Ty(), *bits, b_.i64(p)));
  }
  r.next = b_.allocate(b_.getInt64Ty(), 1, "next");
  b_.CreateStore(b_.i64(0), r.next);
}

V Emitter::refill_bits(V mask) {
  return b_.CreateZExt(b_.CreateBitCast(mask, b_.getIntNTy(b_.vector_width)), b_.getInt32Ty());
}

V Emitter::refill_mask(V slots, V vector) {
  const V bits = b_.CreateLoad(b_.getInt32Ty(), b_.CreateGEP(b_.getInt32Ty(), slots, vector));
  return b_.CreateBitCast(b_.CreateTrunc(bits, b_.getIntNTy(b_.vector_width)),
                          llvm::FixedVectorType::get(b_.getInt1Ty(), b_.vector_width));
}

V Emitter::refill_load(const Slot& slot, V vector) {
  auto* t = b_.vector_of(ops_.memory_type(slot.kind));
  return ops_.mask_from_memory(b_.CreateLoad(t, b_.CreateGEP(t, slot.at, vector)), slot.kind);
}

void Emitter::refill_store(const Slot& slot, V vector, V x, V mask) {
  auto* t = b_.vector_of(ops_.memory_type(slot.kind));
  const V at = b_.CreateGEP(t, slot.at, vector);
  V y = ops_.mask_to_memory(x, slot.kind);
  if (mask) y = b_.CreateSelect(mask, y, b_.CreateLoad(t, at));
  b_.CreateStore(y, at);
}

// Runs the epilogue of one vector, for elements that had a point and no longer run.
void Emitter::refill_epilogue(Refill& r, V vector) {
  const V mask =
      b_.CreateAnd(refill_mask(r.occupied, vector), b_.CreateNot(refill_mask(r.active, vector)));
  b_.when(b_.any({mask}), [&] {
    active_ = {mask};
    for (size_t s = 0; s < r.kept.size(); ++s)
      if (std::ranges::binary_search(r.finished, r.kept[s]))
        set_vectors(r.kept[s], {refill_load(r.value_slots[s], vector)});
    for (int axis = 0; axis < k_.rank; ++axis)
      index_vectors_[axis] = {refill_load(r.index_slots[axis], vector)};
    for (size_t c = 0; c < r.carries.size(); ++c)
      set_vectors(r.carries[c].result, {refill_load(r.carry_slots[c], vector)});
    carries(r.loop, 0, 0);  // binds the results of unchanged carries
    for (Id v : r.epilogue) emit_inst(v);
    active_.clear();
  });
}

// Gives the next points to the free elements of one vector, and runs the prologue for them.
void Emitter::refill_prologue(Refill& r, V vector) {
  auto* n32 = b_.getInt32Ty();
  auto* n64 = b_.getInt64Ty();
  const V active = refill_mask(r.active, vector), free = b_.CreateNot(active);
  const V next = b_.CreateLoad(n64, r.next);
  const V occupied_at = b_.CreateGEP(n32, r.occupied, vector),
          active_at = b_.CreateGEP(n32, r.active, vector);
  b_.CreateStore(b_.CreateLoad(n32, active_at), occupied_at);
  b_.when(b_.CreateAnd(b_.any({free}), b_.CreateICmpSLT(next, r.total)), [&] {
    // The rank of an element among the free ones: the number of free elements below it.
    llvm::SmallVector<llvm::Constant*, 16> below;
    for (int l = 0; l < b_.vector_width; ++l)
      below.push_back(llvm::ConstantInt::get(n32, (1u << l) - 1));
    const V rank =
        b_.call(llvm::Intrinsic::ctpop,
                {b_.CreateAnd(b_.splat(refill_bits(free)), llvm::ConstantVector::get(below))});
    const V point = b_.CreateAdd(b_.CreateZExt(rank, b_.vector_of(n64)), b_.splat(next));
    const V fill = b_.CreateAnd(free, b_.CreateICmpSLT(point, b_.splat(r.total)));
    refill_indices(r, point);
    active_ = {fill};
    for (Id v : r.prologue) emit_inst(v);
    active_.clear();
    for (int axis = 0; axis < k_.rank; ++axis)
      refill_store(r.index_slots[axis], vector, index_vectors_[axis][0], fill);
    for (size_t s = 0; s < r.kept.size(); ++s)
      refill_store(r.value_slots[s], vector, vec(r.kept[s], 0), fill);
    for (size_t c = 0; c < r.carries.size(); ++c)
      refill_store(r.carry_slots[c], vector, vec(r.carries[c].init, 0), fill);
    const V taken = refill_bits(fill);
    b_.CreateStore(b_.CreateAdd(next, b_.CreateZExt(b_.call(llvm::Intrinsic::ctpop, {taken}), n64)),
                   r.next);
    const V now = b_.CreateOr(taken, refill_bits(active));
    b_.CreateStore(now, active_at);
    b_.CreateStore(now, occupied_at);
  });
}

// Converts point n of the range to indices. The division is exact in F64 below 2^52 points.
void Emitter::refill_indices(const Refill& r, V point) {
  if (k_.rank == 1) {
    index_vectors_[0] = {b_.CreateAdd(point, b_.splat(r.first_column))};
    return;
  }
  auto* f = b_.vector_of(b_.getDoubleTy());
  const V columns = b_.splat(r.columns);
  const V row = b_.CreateFPToSI(
      b_.CreateFDiv(b_.CreateSIToFP(point, f), b_.CreateSIToFP(columns, f)), point->getType());
  index_vectors_[0] = {b_.CreateAdd(row, b_.splat(r.first_row))};
  index_vectors_[1] = {
      b_.CreateAdd(b_.CreateSub(point, b_.CreateMul(row, columns)), b_.splat(r.first_column))};
}

void Emitter::refill_run(Refill& r, const Masks& active) {
  for (size_t s = 0; s < r.kept.size(); ++s) {
    if (!std::ranges::binary_search(r.running, r.kept[s])) continue;
    set_vectors(r.kept[s],
                vectors([&](int p) { return refill_load(r.value_slots[s], b_.i64(p)); }));
  }
  carries(r.loop, 0, 0);  // binds the parameters of unchanged carries
  const V more = b_.CreateICmpSLT(b_.CreateLoad(b_.getInt64Ty(), r.next), r.total);
  const V idle_trips = b_.CreateSelect(more, b_.i64(s_.idle_trips), b_.i64(INT64_MAX / 2));
  const V full = b_.CreateZExt(b_.count(active), b_.getInt64Ty());
  Vs init;
  for (size_t c = 0; c < r.carries.size(); ++c)
    init.append(vectors([&](int p) { return refill_load(r.carry_slots[c], b_.i64(p)); }));
  const auto continues = [&](const Masks& go, Vs& left) {
    const V running = b_.CreateZExt(b_.count(go), b_.getInt64Ty());
    left[0] = b_.CreateSub(b_.CreateAdd(left[0], running), full);
    return b_.CreateAnd(b_.CreateICmpNE(running, b_.i64(0)), b_.CreateICmpSGE(left[0], b_.i64(0)));
  };
  const WhileState left = while_trips(r.loop, r.carries, active, {idle_trips}, init, continues);
  for (int p = 0; p < interleave_; ++p) {
    b_.CreateStore(refill_bits(left.active[p]), b_.CreateGEP(b_.getInt32Ty(), r.active, b_.i64(p)));
    for (size_t c = 0; c < r.carries.size(); ++c)
      refill_store(r.carry_slots[c], b_.i64(p),
                   left.carry[c * static_cast<size_t>(interleave_) + static_cast<size_t>(p)],
                   nullptr);
  }
}

}  // namespace weft::compiler
