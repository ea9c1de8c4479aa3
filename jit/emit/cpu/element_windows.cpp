// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/cpu/element_windows.cpp: loads at quotients and remainders of an index, such as those of
// repeated elements, or of parts of short rows. The elements of a vector are few neighbours in
// memory, which one or two loads read and one instruction puts in place. A gather would access
// memory once per element.
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>

#include <algorithm>

#include "jit/emit/cpu/cpu_emitter.h"
#include "jit/schedule/nest_names.h"

namespace weft::compiler {

namespace {

// Returns true if v is x, x + 1, ... divided by constants: each number is the one before or the
// next.
bool is_quotient(const Kernel& k, const Divergence& d, Id v) {
  const Inst& i = k.insts[v];
  if (i.op != Opcode::SDiv || i.kind != Kind::I64 || k.insts[i.args[1]].op != Opcode::Const)
    return false;
  const nest::Variance& s = d.variance[i.args[0]];
  return (!s.varying && s.known && s.stride == 1) || is_quotient(k, d, i.args[0]);
}

}  // namespace

// Returns true if one instruction permutes a vector of these elements, or of two vectors.
bool ElementAccess::permutes(llvm::Type* t) const {
  const int width = b_.vector_width;
  return e_.mask_registers() && (width == 8 || width == 16) &&
         (t->getScalarSizeInBits() <= 32 || width == 8);
}

// Only elements that some point reads are read: all remainders occur if there are no more than
// elements in a vector.
std::optional<ElementAccess::Window> ElementAccess::window(llvm::Type* t, Id offset, int vector) {
  const unsigned width = static_cast<unsigned>(b_.vector_width);
  if (!permutes(t) || !reads_together()) return {};
  Window w;
  Id v = offset;
  while (k_.insts[v].op == Opcode::Add) {
    const Inst& i = k_.insts[v];
    const int uniform = e_.variance(i.args[0]).uniform() ? 0 : 1;
    if (!e_.variance(i.args[uniform]).uniform()) return {};
    w.offsets.push_back(i.args[uniform]);
    v = i.args[1 - uniform];
  }
  const Inst& i = k_.insts[v];
  const bool quotient = is_quotient(k_, e_.divergence, v);
  if (!quotient) {
    if (i.op != Opcode::SRem || !e_.active.empty() || k_.insts[i.args[1]].op != Opcode::Const)
      return {};
    const Variance& s = e_.variance(i.args[0]);
    const int64_t divisor = k_.insts[i.args[1]].imm;
    if (s.varying || !s.known || s.stride != 1 || divisor < 1 || divisor > width) return {};
  }
  const auto n = e_.neighbours(v, vector);
  if (!e_.is_divided(v) || !n || !llvm::isa<llvm::FixedVectorType>(n->differences->getType()))
    return {};
  w.base = n->base;
  w.differences = n->differences;
  if (quotient) {
    V last = w.differences;
    if (!e_.active.empty())
      last =
          b_.CreateSelect(e_.active[vector], last, llvm::Constant::getNullValue(last->getType()));
    last = e_.active.empty() ? b_.CreateExtractElement(last, uint64_t{width - 1})
                             : b_.CreateIntMaxReduce(last, /*IsSigned=*/false);
    w.count = b_.CreateAdd(b_.CreateZExt(last, b_.getInt64Ty()), b_.i64(1));
  } else {
    w.count = b_.i64(k_.insts[i.args[1]].imm);
  }
  return w;
}

V ElementAccess::load_window(llvm::Type* t, V base, const Window& w) {
  for (Id v : w.offsets) base = b_.CreateGEP(t, base, e_.scalar(v));
  base = b_.CreateGEP(t, base, w.base);
  return permuted(t, {b_.load_prefix(t, base, w.count)}, w.differences);
}

// Registers are permuted by elements of 32 or 64 bits.
V ElementAccess::permuted(llvm::Type* t, const std::vector<V>& vectors, V places) {
  const unsigned bits = t->getScalarSizeInBits();
  auto* number = b_.getIntNTy(bits < 32 ? 32 : bits);
  Vs in;
  for (V x : vectors)
    in.push_back(bits < 32 ? b_.CreateZExt(b_.CreateBitCast(x, b_.vector_of(b_.getIntNTy(bits))),
                                           b_.vector_of(number))
                           : b_.CreateBitCast(x, b_.vector_of(number)));
  const V at = b_.CreateZExtOrTrunc(places, b_.vector_of(number));
  const bool quad = number->getBitWidth() == 64, wide = b_.vector_width == 16;
  V out;
  if (in.size() == 1)
    out = b_.call(wide   ? llvm::Intrinsic::x86_avx512_permvar_si_512
                  : quad ? llvm::Intrinsic::x86_avx512_permvar_di_512
                         : llvm::Intrinsic::x86_avx2_permd,
                  {}, {in[0], at});
  else
    out = b_.call(wide   ? llvm::Intrinsic::x86_avx512_vpermi2var_d_512
                  : quad ? llvm::Intrinsic::x86_avx512_vpermi2var_q_512
                         : llvm::Intrinsic::x86_avx512_vpermi2var_d_256,
                  {}, {in[0], at, in[1]});
  return b_.CreateBitCast(bits < 32 ? b_.CreateTrunc(out, b_.vector_of(b_.getIntNTy(bits))) : out,
                          b_.vector_of(t));
}

std::optional<ElementAccess::Pattern> ElementAccess::pattern(llvm::Type* t, Id offset) {
  constexpr int64_t longest = 64;  // period: a table of 4 KB
  if (!permutes(t) || !reads_together() || !e_.active.empty()) return {};
  const auto known = periodic_offset(k_, e_.divergence, offset, longest);
  if (!known || e_.range(known->index).low < 0) return {};
  Pattern x;
  x.offset = *known;
  const int64_t width = b_.vector_width;
  for (int64_t start = 0; start < known->period; ++start) {
    int64_t low = known->at(start), high = low;
    for (int64_t l = 1; l < width; ++l) {
      low = std::min(low, known->at(start + l));
      high = std::max(high, known->at(start + l));
    }
    x.first.push_back(low);
    x.count.push_back(high - low + 1);
  }
  x.fewest = *std::ranges::min_element(x.count);
  x.most = *std::ranges::max_element(x.count);
  return x.most <= 2 * width ? std::optional(x) : std::nullopt;
}

// Moves the base to the period of the first element of the vector, and returns that element's index
// in the period.
V ElementAccess::enter_period(llvm::Type* t, V* base, const PeriodicOffset& o, int vector) {
  const V index = e_.vector_base(e_.value(o.index), vector);
  const V periods = b_.CreateUDiv(index, b_.i64(o.period));
  const V start = b_.CreateSub(index, b_.CreateMul(periods, b_.i64(o.period)));
  for (Id v : o.uniform) *base = b_.CreateGEP(t, *base, e_.scalar(v));
  *base = b_.CreateGEP(t, *base, b_.CreateMul(periods, b_.i64(o.advance)));
  return start;
}

// The index of the first element in its period gives the places of all elements. It also gives the
// elements of memory that they read.
V ElementAccess::load_pattern(llvm::Type* t, V base, const Pattern& x, int vector) {
  const PeriodicOffset& o = x.offset;
  const int64_t width = b_.vector_width;
  auto *n32 = b_.getInt32Ty(), *n64 = b_.getInt64Ty();
  const V start = enter_period(t, &base, o, vector);
  const auto known = [&](const std::vector<int64_t>& values) {
    return b_.CreateLoad(n64, b_.CreateGEP(n64, b_.constant_array(values, n64, "pattern"), start));
  };
  base = b_.CreateGEP(t, base, known(x.first));
  std::vector<int64_t> places;
  for (int64_t s = 0; s < o.period; ++s)
    for (int64_t l = 0; l < width; ++l)
      places.push_back(o.at(s + l) - x.first[static_cast<size_t>(s)]);
  const V rows = b_.constant_array(places, n32, "pattern");
  const V at = b_.CreateAlignedLoad(b_.vector_of(n32), b_.CreateGEP(b_.vector_of(n32), rows, start),
                                    b_.align_of(n32));
  const auto load = [&](V from, int64_t before) -> V {
    const V place = b_.CreateGEP(t, base, from);
    if (x.fewest >= before + width)
      return b_.CreateAlignedLoad(b_.vector_of(t), place, b_.align_of(t));
    return b_.load_prefix(t, place, b_.CreateSub(known(x.count), b_.i64(before)));
  };
  std::vector<V> vectors{load(b_.i64(0), 0)};
  if (x.most > width) {
    // A load of no element reads at the first one (see load_limited).
    const V second = x.fewest > width
                         ? b_.i64(width)
                         : b_.CreateSelect(b_.CreateICmpSGT(known(x.count), b_.i64(width)),
                                           b_.i64(width), b_.i64(0));
    vectors.push_back(load(second, width));
  }
  return permuted(t, vectors, at);
}

// Rows of fewer elements would take more accesses than a gather takes time for.
std::optional<PeriodicOffset> ElementAccess::rows_apart(Id offset) {
  constexpr int64_t shortest = 4, longest = 64;
  if (!e_.mask_registers() || !reads_together()) return {};
  auto known = periodic_offset(k_, e_.divergence, offset, longest);
  if (!known || known->period < shortest || e_.range(known->index).low < 0) return {};
  // Otherwise a vector would begin before the array, where a page may be missing.
  if (known->advance < known->period) return {};
  for (int64_t x = 0; x < known->period; ++x)
    if (known->values[static_cast<size_t>(x)] != known->values[0] + x) return {};
  return known;
}

// Calls access(at, mask) for each row of which the vector may hold elements: those of the mask.
// Element l would be at at + l.
void ElementAccess::for_each_row(llvm::Type* t, V base, const PeriodicOffset& o, int vector,
                                 const std::function<void(V at, V mask)>& access) {
  auto* n32 = b_.getInt32Ty();
  const V start = enter_period(t, &base, o, vector);
  base = b_.CreateGEP(t, base, b_.CreateAdd(start, b_.i64(o.values[0])));
  const V place = b_.CreateAdd(b_.splat(b_.CreateTrunc(start, n32)), b_.iota(n32));
  const auto limit = [&](int64_t row) {
    return b_.splat(b_.i32(static_cast<int32_t>(row * o.period)));
  };
  const int64_t touched = (o.period + b_.vector_width - 2) / o.period + 1;
  for (int64_t r = 0; r < touched; ++r) {
    V mask = b_.CreateICmpSLT(place, limit(r + 1));
    if (r > 0) mask = b_.CreateAnd(mask, b_.CreateICmpSGE(place, limit(r)));
    if (!e_.active.empty()) mask = b_.CreateAnd(mask, e_.active[vector]);
    // A row without elements is accessed where the first one is. An access to a missing page takes
    // long even if its mask is empty.
    const V any = b_.CreateICmpSGT(start, b_.i64(r * o.period - b_.vector_width));
    const V from = b_.CreateSelect(any, b_.i64(r * (o.advance - o.period)), b_.i64(0));
    access(b_.CreateGEP(t, base, r > 0 ? from : b_.i64(0)), mask);
  }
}

V ElementAccess::load_rows_apart(llvm::Type* t, V base, const PeriodicOffset& o, int vector) {
  V all = llvm::Constant::getNullValue(b_.vector_of(t));
  for_each_row(t, base, o, vector, [&](V at, V mask) {
    all = b_.CreateMaskedLoad(b_.vector_of(t), at, b_.align_of(t), mask, all);
  });
  return all;
}

}  // namespace weft::compiler
