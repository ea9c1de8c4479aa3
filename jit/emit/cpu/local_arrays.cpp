// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/cpu/local_arrays.cpp: the elements of points' arrays.
#include "jit/emit/cpu/local_arrays.h"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>

#include "jit/emit/cpu/cpu_emitter.h"
#include "jit/schedule/mask_loops.h"
#include "jit/schedule/nest_names.h"

namespace weft::compiler {

namespace {
int64_t whole_vectors(int64_t n, int64_t width) { return (n + width - 1) / width * width; }
}  // namespace

LocalArrays::LocalArrays(CpuEmitter& e) : EmitterPart(e) {}

int LocalArrays::interleave_of_arrays() const {
  return array_interleave ? array_interleave : e_.interleave;
}

void LocalArrays::create(Id v) {
  const Inst& i = k_.insts[v];
  const int64_t n = std::max<int64_t>(i.imm, 1);
  created_[v] = e_.active;
  // A kernel is emitted more than once, the widest form first (main loop, then tail).
  if (V& array = e_.array_of(v); !array)
    array = e_.divergence.per_element[v]
                ? b_.allocate(vector_in_memory(v), n * interleave_of_arrays(), "local")
                : b_.allocate(ops_.memory_type(i.kind), whole_vectors(n, s_.vector_width), "local");
}

// Returns true for the index of the last elements of an array, which end in a vector of their own.
// Whole vectors can stay in registers, and a load need not wait for a store under a mask.
bool LocalArrays::is_rest(Id local, Id index) {
  const Val& x = e_.value(index);
  return rest_mask && e_.active.size() == 1 && e_.active[0] == rest_mask && x.base == rest_begin &&
         IrBuilder::constant_int(rest_end) == k_.insts[local].imm &&
         IrBuilder::constant_int(x.stride) == 1;
}

// Logic on bits needs no instruction to make masks of bytes.
bool LocalArrays::is_packed(Id local) {
  if (packed_.empty()) {
    packed_ = arrays_of_bits(k_, e_.divergence);
    if (!e_.mask_registers() || b_.vector_width < min_bits) packed_.assign(packed_.size(), 0);
  }
  return packed_[local] != 0;
}

// Returns the type of number i of the points of a vector.
llvm::Type* LocalArrays::vector_in_memory(Id local) {
  if (is_packed(local)) return b_.getIntNTy(static_cast<unsigned>(b_.vector_width));
  return b_.vector_of(ops_.memory_type(k_.insts[local].kind));
}

V LocalArrays::load_vector(Id local, V at) {
  const V x = b_.CreateLoad(vector_in_memory(local), at);
  return is_packed(local) ? b_.CreateBitCast(x, b_.vector_of(b_.getInt1Ty()))
                          : ops_.mask_from_memory(x, k_.insts[local].kind);
}

void LocalArrays::store_vector(Id local, V x, V at) {
  b_.CreateStore(is_packed(local) ? b_.CreateBitCast(x, vector_in_memory(local))
                                  : ops_.mask_to_memory(x, k_.insts[local].kind),
                 at);
}

V LocalArrays::local_begin(Id local) {
  return vector_offset ? b_.CreateGEP(vector_in_memory(local), e_.array_of(local), vector_offset)
                       : e_.array_of(local);
}

namespace {
// An index as a run-time value plus a constant.
struct Offset {
  V value;  // null: 0
  int64_t constant;
};
Offset offset_of(IrBuilder& b, V index) {
  if (const auto n = IrBuilder::constant_int(index)) return {nullptr, *n};
  const auto* add = llvm::dyn_cast<llvm::BinaryOperator>(index);
  if (!add || add->getOpcode() != llvm::Instruction::Add) return {index, 0};
  const Offset x = offset_of(b, add->getOperand(0)), y = offset_of(b, add->getOperand(1));
  const int64_t constant = x.constant + y.constant;
  if (constant == 0) return {index, 0};
  return {!x.value ? y.value : !y.value ? x.value : b.CreateAdd(x.value, y.value), constant};
}
}  // namespace

// Returns the address of one number of the arrays of the points of a vector. The constant part of
// the index is part of the instruction that accesses it. So accesses at several constant distances
// share a register.
V LocalArrays::local_element(Id local, V element, int vector) {
  auto* t = vector_in_memory(local);
  const int interleave = interleave_of_arrays();
  const Offset at = offset_of(b_, element);
  V begin = local_begin(local);
  if (at.value) begin = b_.CreateGEP(t, begin, b_.CreateMul(at.value, b_.i64(interleave)));
  return b_.CreateGEP(t, begin, b_.i64(at.constant * interleave + vector));
}

// Returns the address of each point's number.
V LocalArrays::local_addresses(Id local, Id index, int vector) {
  auto* t = ops_.memory_type(k_.insts[local].kind);
  const int interleave = interleave_of_arrays();
  auto* n = b_.getInt32Ty();
  const Val& x = e_.value(index);
  const V narrow = x.stride ? e_.linear_vec(x, vector, n)
                            : b_.CreateTrunc(e_.vec(index, vector), b_.vector_of(n));
  const V row =
      b_.CreateAdd(b_.CreateMul(narrow, b_.splat(b_.i32(interleave))), b_.splat(b_.i32(vector)));
  const V flat = b_.CreateAdd(b_.CreateMul(row, b_.splat(b_.i32(b_.vector_width))), b_.iota(n));
  return b_.CreateGEP(t, local_begin(local), flat);
}

namespace {
// The largest number of elements that are all read. Above it the code is longer than that of a
// gather.
constexpr int64_t max_choices = 16;
}  // namespace

// Describes an index that selects one of a few numbers of an array for each point. All of these
// numbers are read, which is faster than one access per point, and they can stay in registers. In
// refill mode the operands of the index are not available.
std::optional<nest::Choice> LocalArrays::choice(Id local, Id index) {
  if (e_.divergence.mode == Mode::refill) return std::nullopt;
  const auto c = nest::choice_of(k_, index);
  if (!c || c->count > max_choices) return std::nullopt;
  nest::Range from{0, 0};
  if (c->base != nest::no_id) {
    if (!e_.variance(c->base).uniform()) return std::nullopt;
    from = e_.range(c->base);
  }
  // All of them must be inside the array.
  const int64_t end = c->first + c->step * (c->count - 1), n = k_.insts[local].imm;
  if (!from.within({-std::min(c->first, end), n - 1 - std::max(c->first, end)}))
    return std::nullopt;
  return c;
}

// Returns the address of element i of those.
V LocalArrays::choice_element(Id local, const nest::Choice& c, int64_t i, int vector) {
  const V at = b_.i64(c.first + c.step * i);
  return local_element(local, c.base == nest::no_id ? at : b_.CreateAdd(e_.scalar(c.base), at),
                       vector);
}

V LocalArrays::load_choice(Id local, const nest::Choice& c, int vector) {
  auto* t = b_.vector_of(ops_.memory_type(k_.insts[local].kind));
  const V x = e_.vec(c.value, vector);
  auto* number = llvm::cast<llvm::IntegerType>(x->getType()->getScalarType());
  const auto element = [&](int64_t i) {
    return b_.CreateLoad(t, choice_element(local, c, i, vector));
  };
  V all = element(0);
  for (int64_t i = 1; i < c.count; ++i) {
    const V below = b_.splat(llvm::ConstantInt::getSigned(number, c.least + i));
    all = b_.CreateSelect(b_.CreateICmpSLT(x, below), all, element(i));
  }
  return all;
}

void LocalArrays::store_choice(Id local, const nest::Choice& c, int vector, V value) {
  const V x = e_.vec(c.value, vector);
  auto* number = llvm::cast<llvm::IntegerType>(x->getType()->getScalarType());
  for (int64_t i = 0; i < c.count; ++i) {
    const V here = b_.splat(llvm::ConstantInt::getSigned(number, c.least + i));
    V mine = i == 0             ? b_.CreateICmpSLE(x, here)
             : i == c.count - 1 ? b_.CreateICmpSGE(x, here)
                                : b_.CreateICmpEQ(x, here);
    if (c.count == 1) mine = b_.splat(b_.getTrue());
    if (!e_.active.empty()) mine = b_.CreateAnd(mine, e_.active[vector]);
    const V at = choice_element(local, c, i, vector);
    b_.CreateStore(b_.CreateSelect(mine, value, b_.CreateLoad(value->getType(), at)), at);
  }
}

void LocalArrays::load(Id v) {
  const Inst& i = k_.insts[v];
  const Id l = i.args[0], index = i.args[1];
  auto* t = ops_.memory_type(i.kind);
  if (!e_.variance(v).varying) {
    e_.set(v, ops_.mask_from_memory(
                  b_.CreateLoad(t, b_.CreateGEP(t, e_.array_of(l), e_.scalar(index))), i.kind));
    return;
  }
  const bool in_record = e_.records().moves(v);
  const auto numbers = [&](int p) -> V {
    if (in_record) return e_.records().loaded(v, p);
    if (!e_.divergence.per_element[l] && is_rest(l, index))
      return b_.CreateFreeze(b_.CreateAlignedLoad(
          b_.vector_of(t), b_.CreateGEP(t, e_.array_of(l), rest_begin), b_.align_of(t)));
    if (!e_.divergence.per_element[l])
      return e_.elements().load_elements(t, e_.array_of(l), index, p);
    if (const auto c = choice(l, index)) return load_choice(l, *c, p);
    return e_.elements().gather(t, local_addresses(l, index, p), e_.mask_of(p));
  };
  const bool together = !in_record && e_.divergence.per_element[l] && e_.variance(index).uniform();
  e_.set_vectors(v, e_.vectors([&](int p) {
    return together ? load_vector(l, local_element(l, e_.scalar(index), p))
                    : ops_.mask_from_memory(numbers(p), i.kind);
  }));
}

void LocalArrays::store(Id v) {
  const Inst& i = k_.insts[v];
  const Id l = i.args[0], index = i.args[1], value = i.args[2];
  const Kind kd = k_.insts[l].kind;
  auto* t = ops_.memory_type(kd);
  const bool per_element = e_.divergence.per_element[l];
  if (!per_element && e_.variance(index).uniform() && e_.variance(value).uniform()) {
    b_.CreateStore(ops_.mask_to_memory(e_.scalar(value), kd),
                   b_.CreateGEP(t, e_.array_of(l), e_.scalar(index)));
    return;
  }
  for (int p = 0; p < e_.interleave; ++p) {
    const V x = e_.vec(value, p);
    if (!per_element && is_rest(l, index)) {
      b_.CreateAlignedStore(ops_.mask_to_memory(x, kd), b_.CreateGEP(t, e_.array_of(l), rest_begin),
                            b_.align_of(t));
    } else if (!per_element) {
      e_.elements().store_elements(t, e_.array_of(l), index, p, ops_.mask_to_memory(x, kd));
    } else if (e_.variance(index).uniform()) {
      // The frame belongs to this kernel, so the old value can be read and written back.
      const V at = local_element(l, e_.scalar(index), p);
      store_vector(l, stores_all(l) ? x : b_.CreateSelect(e_.active[p], x, load_vector(l, at)), at);
    } else if (const auto c = choice(l, index)) {
      store_choice(l, *c, p, ops_.mask_to_memory(x, kd));
    } else {
      e_.elements().scatter(t, local_addresses(l, index, p), ops_.mask_to_memory(x, kd),
                            e_.mask_of(p));
    }
  }
}

// Returns true if nothing reads the numbers of the inactive elements: they have no point, or were
// inactive when the array was created. A refilled element begins while others run.
bool LocalArrays::stores_all(Id local) {
  if (e_.all_active()) return true;
  return e_.divergence.mode == Mode::grid && e_.active == created_[local];
}

}  // namespace weft::compiler
