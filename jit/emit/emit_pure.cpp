// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/emit_pure.cpp: instructions that only compute, and the division of grid indices. CPUs
// cannot divide vectors of 64-bit integers. The elements of an index are neighbours, so one scalar
// division and some 32-bit arithmetic suffice.
#include <llvm/IR/Intrinsics.h>

#include <algorithm>

#include "jit/emit/emit.h"
#include "jit/schedule/nest_names.h"
#include "weft/error.h"

namespace weft::compiler {

const nest::Range& Emitter::range(Id v) {
  if (ranges_.empty()) ranges_ = nest::ranges_of(k_);
  return ranges_[v];
}

void Emitter::emit_pure(nest::Id v) {
  const Inst& i = k_.insts[v];
  const Variance& s = variance(v);
  if (i.op == Opcode::Const) {
    llvm::Constant* bits = llvm::ConstantInt::get(
        b_.getIntNTy(ops_.type(i.kind)->getScalarSizeInBits()), static_cast<uint64_t>(i.imm));
    return set(v, llvm::ConstantExpr::getBitCast(bits, ops_.type(i.kind)));
  }
  if (i.op == Opcode::Extent) return set(v, extents_[i.imm]);
  if (i.op == Opcode::Index) {
    if (s.varying) return set_vectors(v, index_vectors_[i.imm]);
    values_[v] = Val{indices_[i.imm], s.uniform() ? nullptr : b_.i64(1), {}, nullptr};
    return;
  }
  if ((s.linear() && emit_linear(v)) || divide_linear(v)) return;
  Vs a;
  if (!s.varying) {
    for (nest::Id arg : i.args) a.push_back(scalar(arg));
    return set(v, ops_.arith(i.op, i.kind, a));
  }
  Vs vectors;
  for (int p = 0; p < interleave_; ++p) {
    a.clear();
    const bool narrow = i.op == Opcode::Narrow && variance(i.args[0]).linear();
    if (narrow) {
      vectors.push_back(linear_vec(values_[i.args[0]], p, ops_.type(i.kind)));
      continue;
    }
    for (nest::Id arg : i.args) {
      const bool whole = a.empty() && i.op == Opcode::Select && variance(arg).uniform();
      a.push_back(whole ? scalar(arg) : vec(arg, p));
    }
    vectors.push_back(ops_.arith(i.op, i.kind, a));
  }
  set_vectors(v, std::move(vectors));
}

// The base follows the instruction, and the stride follows its effect on differences.
bool Emitter::emit_linear(nest::Id v) {
  const Inst& i = k_.insts[v];
  Vs a;
  for (nest::Id arg : i.args) a.push_back(scalar(arg));
  const V base = ops_.arith(i.op, i.kind, a);
  V stride = nullptr;
  switch (i.op) {
    case Opcode::Add: stride = b_.CreateAdd(stride_of(i.args[0]), stride_of(i.args[1])); break;
    case Opcode::Sub: stride = b_.CreateSub(stride_of(i.args[0]), stride_of(i.args[1])); break;
    case Opcode::Neg: stride = b_.CreateNeg(stride_of(i.args[0])); break;
    case Opcode::Mul:
      stride = variance(i.args[1]).uniform() ? b_.CreateMul(stride_of(i.args[0]), a[1])
                                             : b_.CreateMul(a[0], stride_of(i.args[1]));
      break;
    case Opcode::Shl: stride = b_.CreateShl(stride_of(i.args[0]), a[1]); break;
    case Opcode::Select: stride = stride_of(i.args[1]); break;
    default: throw InternalError("no linear form of this instruction");
  }
  if (variance(v).known) stride = b_.i64(variance(v).stride);
  values_[v] = Val{base, stride, {}, nullptr};
  return true;
}

// Divides base, base + 1, ... by d, or computes the remainders. Elements before the first multiple
// of d share the quotient of element 0. The distance x of the others from that multiple is less
// than the number of elements. For such x, x / d is x * (2^16 / d, rounded up) >> 16.
bool Emitter::divide_linear(Id v) {
  const Inst& i = k_.insts[v];
  const Variance& s = variance(i.args[0]);
  const bool division = i.op == Opcode::SDiv || i.op == Opcode::UDiv,
             remainder = i.op == Opcode::SRem || i.op == Opcode::URem;
  if (machine_.gpu || !(division || remainder) || i.kind != nest::Kind::I64 || s.varying ||
      !s.known || s.stride != 1)
    return false;
  const auto small = [&](Id a) {
    const nest::Range& r = range(a);
    return r.low >= 0 && r.high < (int64_t{1} << 62);
  };
  if (!variance(i.args[1]).uniform() || !small(i.args[0]) || !small(i.args[1])) return false;
  auto *n32 = b_.getInt32Ty(), *n64 = b_.getInt64Ty();
  const V d = scalar(i.args[1]), zero = b_.CreateICmpEQ(d, b_.i64(0));
  const V divisor = b_.call(llvm::Intrinsic::umax, {d, b_.i64(1)});
  const V few =
      b_.CreateTrunc(b_.call(llvm::Intrinsic::umin, {divisor, b_.i64(b_.vector_width)}), n32);
  const V inverse = b_.CreateUDiv(b_.CreateAdd(few, b_.i32(0xffff)), few);
  Vs vectors;
  for (int p = 0; p < interleave_; ++p) {
    const V base = vector_base(values_[i.args[0]], p);
    const V q = b_.CreateUDiv(base, divisor), r = b_.CreateSub(base, b_.CreateMul(q, divisor));
    const V room = b_.CreateTrunc(
        b_.call(llvm::Intrinsic::umin, {b_.CreateSub(divisor, r), b_.i64(b_.vector_width)}), n32);
    const V past = b_.CreateSub(b_.iota(n32), b_.splat(room));
    const V wrapped = b_.CreateICmpSGE(past, b_.splat(b_.i32(0)));
    const V more = b_.CreateLShr(b_.CreateMul(past, b_.splat(inverse)), b_.splat(b_.i32(16)));
    if (division) {
      const V step =
          b_.CreateSelect(wrapped, b_.CreateAdd(more, b_.splat(b_.i32(1))), b_.splat(b_.i32(0)));
      const V all = b_.CreateAdd(b_.splat(q), b_.CreateZExt(step, b_.vector_of(n64)));
      vectors.push_back(b_.CreateSelect(zero, b_.splat(b_.i64(-1)), all));
    } else {
      const V rest = b_.CreateSub(past, b_.CreateMul(more, b_.splat(few)));
      const V all = b_.CreateSelect(wrapped, b_.CreateZExt(rest, b_.vector_of(n64)),
                                    b_.CreateAdd(b_.splat(r), b_.iota(n64)));
      vectors.push_back(b_.CreateSelect(zero, linear_vec(values_[i.args[0]], p, n64), all));
    }
  }
  set_vectors(v, std::move(vectors));
  return true;
}

}  // namespace weft::compiler
