// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/emit_memory.cpp: loads and stores of buffers and of local arrays. Values that are
// contiguous in memory move as one vector, others are gathered and scattered. Inactive elements
// access no memory.
#include <llvm/IR/Intrinsics.h>

#include "jit/emit/emit.h"
#include "jit/schedule/nest_names.h"
#include "weft/error.h"

namespace weft::compiler {

// Without mask registers, or for numbers that are too narrow to gather and scatter, each access
// would need a branch. Inactive elements access a slot in the frame instead.
void Emitter::redirect_inactive_elements(llvm::Type* t, V* addresses, V* mask) {
  const auto* known = llvm::dyn_cast<llvm::Constant>(*mask);
  const bool masked = machine_.mask_registers && t->getScalarSizeInBits() >= 32;
  if (masked || machine_.gpu || machine_.checked || (known && known->isAllOnesValue())) return;
  if (!dummy_slot_) {
    auto* number = b_.getInt64Ty();
    dummy_slot_ = b_.allocate(number, 1, "idle");
    const llvm::IRBuilderBase::InsertPointGuard guard(b_);
    b_.SetInsertPoint(b_.alloca_point());
    b_.CreateStore(b_.i64(0), dummy_slot_);
  }
  *addresses = b_.CreateSelect(*mask, *addresses, b_.splat(dummy_slot_));
  *mask = b_.splat(b_.getTrue());
}

V Emitter::gather(llvm::Type* t, V addresses, V mask) {
  redirect_inactive_elements(t, &addresses, &mask);
  return b_.CreateMaskedGather(b_.vector_of(t), addresses, b_.align_of(t), mask,
                               llvm::Constant::getNullValue(b_.vector_of(t)));
}

void Emitter::scatter(llvm::Type* t, V addresses, V value, V mask) {
  redirect_inactive_elements(t, &addresses, &mask);
  b_.CreateMaskedScatter(value, addresses, b_.align_of(t), mask);
}

// Returns the addresses of one vector: a scalar base plus the differences, in 32 bits if they fit.
V Emitter::element_addresses(llvm::Type* t, V base, Id offset, int vector) {
  const Val& x = values_[offset];
  if (!x.stride) {
    const auto narrow = [&](Id v) {
      return b_.CreateTrunc(vec(v, vector), b_.vector_of(b_.getInt32Ty()));
    };
    if (fits_int32(offset)) return b_.CreateGEP(t, base, narrow(offset));
    // A row and an offset in it. In refill mode the operands of the offset are not available.
    const Inst& i = k_.insts[offset];
    if (i.op == nest::Opcode::Add && divergence_.mode != Mode::refill)
      for (int a : {0, 1})
        if (variance(i.args[a]).uniform() && variance(i.args[1 - a]).varying &&
            fits_int32(i.args[1 - a]))
          return b_.CreateGEP(t, b_.CreateGEP(t, base, scalar(i.args[a])), narrow(i.args[1 - a]));
    return b_.CreateGEP(t, base, vec(offset, vector));
  }
  const V first = b_.CreateGEP(t, base, vector_base(x, vector));
  if (const auto stride = b_.constant_int(x.stride); stride && std::abs(*stride) < (1 << 26)) {
    const V step = b_.splat(b_.i32(static_cast<int32_t>(*stride)));
    return b_.CreateGEP(t, first, b_.CreateMul(b_.iota(b_.getInt32Ty()), step));
  }
  return b_.CreateGEP(t, first, b_.CreateMul(b_.iota(b_.getInt64Ty()), b_.splat(x.stride)));
}

// Two vectors cover the strided elements, and shuffles sort them. The last vector starts early, so
// that nothing is read beyond the last element.
V Emitter::strided_load(llvm::Type* t, V first, int64_t stride) {
  const int n = static_cast<int>(stride);
  llvm::SmallVector<int, 64> pick;
  const auto read = [&](V at, int count) {
    return b_.CreateAlignedLoad(llvm::FixedVectorType::get(t, count), at, b_.align_of(t));
  };
  if (n == -1) {
    for (int l = 0; l < b_.vector_width; ++l) pick.push_back(b_.vector_width - 1 - l);
    return b_.CreateShuffleVector(
        read(b_.CreateGEP(t, first, b_.i64(1 - b_.vector_width)), b_.vector_width), pick);
  }
  // Stride 2: numbers 0 .. 2*vector_width-2 as two vectors that overlap in one element.
  const V low = read(first, b_.vector_width),
          high = read(b_.CreateGEP(t, first, b_.i64(b_.vector_width - 1)), b_.vector_width);
  for (int l = 0; l < b_.vector_width; ++l)
    pick.push_back(2 * l < b_.vector_width ? 2 * l
                                           : b_.vector_width + 2 * l - (b_.vector_width - 1));
  return b_.CreateShuffleVector(low, high, pick);
}

V Emitter::load_elements(llvm::Type* t, V base, Id offset, int vector) {
  const Val& x = values_[offset];
  const llvm::Align align = b_.align_of(t);
  const int64_t s = b_.constant_int(x.stride).value_or(0);
  if (s == 1) {
    const V first = b_.CreateGEP(t, base, vector_base(x, vector));
    if (active_.empty()) return b_.CreateAlignedLoad(b_.vector_of(t), first, align);
    return b_.CreateMaskedLoad(b_.vector_of(t), first, align, active_[vector],
                               llvm::Constant::getNullValue(b_.vector_of(t)));
  }
  if (active_.empty() && (s == -1 || s == 2))
    return strided_load(t, b_.CreateGEP(t, base, vector_base(x, vector)), s);
  return gather(t, element_addresses(t, base, offset, vector), mask_of(vector));
}

void Emitter::mark_non_temporal(llvm::StoreInst* s) {
  auto* one = llvm::ConstantAsMetadata::get(b_.getInt32(1));
  s->setMetadata(llvm::LLVMContext::MD_nontemporal, llvm::MDNode::get(b_.getContext(), {one}));
}

// A non-temporal store needs whole aligned vectors. Buffers begin at a cache line and the grid is
// partitioned in whole lines. An address that is unaligned here is therefore unaligned in every
// trip.
void Emitter::store_non_temporal(V value, V at, V all_elements,
                                 const std::function<void()>& otherwise) {
  const auto bytes = std::min<uint64_t>(
      b_.module().getDataLayout().getTypeStoreSize(value->getType()), cache_line);
  const V low =
      b_.CreateAnd(b_.CreatePtrToInt(at, b_.getInt64Ty()), b_.i64(static_cast<int64_t>(bytes) - 1));
  V whole = b_.CreateICmpEQ(low, b_.i64(0));
  if (all_elements) whole = b_.CreateAnd(whole, all_elements);
  const auto non_temporal = [&] {
    mark_non_temporal(b_.CreateAlignedStore(value, at, llvm::Align(bytes)));
  };
  b_.when(whole, non_temporal, otherwise);
}

void Emitter::store_elements(llvm::Type* t, V base, Id offset, int vector, V value,
                             bool non_temporal) {
  const Val& x = values_[offset];
  const llvm::Align align = b_.align_of(t);
  if (b_.constant_int(x.stride) == 1) {
    const V first = b_.CreateGEP(t, base, vector_base(x, vector));
    const auto plain = [&] {
      if (active_.empty())
        b_.CreateAlignedStore(value, first, align);
      else
        b_.CreateMaskedStore(value, first, align, active_[vector]);
    };
    if (!non_temporal) return plain();
    store_non_temporal(value, first,
                       active_.empty() ? nullptr : b_.CreateAndReduce(active_[vector]), plain);
    return;
  }
  scatter(t, element_addresses(t, base, offset, vector), value, mask_of(vector));
}

void Emitter::load(Id v) {
  const Inst& i = k_.insts[v];
  const Storage s = k_.buffers[i.imm].storage;
  auto* t = ops_.memory_type(s);
  if (const auto early = early_loads_.find(v); early != early_loads_.end())
    return set(v, ops_.from_memory(early->second, s));
  const auto tile = tiles_.find(v);
  const bool in_tile = tile != tiles_.end() && tile->second.row;
  if (in_tile && machine_.gpu)
    return set(v, ops_.from_memory(b_.CreateLoad(t, tile_address(tile->second, t, 0)), s));
  if (!variance(v).varying)
    return set(v, ops_.from_memory(
                      b_.CreateLoad(t, b_.CreateGEP(t, buffers_[i.imm], scalar(i.args[0]))), s));
  if (machine_.gpu) return load_points(v);
  const bool in_record = moves_in_record(v);
  const auto loaded = [&](int p) {
    return in_record ? record_values_.at({v, p})
           : in_tile ? b_.CreateLoad(b_.vector_of(t), tile_address(tile->second, t, p))
                     : load_elements(t, buffers_[i.imm], i.args[0], p);
  };
  set_vectors(v, vectors([&](int p) { return ops_.from_memory(loaded(p), s); }));
  prefetch_next_row(v);
}

void Emitter::store(Id v) {
  const Inst& i = k_.insts[v];
  const Storage s = k_.buffers[i.imm].storage;
  auto* t = ops_.memory_type(s);
  if (variance(i.args[0]).uniform() && variance(i.args[1]).uniform()) {
    if_thread_zero([&] {
      b_.CreateStore(ops_.to_memory(scalar(i.args[1]), s),
                     b_.CreateGEP(t, buffers_[i.imm], scalar(i.args[0])));
    });
    return;
  }
  if (machine_.gpu) return store_points(v);
  if (moves_in_record(v)) return;
  const auto tile = tiles_.find(v);
  const bool in_tile = tile != tiles_.end() && tile->second.row;
  for (int p = 0; p < interleave_; ++p) {
    const V x = ops_.to_memory(vec(i.args[1], p), s);
    if (in_tile)
      b_.CreateStore(x, tile_address(tile->second, t, p));
    else
      store_elements(t, buffers_[i.imm], i.args[0], p, x, s_.streamed.count(i.imm) > 0);
  }
}

// An array that is the same for all points is a single array. Otherwise number i of the points of
// vector p is contiguous, at i * interleave + p.
void Emitter::local(Id v) {
  const Inst& i = k_.insts[v];
  auto* t = ops_.memory_type(i.kind);
  const int64_t n = std::max<int64_t>(i.imm, 1);
  const int interleave = array_interleave_ ? array_interleave_ : interleave_;
  // A kernel is emitted more than once, the widest form first (main loop, then tail).
  if (!locals_[v])
    locals_[v] = divergence_.per_element[v] ? b_.allocate(b_.vector_of(t), n * interleave, "local")
                                            : b_.allocate(t, n, "local");
}

V Emitter::local_begin(Id local) {
  auto* t = b_.vector_of(ops_.memory_type(k_.insts[local].kind));
  return vector_offset_ ? b_.CreateGEP(t, locals_[local], vector_offset_) : locals_[local];
}

// Returns the address of one number of the arrays of the points of a vector.
V Emitter::local_element(Id local, V element, int vector) {
  auto* t = b_.vector_of(ops_.memory_type(k_.insts[local].kind));
  const int interleave = array_interleave_ ? array_interleave_ : interleave_;
  const V at = b_.CreateAdd(b_.CreateMul(element, b_.i64(interleave)), b_.i64(vector));
  return b_.CreateGEP(t, local_begin(local), at);
}

// Returns the address of each point's number.
V Emitter::local_addresses(Id local, Id index, int vector) {
  auto* t = ops_.memory_type(k_.insts[local].kind);
  const int interleave = array_interleave_ ? array_interleave_ : interleave_;
  auto* n = b_.getInt32Ty();
  const Val& x = values_[index];
  const V narrow =
      x.stride ? linear_vec(x, vector, n) : b_.CreateTrunc(vec(index, vector), b_.vector_of(n));
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
std::optional<nest::Choice> Emitter::choice(Id local, Id index) {
  if (machine_.gpu || divergence_.mode == Mode::refill) return std::nullopt;
  const auto c = nest::choice_of(k_, index);
  if (!c || c->count > max_choices) return std::nullopt;
  nest::Range from{0, 0};
  if (c->base != nest::no_id) {
    if (!variance(c->base).uniform()) return std::nullopt;
    from = range(c->base);
  }
  // All of them must be inside the array.
  const int64_t end = c->first + c->step * (c->count - 1), n = k_.insts[local].imm;
  if (!from.within({-std::min(c->first, end), n - 1 - std::max(c->first, end)}))
    return std::nullopt;
  return c;
}

// Returns the address of element i of those.
V Emitter::choice_element(Id local, const nest::Choice& c, int64_t i, int vector) {
  const V at = b_.i64(c.first + c.step * i);
  return local_element(local, c.base == nest::no_id ? at : b_.CreateAdd(scalar(c.base), at),
                       vector);
}

V Emitter::load_choice(Id local, const nest::Choice& c, int vector) {
  auto* t = b_.vector_of(ops_.memory_type(k_.insts[local].kind));
  const V x = vec(c.value, vector);
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

void Emitter::store_choice(Id local, const nest::Choice& c, int vector, V value) {
  const V x = vec(c.value, vector);
  auto* number = llvm::cast<llvm::IntegerType>(x->getType()->getScalarType());
  for (int64_t i = 0; i < c.count; ++i) {
    const V here = b_.splat(llvm::ConstantInt::getSigned(number, c.least + i));
    V mine = i == 0             ? b_.CreateICmpSLE(x, here)
             : i == c.count - 1 ? b_.CreateICmpSGE(x, here)
                                : b_.CreateICmpEQ(x, here);
    if (c.count == 1) mine = b_.splat(b_.getTrue());
    if (!active_.empty()) mine = b_.CreateAnd(mine, active_[vector]);
    const V at = choice_element(local, c, i, vector);
    b_.CreateStore(b_.CreateSelect(mine, value, b_.CreateLoad(value->getType(), at)), at);
  }
}

void Emitter::local_load(Id v) {
  const Inst& i = k_.insts[v];
  const Id l = i.args[0], index = i.args[1];
  auto* t = ops_.memory_type(i.kind);
  if (!variance(v).varying) {
    set(v, ops_.mask_from_memory(b_.CreateLoad(t, b_.CreateGEP(t, locals_[l], scalar(index))),
                                 i.kind));
    return;
  }
  const auto loaded = [&](int p) -> V {
    if (!divergence_.per_element[l]) return load_elements(t, locals_[l], index, p);
    if (variance(index).uniform())
      return b_.CreateLoad(b_.vector_of(t), local_element(l, scalar(index), p));
    if (const auto c = choice(l, index)) return load_choice(l, *c, p);
    return gather(t, local_addresses(l, index, p), mask_of(p));
  };
  set_vectors(v, vectors([&](int p) { return ops_.mask_from_memory(loaded(p), i.kind); }));
}

void Emitter::local_store(Id v) {
  const Inst& i = k_.insts[v];
  const Id l = i.args[0], index = i.args[1], value = i.args[2];
  const Kind kd = k_.insts[l].kind;
  auto* t = ops_.memory_type(kd);
  if (!divergence_.per_element[l] && variance(index).uniform() && variance(value).uniform()) {
    b_.CreateStore(ops_.mask_to_memory(scalar(value), kd),
                   b_.CreateGEP(t, locals_[l], scalar(index)));
    return;
  }
  for (int p = 0; p < interleave_; ++p) {
    const V x = ops_.mask_to_memory(vec(value, p), kd);
    if (!divergence_.per_element[l]) {
      store_elements(t, locals_[l], index, p, x);
    } else if (variance(index).uniform()) {
      // The frame belongs to this kernel, so the old value can be read and written back. Nothing
      // reads the numbers of vector elements without a point.
      const V at = local_element(l, scalar(index), p);
      const bool all = active_.empty() || active_ == in_grid_;
      b_.CreateStore(all ? x : b_.CreateSelect(active_[p], x, b_.CreateLoad(b_.vector_of(t), at)),
                     at);
    } else if (const auto c = choice(l, index)) {
      store_choice(l, *c, p, x);
    } else {
      scatter(t, local_addresses(l, index, p), x, mask_of(p));
    }
  }
}

// Prefetches the next row where rows are read in several passes. The first pass waits for memory,
// the second computes on cached data. The next row is fetched during the second.
void Emitter::prefetch_next_row(Id load) {
  const auto n = s_.prefetch.find(load);
  if (n == s_.prefetch.end() || !active_.empty()) return;
  const Inst& i = k_.insts[load];
  const Val& offset = values_[i.args[0]];
  if (!offset.stride) return;
  auto* t = ops_.memory_type(k_.buffers[i.imm].storage);
  for (int p = 0; p < interleave_; ++p) {
    const V at = b_.CreateAdd(vector_base(offset, p), b_.i64(n->second));
    // The arguments mean: a read, keep in all caches, data.
    b_.call(llvm::Intrinsic::prefetch, {b_.getPtrTy()},
            {b_.CreateGEP(t, buffers_[i.imm], at), b_.i32(0), b_.i32(3), b_.i32(1)});
  }
}

}  // namespace weft::compiler
