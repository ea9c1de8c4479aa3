// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/cpu/element_access.cpp: vectors of elements in memory.
#include "jit/emit/cpu/element_access.h"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <map>

#include "jit/emit/cpu/cpu_emitter.h"
#include "jit/schedule/nest_names.h"
#include "jit/schedule/sorting.h"

namespace weft::compiler {

namespace {
void mark_non_temporal(IrBuilder& b, llvm::StoreInst* s) {
  auto* one = llvm::ConstantAsMetadata::get(b.getInt32(1));
  s->setMetadata(llvm::LLVMContext::MD_nontemporal, llvm::MDNode::get(b.getContext(), {one}));
}
}  // namespace

ElementAccess::ElementAccess(CpuEmitter& e) : EmitterPart(e) {}

// Without mask registers, or for numbers that are too narrow to gather and scatter, each access
// would need a branch. Inactive elements access a slot in the frame instead.
void ElementAccess::redirect_inactive_elements(llvm::Type* t, V* addresses, V* mask) {
  const auto* known = llvm::dyn_cast<llvm::Constant>(*mask);
  const bool masked = e_.mask_registers() && t->getScalarSizeInBits() >= 32;
  if (masked || e_.checked() || (known && known->isAllOnesValue())) return;
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

V ElementAccess::gather(llvm::Type* t, V addresses, V mask, llvm::MaybeAlign align) {
  redirect_inactive_elements(t, &addresses, &mask);
  return b_.CreateMaskedGather(b_.vector_of(t), addresses, align.value_or(b_.align_of(t)), mask,
                               llvm::Constant::getNullValue(b_.vector_of(t)));
}

void ElementAccess::scatter(llvm::Type* t, V addresses, V value, V mask, llvm::MaybeAlign align) {
  redirect_inactive_elements(t, &addresses, &mask);
  b_.CreateMaskedScatter(value, addresses, align.value_or(b_.align_of(t)), mask);
}

// Returns the addresses of one vector: a scalar base plus the differences, in 32 bits if they fit.
V ElementAccess::element_addresses(llvm::Type* t, V base, Id offset, int vector) {
  const Val& x = e_.value(offset);
  if (!x.stride) {
    const auto narrow = [&](Id v) {
      return b_.CreateTrunc(e_.vec(v, vector), b_.vector_of(b_.getInt32Ty()));
    };
    if (e_.fits_int32(offset)) return b_.CreateGEP(t, base, narrow(offset));
    // A row and an offset in it. In refill mode the operands of the offset are not available.
    const Inst& i = k_.insts[offset];
    if (i.op == nest::Opcode::Add && e_.divergence.mode != Mode::refill)
      for (int a : {0, 1})
        if (e_.variance(i.args[a]).uniform() && e_.variance(i.args[1 - a]).varying &&
            e_.fits_int32(i.args[1 - a]))
          return b_.CreateGEP(t, b_.CreateGEP(t, base, e_.scalar(i.args[a])),
                              narrow(i.args[1 - a]));
    return b_.CreateGEP(t, base, e_.vec(offset, vector));
  }
  const V first = b_.CreateGEP(t, base, e_.vector_base(x, vector));
  const bool neighbours = e_.positions.empty();
  const int64_t most = neighbours ? 1 << 26 : INT32_MAX / max_sort_points;
  if (const auto stride = b_.constant_int(x.stride); stride && *stride > -most && *stride < most) {
    const V step = b_.splat(b_.i32(static_cast<int32_t>(*stride)));
    const V steps = neighbours ? b_.iota(b_.getInt32Ty()) : e_.positions[vector];
    return b_.CreateGEP(t, first, b_.CreateMul(steps, step));
  }
  auto* n64 = b_.getInt64Ty();
  const V steps =
      neighbours ? b_.iota(n64) : b_.CreateZExt(e_.positions[vector], b_.vector_of(n64));
  return b_.CreateGEP(t, first, b_.CreateMul(steps, b_.splat(x.stride)));
}

V ElementAccess::reversed_load(llvm::Type* t, V first) {
  llvm::SmallVector<int, 64> pick;
  for (int l = 0; l < b_.vector_width; ++l) pick.push_back(b_.vector_width - 1 - l);
  const V all = b_.CreateAlignedLoad(
      b_.vector_of(t), b_.CreateGEP(t, first, b_.i64(1 - b_.vector_width)), b_.align_of(t));
  return b_.CreateShuffleVector(all, pick);
}

// Whole vectors cover the elements, and shuffles select them. The last vector starts early, so that
// nothing is read beyond the last element.
std::vector<V> ElementAccess::strided_loads(llvm::Type* t, V first, int64_t stride,
                                            const std::vector<int64_t>& fields, V end) {
  const int64_t width = b_.vector_width;
  const int64_t last = (width - 1) * stride + *std::ranges::max_element(fields);
  const auto start = [&](int64_t vector) {
    return end ? vector * width : std::min(vector * width, last + 1 - width);
  };
  std::map<int64_t, V> vectors;
  const auto load = [&](int64_t vector) {
    V& x = vectors[vector];
    if (x) return x;
    const V begin = b_.i64(start(vector));
    if (!end)
      return x = b_.CreateAlignedLoad(b_.vector_of(t), b_.CreateGEP(t, first, begin),
                                      b_.align_of(t));
    // A load of no element reads at the first one (see load_limited).
    const V at = b_.CreateSelect(b_.CreateICmpSLT(begin, end), begin, b_.i64(0));
    return x = b_.load_prefix(t, b_.CreateGEP(t, first, at), b_.CreateSub(end, begin));
  };
  std::vector<V> out;
  for (const int64_t field : fields) {
    V all = nullptr;
    for (int64_t l = 0; l < width;) {
      const int64_t vector = (l * stride + field) / width;
      // The elements before l are in their places.
      llvm::SmallVector<int, 64> pick;
      for (int64_t e = 0; e < l; ++e) pick.push_back(static_cast<int>(e));
      for (; l < width && (l * stride + field) / width == vector; ++l)
        pick.push_back(static_cast<int>((all ? width : 0) + l * stride + field - start(vector)));
      pick.resize(static_cast<size_t>(width), llvm::PoisonMaskElem);
      const V x = load(vector);
      all = all ? b_.CreateShuffleVector(all, x, pick) : b_.CreateShuffleVector(x, pick);
    }
    out.push_back(all);
  }
  return out;
}

bool ElementAccess::reads_together() const {
  return e_.all_active() && e_.positions.empty() && !e_.checked() &&
         e_.divergence.mode != Mode::refill;
}

// Describes an index that is uniform plus consecutive numbers, which constants limit: shifted rows,
// and the parts of concatenations.
std::optional<ElementAccess::Limited> ElementAccess::limited(llvm::Type* t, Id offset) {
  const bool masked = e_.mask_registers() || t->getScalarSizeInBits() >= 32;
  if (!masked || !reads_together()) return {};
  Limited all;
  bool limits = false;
  for (Id v = offset;;) {
    const Val& x = e_.value(v);
    if (x.stride) {
      all.numbers = v;
      return limits && b_.constant_int(x.stride) == 1 && all.low <= all.high ? std::optional(all)
                                                                             : std::nullopt;
    }
    const Inst& i = k_.insts[v];
    const bool adds = i.op == Opcode::Add && !limits;
    if (!adds && i.op != Opcode::SMin && i.op != Opcode::SMax) return {};
    const int uniform = e_.variance(i.args[0]).uniform() ? 0 : 1;
    const Id other = i.args[uniform];
    if (!e_.variance(other).uniform()) return {};
    v = i.args[1 - uniform];
    if (adds) {
      all.offsets.push_back(other);
      continue;
    }
    const Inst& limit = k_.insts[other];
    if (limit.op != Opcode::Const) return {};
    limits = true;
    if (i.op == Opcode::SMin)
      all.high = std::min<int64_t>(all.high, limit.imm);
    else
      all.low = std::max<int64_t>(all.low, limit.imm);
  }
}

// Loads the elements between the limits together. The others are the elements at the limits.
V ElementAccess::load_limited(llvm::Type* t, V base, const Limited& x, int vector) {
  for (Id v : x.offsets) base = b_.CreateGEP(t, base, e_.scalar(v));
  const V first = e_.vector_base(e_.value(x.numbers), vector);
  const V width = b_.i64(b_.vector_width), iota = b_.iota(b_.getInt32Ty());
  // Returns a vector of how many elements come before index i.
  const auto before = [&](int64_t i) {
    const V n = b_.CreateSub(b_.i64(i), first);
    const V few =
        b_.call(llvm::Intrinsic::smin, {b_.call(llvm::Intrinsic::smax, {n, b_.i64(0)}), width});
    return b_.splat(b_.CreateTrunc(few, b_.getInt32Ty()));
  };
  const auto at_limit = [&](int64_t i) {
    return b_.splat(b_.CreateAlignedLoad(t, b_.CreateGEP(t, base, b_.i64(i)), b_.align_of(t)));
  };
  V inside = e_.mask_of(vector), all = llvm::Constant::getNullValue(b_.vector_of(t));
  if (x.low > Limited::no_low) {
    const V below = b_.CreateICmpSLT(iota, before(x.low));
    inside = b_.CreateAnd(inside, b_.CreateNot(below));
    all = b_.CreateSelect(below, at_limit(x.low), all);
  }
  if (x.high < Limited::no_high) {
    const V above = b_.CreateICmpSGE(iota, before(x.high + 1));
    inside = b_.CreateAnd(inside, b_.CreateNot(above));
    all = b_.CreateSelect(above, at_limit(x.high), all);
  }
  // A masked load of no element outside of the array takes hundreds of cycles if its page is not
  // mapped. It reads at a limit instead.
  V at = first;
  if (x.low > Limited::no_low)
    at = b_.CreateSelect(b_.CreateICmpSLE(b_.CreateAdd(first, width), b_.i64(x.low)), b_.i64(x.low),
                         at);
  if (x.high < Limited::no_high)
    at = b_.CreateSelect(b_.CreateICmpSGT(first, b_.i64(x.high)), b_.i64(x.high), at);
  return b_.CreateMaskedLoad(b_.vector_of(t), b_.CreateGEP(t, base, at), b_.align_of(t), inside,
                             all);
}

// Points that are not neighbours have one access per element, rather than a gather or scatter, if
// all elements access memory. Measured with AVX-512: sorted options take a tenth less time, and
// rows of 16 floats a quarter less.
bool ElementAccess::accessed_one_by_one(const Val& offset) const {
  return offset.stride && !e_.positions.empty() && e_.active.empty();
}

// Returns the address of element l of a linear offset, where points are not neighbours.
V ElementAccess::address_at_position(llvm::Type* t, V first, const Val& offset, size_t l) {
  return b_.CreateGEP(t, first, b_.CreateMul(e_.position_elements[l], offset.stride));
}

V ElementAccess::load_elements(llvm::Type* t, V base, Id offset, int vector) {
  const Val& x = e_.value(offset);
  const llvm::Align align = b_.align_of(t);
  const int64_t s = e_.positions.empty() ? b_.constant_int(x.stride).value_or(0) : 0;
  if (s == 1) {
    const V first = b_.CreateGEP(t, base, e_.vector_base(x, vector));
    if (e_.active.empty()) return b_.CreateAlignedLoad(b_.vector_of(t), first, align);
    return b_.CreateMaskedLoad(b_.vector_of(t), first, align, e_.active[vector],
                               llvm::Constant::getNullValue(b_.vector_of(t)));
  }
  const bool shuffled = s >= 2 && s <= b_.vector_width / 2;
  if (e_.active.empty() && (s == -1 || shuffled)) {
    const V first = b_.CreateGEP(t, base, e_.vector_base(x, vector));
    return shuffled ? strided_loads(t, first, s, {0})[0] : reversed_load(t, first);
  }
  if (accessed_one_by_one(x)) {
    const V first = b_.CreateGEP(t, base, x.base);
    V all = llvm::PoisonValue::get(b_.vector_of(t));
    for (size_t l = 0; l < e_.position_elements.size(); ++l)
      all = b_.CreateInsertElement(
          all, b_.CreateAlignedLoad(t, address_at_position(t, first, x, l), align), l);
    return all;
  }
  if (!x.stride) {
    if (const auto l = limited(t, offset)) return load_limited(t, base, *l, vector);
    if (const auto w = window(t, offset, vector)) return load_window(t, base, *w);
    if (const auto w = pattern(t, offset)) return load_pattern(t, base, *w, vector);
    if (const auto w = rows_apart(offset)) return load_rows_apart(t, base, *w, vector);
  }
  return gather(t, element_addresses(t, base, offset, vector), e_.mask_of(vector));
}

// A non-temporal store needs whole aligned vectors. Buffers begin at a cache line and the grid is
// partitioned in whole lines. An address that is unaligned here is therefore unaligned in every
// trip.
void ElementAccess::store_non_temporal(V value, V at, V all_elements,
                                       const std::function<void()>& otherwise) {
  const auto bytes = std::min<uint64_t>(
      b_.module().getDataLayout().getTypeStoreSize(value->getType()), cache_line);
  const V low =
      b_.CreateAnd(b_.CreatePtrToInt(at, b_.getInt64Ty()), b_.i64(static_cast<int64_t>(bytes) - 1));
  V whole = b_.CreateICmpEQ(low, b_.i64(0));
  if (all_elements) whole = b_.CreateAnd(whole, all_elements);
  const auto non_temporal = [&] {
    mark_non_temporal(b_, b_.CreateAlignedStore(value, at, llvm::Align(bytes)));
  };
  b_.when(whole, non_temporal, otherwise);
}

void ElementAccess::store_elements(llvm::Type* t, V base, Id offset, int vector, V value,
                                   bool non_temporal) {
  const Val& x = e_.value(offset);
  const llvm::Align align = b_.align_of(t);
  if (e_.positions.empty() && b_.constant_int(x.stride) == 1) {
    const V first = b_.CreateGEP(t, base, e_.vector_base(x, vector));
    const auto plain = [&] {
      if (e_.active.empty())
        b_.CreateAlignedStore(value, first, align);
      else
        b_.CreateMaskedStore(value, first, align, e_.active[vector]);
    };
    if (!non_temporal) return plain();
    store_non_temporal(value, first,
                       e_.active.empty() ? nullptr : b_.CreateAndReduce(e_.active[vector]), plain);
    return;
  }
  if (accessed_one_by_one(x)) {
    const V first = b_.CreateGEP(t, base, x.base);
    for (size_t l = 0; l < e_.position_elements.size(); ++l)
      b_.CreateAlignedStore(b_.CreateExtractElement(value, l), address_at_position(t, first, x, l),
                            align);
    return;
  }
  if (const auto rows = x.stride ? std::nullopt : rows_apart(offset))
    return for_each_row(t, base, *rows, vector,
                        [&](V at, V mask) { b_.CreateMaskedStore(value, at, align, mask); });
  scatter(t, element_addresses(t, base, offset, vector), value, e_.mask_of(vector));
}

// Prefetches the next row where rows are read in several passes. The first pass waits for memory,
// the second computes on cached data. The next row is fetched during the second.
void ElementAccess::prefetch_next_row(Id load) {
  const auto n = s_.prefetch.find(load);
  if (n == s_.prefetch.end() || !e_.active.empty() || !e_.positions.empty()) return;
  const Inst& i = k_.insts[load];
  const Val& offset = e_.value(i.args[0]);
  if (!offset.stride) return;
  auto* t = ops_.memory_type(k_.buffers[i.imm].storage);
  for (int p = 0; p < e_.interleave; ++p) {
    const V at = b_.CreateAdd(e_.vector_base(offset, p), b_.i64(n->second));
    b_.prefetch(b_.CreateGEP(t, e_.buffers[i.imm], at));
  }
}

}  // namespace weft::compiler
