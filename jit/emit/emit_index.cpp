// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/emit_index.cpp: ranges and division of grid indices. Machines divide no vectors of
// 64-bit integers, but the lanes of an index are neighbours, so one scalar division and a little
// 32-bit arithmetic do.
#include <llvm/IR/Intrinsics.h>

#include <algorithm>

#include "weft/jit/emit/emit.h"

namespace weft::compiler {

using nest::Id;
using nest::Inst;
using nest::Opcode;

namespace {

constexpr Range everything{INT64_MIN, INT64_MAX};
constexpr int64_t longest_axis = int64_t{1} << 40;

Range of_kind(nest::Kind kd, bool is_signed) {
  const int w = kd == nest::Kind::Mask  ? 1
                : kd == nest::Kind::I8  ? 8
                : kd == nest::Kind::I16 ? 16
                : kd == nest::Kind::I32 ? 32
                                        : 64;
  if (w == 64) return everything;
  return is_signed ? Range{-(int64_t{1} << (w - 1)), (int64_t{1} << (w - 1)) - 1}
                   : Range{0, (int64_t{1} << w) - 1};
}

Range product(const Range& x, const Range& y) {
  Range out{INT64_MAX, INT64_MIN};
  for (int64_t p : {x.low, x.high})
    for (int64_t q : {y.low, y.high}) {
      int64_t r = 0;
      if (__builtin_mul_overflow(p, q, &r)) return everything;
      out = {std::min(out.low, r), std::max(out.high, r)};
    }
  return out;
}

Range sum(const Range& x, const Range& y) {
  Range out{};
  if (__builtin_add_overflow(x.low, y.low, &out.low) ||
      __builtin_add_overflow(x.high, y.high, &out.high))
    return everything;
  return out;
}

}  // namespace

Range range_of(const nest::Kernel& k, Id v, int depth) {
  const Inst& i = k.insts[v];
  if (i.op == Opcode::Index || i.op == Opcode::Extent) return {0, longest_axis};
  if (i.op == Opcode::Const) return i.kind == nest::Kind::I64 ? Range{i.imm, i.imm} : everything;
  if (i.op == Opcode::SExt || i.op == Opcode::ZExt || i.op == Opcode::MaskToInt)
    return of_kind(k.insts[i.args[0]].kind, i.op == Opcode::SExt);
  if (depth == 0 || i.kind != nest::Kind::I64 || i.args.size() < 2 || i.op > Opcode::Select)
    return everything;
  const Range y = range_of(k, i.args[1], depth - 1);
  if (i.op == Opcode::And && y.low >= 0) return {0, y.high};
  if (i.op == Opcode::Select) {
    const Range z = range_of(k, i.args[2], depth - 1);
    return {std::min(y.low, z.low), std::max(y.high, z.high)};
  }
  const Range x = range_of(k, i.args[0], depth - 1);
  switch (i.op) {
    case Opcode::Add: return sum(x, y);
    case Opcode::Sub: return y.low == INT64_MIN ? everything : sum(x, {-y.high, -y.low});
    case Opcode::Mul: return product(x, y);
    case Opcode::SMin: return {std::min(x.low, y.low), std::min(x.high, y.high)};
    case Opcode::SMax: return {std::max(x.low, y.low), std::max(x.high, y.high)};
    default: return everything;
  }
}

// Division or remainder of base, base + 1, ... by d: lanes in front of the first multiple of d
// share the quotient of lane 0; the others count on from there, below the number of lanes, where
// x / d is x * (2^16 / d, rounded up) >> 16.
bool Emitter::divide_linear(Id v) {
  const Inst& i = k_.insts[v];
  const Variance& s = variance(i.args[0]);
  const bool division = i.op == Opcode::SDiv || i.op == Opcode::UDiv,
             remainder = i.op == Opcode::SRem || i.op == Opcode::URem;
  if (!(division || remainder) || i.kind != nest::Kind::I64 || s.varying || !s.known ||
      s.stride != 1)
    return false;
  const auto small = [&](Id a) {
    const Range r = range_of(k_, a);
    return r.low >= 0 && r.high < (int64_t{1} << 62);
  };
  if (!variance(i.args[1]).uniform() || !small(i.args[0]) || !small(i.args[1])) return false;
  auto *n32 = b_.getInt32Ty(), *n64 = b_.getInt64Ty();
  const V d = scalar(i.args[1]), zero = b_.CreateICmpEQ(d, i64(0));
  const V divisor = call(llvm::Intrinsic::umax, {n64}, {d, i64(1)});
  const V few = b_.CreateTrunc(call(llvm::Intrinsic::umin, {n64}, {divisor, i64(lanes_)}), n32);
  const V inverse = b_.CreateUDiv(b_.CreateAdd(few, i32(0xffff)), few);
  Vs packs;
  for (int p = 0; p < packs_; ++p) {
    const V base = pack_base(values_[i.args[0]], p);
    const V q = b_.CreateUDiv(base, divisor), r = b_.CreateSub(base, b_.CreateMul(q, divisor));
    const V room = b_.CreateTrunc(
        call(llvm::Intrinsic::umin, {n64}, {b_.CreateSub(divisor, r), i64(lanes_)}), n32);
    const V past = b_.CreateSub(iota(n32), splat(room));
    const V wrapped = b_.CreateICmpSGE(past, splat(i32(0)));
    const V more = b_.CreateLShr(b_.CreateMul(past, splat(inverse)), splat(i32(16)));
    if (division) {
      const V step = b_.CreateSelect(wrapped, b_.CreateAdd(more, splat(i32(1))), splat(i32(0)));
      const V all = b_.CreateAdd(splat(q), b_.CreateZExt(step, vector_of(n64)));
      packs.push_back(b_.CreateSelect(zero, splat(i64(-1)), all));
    } else {
      const V rest = b_.CreateSub(past, b_.CreateMul(more, splat(few)));
      const V all = b_.CreateSelect(wrapped, b_.CreateZExt(rest, vector_of(n64)),
                                    b_.CreateAdd(splat(r), iota(n64)));
      packs.push_back(b_.CreateSelect(zero, linear_vec(values_[i.args[0]], p, n64), all));
    }
  }
  set_packs(v, std::move(packs));
  return true;
}

}  // namespace weft::compiler
