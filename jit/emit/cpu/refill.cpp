// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/cpu/refill.cpp: refills the elements of vectors.
#include "jit/emit/cpu/refill.h"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>

#include "jit/schedule/nest_names.h"

namespace weft::compiler {

namespace {
V bits_of(IrBuilder& b, V mask) {
  return b.CreateZExt(b.CreateBitCast(mask, b.getIntNTy(b.vector_width)), b.getInt32Ty());
}

V load_mask(IrBuilder& b, V slots, V vector) {
  const V bits = b.CreateLoad(b.getInt32Ty(), b.CreateGEP(b.getInt32Ty(), slots, vector));
  return b.CreateBitCast(b.CreateTrunc(bits, b.getIntNTy(b.vector_width)),
                         llvm::FixedVectorType::get(b.getInt1Ty(), b.vector_width));
}
}  // namespace

void VectorRefill::emit(V outer_begin, V outer_end, V inner_begin, V inner_end) {
  e_.local_arrays().array_interleave = e_.interleave;
  make_state();
  const V rows = b_.CreateSub(outer_end, outer_begin);
  columns_ = b_.CreateSub(inner_end, inner_begin);
  total_ = b_.CreateMul(rows, columns_);
  first_row_ = outer_begin;
  first_column_ = inner_begin;
  e_.emit_level(0);
  e_.record_checked_point(nullptr, nullptr);
  auto* refill = b_.block("refill");
  auto* run = b_.block("hot");
  auto* done = b_.block("done");
  b_.jump(refill);
  b_.insert_at(refill);
  const int interleave = e_.interleave;
  e_.interleave = 1;
  b_.each("vector", b_.i64(0), b_.i64(interleave), 1, [&](V vector) {
    e_.local_arrays().vector_offset = vector;
    epilogue(vector);
    prologue(vector);
  });
  e_.local_arrays().vector_offset = nullptr;
  e_.interleave = interleave;
  const Masks active = e_.vectors([&](int p) { return load_mask(b_, active_, b_.i64(p)); });
  b_.CreateCondBr(b_.any(active), run, done);
  b_.insert_at(run);
  run_while(active);
  b_.jump(refill);
  b_.insert_at(done);
}

void VectorRefill::make_state() {
  for (Id v : k_.blocks[0].body)
    if (k_.insts[v].op == Opcode::Local) e_.emit_inst(v);
  const auto slot = [&](Kind kd) {
    auto* t = b_.vector_of(ops_.memory_type(kd));
    const Slot s{b_.allocate(t, e_.interleave, "slot"), kd};
    for (int p = 0; p < e_.interleave; ++p)
      b_.CreateStore(llvm::Constant::getNullValue(t), b_.CreateGEP(t, s.at, b_.i64(p)));
    return s;
  };
  for (Id v : parts_.kept) value_slots_.push_back(slot(e_.kind(v)));
  carries_ = e_.loops().carries(loop_, 0, 0);
  for (const Carry& c : carries_) carry_slots_.push_back(slot(e_.kind(c.param)));
  for (int axis = 0; axis < k_.rank; ++axis) index_slots_.push_back(slot(Kind::I64));
  for (V* bits : {&active_, &occupied_}) {
    *bits = b_.allocate(b_.getInt32Ty(), e_.interleave, "active");
    for (int p = 0; p < e_.interleave; ++p)
      b_.CreateStore(b_.i32(0), b_.CreateGEP(b_.getInt32Ty(), *bits, b_.i64(p)));
  }
  next_ = b_.allocate(b_.getInt64Ty(), 1, "next");
  b_.CreateStore(b_.i64(0), next_);
}

V VectorRefill::load_slot(const Slot& slot, V vector) {
  auto* t = b_.vector_of(ops_.memory_type(slot.kind));
  return ops_.mask_from_memory(b_.CreateLoad(t, b_.CreateGEP(t, slot.at, vector)), slot.kind);
}

void VectorRefill::store_slot(const Slot& slot, V vector, V x, V mask) {
  auto* t = b_.vector_of(ops_.memory_type(slot.kind));
  const V at = b_.CreateGEP(t, slot.at, vector);
  V y = ops_.mask_to_memory(x, slot.kind);
  if (mask) y = b_.CreateSelect(mask, y, b_.CreateLoad(t, at));
  b_.CreateStore(y, at);
}

// Runs the epilogue of one vector, for elements that had a point and no longer run.
void VectorRefill::epilogue(V vector) {
  const V mask =
      b_.CreateAnd(load_mask(b_, occupied_, vector), b_.CreateNot(load_mask(b_, active_, vector)));
  b_.when(b_.any({mask}), [&] {
    e_.active = {mask};
    for (size_t s = 0; s < parts_.kept.size(); ++s)
      if (std::ranges::binary_search(parts_.finished, parts_.kept[s]))
        e_.set_vectors(parts_.kept[s], {load_slot(value_slots_[s], vector)});
    for (int axis = 0; axis < k_.rank; ++axis)
      e_.index_vectors[axis] = {load_slot(index_slots_[axis], vector)};
    for (size_t c = 0; c < carries_.size(); ++c)
      e_.set_vectors(carries_[c].result, {load_slot(carry_slots_[c], vector)});
    e_.loops().carries(loop_, 0, 0);  // binds the results of unchanged carries
    for (Id v : parts_.epilogue) e_.emit_inst(v);
    e_.active.clear();
  });
}

// Gives the next points to the free elements of one vector, and runs the prologue for them.
void VectorRefill::prologue(V vector) {
  auto* n32 = b_.getInt32Ty();
  auto* n64 = b_.getInt64Ty();
  const V active = load_mask(b_, active_, vector), free = b_.CreateNot(active);
  const V next = b_.CreateLoad(n64, next_);
  const V occupied_at = b_.CreateGEP(n32, occupied_, vector),
          active_at = b_.CreateGEP(n32, active_, vector);
  b_.CreateStore(b_.CreateLoad(n32, active_at), occupied_at);
  b_.when(b_.CreateAnd(b_.any({free}), b_.CreateICmpSLT(next, total_)), [&] {
    // The rank of an element among the free ones: the number of free elements below it.
    llvm::SmallVector<llvm::Constant*, 16> below;
    for (int l = 0; l < b_.vector_width; ++l)
      below.push_back(llvm::ConstantInt::get(n32, (1u << l) - 1));
    const V rank =
        b_.call(llvm::Intrinsic::ctpop,
                {b_.CreateAnd(b_.splat(bits_of(b_, free)), llvm::ConstantVector::get(below))});
    const V point = b_.CreateAdd(b_.CreateZExt(rank, b_.vector_of(n64)), b_.splat(next));
    const V fill = b_.CreateAnd(free, b_.CreateICmpSLT(point, b_.splat(total_)));
    set_indices(point);
    e_.active = {fill};
    for (Id v : parts_.prologue) e_.emit_inst(v);
    e_.active.clear();
    for (int axis = 0; axis < k_.rank; ++axis)
      store_slot(index_slots_[axis], vector, e_.index_vectors[axis][0], fill);
    for (size_t s = 0; s < parts_.kept.size(); ++s)
      store_slot(value_slots_[s], vector, e_.vec(parts_.kept[s], 0), fill);
    for (size_t c = 0; c < carries_.size(); ++c)
      store_slot(carry_slots_[c], vector, e_.vec(carries_[c].init, 0), fill);
    const V taken = bits_of(b_, fill);
    b_.CreateStore(b_.CreateAdd(next, b_.CreateZExt(b_.call(llvm::Intrinsic::ctpop, {taken}), n64)),
                   next_);
    const V now = b_.CreateOr(taken, bits_of(b_, active));
    b_.CreateStore(now, active_at);
    b_.CreateStore(now, occupied_at);
  });
}

// Converts point n of the range to indices. The division is exact in F64 below 2^52 points.
void VectorRefill::set_indices(V point) {
  if (k_.rank == 1) {
    e_.index_vectors[0] = {b_.CreateAdd(point, b_.splat(first_column_))};
    return;
  }
  auto* f = b_.vector_of(b_.getDoubleTy());
  const V columns = b_.splat(columns_);
  const V row = b_.CreateFPToSI(
      b_.CreateFDiv(b_.CreateSIToFP(point, f), b_.CreateSIToFP(columns, f)), point->getType());
  e_.index_vectors[0] = {b_.CreateAdd(row, b_.splat(first_row_))};
  e_.index_vectors[1] = {
      b_.CreateAdd(b_.CreateSub(point, b_.CreateMul(row, columns)), b_.splat(first_column_))};
}

void VectorRefill::run_while(const Masks& active) {
  for (size_t s = 0; s < parts_.kept.size(); ++s) {
    if (!std::ranges::binary_search(parts_.running, parts_.kept[s])) continue;
    e_.set_vectors(parts_.kept[s],
                   e_.vectors([&](int p) { return load_slot(value_slots_[s], b_.i64(p)); }));
  }
  e_.loops().carries(loop_, 0, 0);  // binds the parameters of unchanged carries
  const V more = b_.CreateICmpSLT(b_.CreateLoad(b_.getInt64Ty(), next_), total_);
  const V idle_trips = b_.CreateSelect(more, b_.i64(s_.idle_trips), b_.i64(INT64_MAX / 2));
  const V full = b_.CreateZExt(b_.count(active), b_.getInt64Ty());
  Vs init;
  for (size_t c = 0; c < carries_.size(); ++c)
    init.append(e_.vectors([&](int p) { return load_slot(carry_slots_[c], b_.i64(p)); }));
  const auto continues = [&](const Masks& go, Vs& left) {
    const V running = b_.CreateZExt(b_.count(go), b_.getInt64Ty());
    left[0] = b_.CreateSub(b_.CreateAdd(left[0], running), full);
    return b_.CreateAnd(b_.CreateICmpNE(running, b_.i64(0)), b_.CreateICmpSGE(left[0], b_.i64(0)));
  };
  const Loops::WhileState left =
      e_.loops().while_trips(loop_, carries_, active, {idle_trips}, init, continues);
  for (int p = 0; p < e_.interleave; ++p) {
    b_.CreateStore(bits_of(b_, left.active[p]), b_.CreateGEP(b_.getInt32Ty(), active_, b_.i64(p)));
    for (size_t c = 0; c < carries_.size(); ++c)
      store_slot(carry_slots_[c], b_.i64(p),
                 left.carry[c * static_cast<size_t>(e_.interleave) + static_cast<size_t>(p)],
                 nullptr);
  }
}

}  // namespace weft::compiler
