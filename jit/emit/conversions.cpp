// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/conversions.cpp: conversions between kinds, the narrow floats, and an exact fmod for
// targets without a C library.
#include <llvm/IR/Intrinsics.h>

#include <cmath>

#include "jit/emit/operations.h"
#include "jit/schedule/nest_names.h"
#include "weft/error.h"

namespace weft::compiler {

V Operations::convert(Opcode op, Kind k, V x) {
  auto* t = b_.like(x, type(k));
  switch (op) {
    case Opcode::FToS: return saturate(x, t, true);
    case Opcode::FToU: return saturate(x, t, false);
    case Opcode::SToF: return b_.CreateSIToFP(x, t);
    case Opcode::UToF: return b_.CreateUIToFP(x, t);
    case Opcode::FConv: return b_.CreateFPCast(x, t);
    case Opcode::SExt: return b_.CreateSExtOrTrunc(x, t);
    case Opcode::MaskToInt:
    case Opcode::ZExt: return b_.CreateZExtOrTrunc(x, t);
    case Opcode::Narrow: return b_.CreateTrunc(x, t);
    case Opcode::Bitcast: return b_.CreateBitCast(x, t);
    case Opcode::RoundBF16: return bfloat_to_float(float_to_bfloat(x));
    case Opcode::RoundF16: return half_to_float(float_to_half(x));
    default: throw InternalError("an instruction that is not arithmetic reached arith()");
  }
}

// LLVM's saturating conversions of vectors run element by element.
V Operations::saturate(V x, llvm::Type* t, bool is_signed) {
  if (!t->isVectorTy())
    return b_.call(is_signed ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat,
                   {t, x->getType()}, {x});
  const unsigned bits = t->getScalarSizeInBits(),
                 digits = x->getType()->getScalarType()->isFloatTy() ? 24 : 53;
  const auto real = [&](double v) { return llvm::ConstantFP::get(x->getType(), v); };
  const double above = std::ldexp(1.0, static_cast<int>(is_signed ? bits - 1 : bits)),
               least = is_signed ? -above : 0.0;
  const V number = b_.CreateSelect(b_.CreateFCmpORD(x, x), x, real(0));
  if (bits <= digits) {
    // Both limits are floats: clamp, and convert through a width that the machine supports.
    V y = b_.CreateSelect(b_.CreateFCmpOGT(number, real(least)), number, real(least));
    y = b_.CreateSelect(b_.CreateFCmpOLT(y, real(above - 1)), y, real(above - 1));
    if (bits == 32) return is_signed ? b_.CreateFPToSI(y, t) : b_.CreateFPToUI(y, t);
    return b_.CreateTrunc(b_.CreateFPToSI(y, b_.like(x, b_.getInt32Ty())), t);
  }
  const V high = b_.CreateFCmpOGE(number, real(above));
  const V y =
      b_.CreateSelect(b_.CreateOr(high, b_.CreateFCmpOLT(number, real(least))), real(0), number);
  const V inside = is_signed ? b_.CreateFPToSI(y, t) : b_.CreateFPToUI(y, t);
  const auto top =
      is_signed ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getMaxValue(bits);
  const auto bottom =
      is_signed ? llvm::APInt::getSignedMinValue(bits) : llvm::APInt::getMinValue(bits);
  const V low = b_.CreateSelect(b_.CreateFCmpOLT(number, real(least)),
                                llvm::ConstantInt::get(t, bottom), inside);
  return b_.CreateSelect(high, llvm::ConstantInt::get(t, top), low);
}

V Operations::bfloat_to_float(V bits) {
  const V wide = b_.CreateShl(b_.CreateZExt(bits, b_.like(bits, b_.getInt32Ty())), 16);
  return b_.CreateBitCast(wide, b_.like(bits, b_.getFloatTy()));
}

// Rounds to nearest even by adding half a unit, minus one if the last kept bit is even. A NaN stays
// a NaN.
V Operations::float_to_bfloat(V x) {
  auto* i32s = b_.like(x, b_.getInt32Ty());
  const V bits = b_.CreateBitCast(x, i32s);
  const V odd = b_.CreateAnd(b_.CreateLShr(bits, 16), 1);
  const V rounded = b_.CreateLShr(
      b_.CreateAdd(b_.CreateAdd(bits, llvm::ConstantInt::get(i32s, 0x7fff)), odd), 16);
  const V nan = b_.CreateOr(b_.CreateLShr(bits, 16), llvm::ConstantInt::get(i32s, 0x40));
  return b_.CreateTrunc(b_.CreateSelect(b_.CreateFCmpUNO(x, x), nan, rounded),
                        b_.like(x, b_.getInt16Ty()));
}

V Operations::half_to_float(V bits) {
  auto* f = b_.like(bits, b_.getFloatTy());
  auto* i32s = b_.like(bits, b_.getInt32Ty());
  if (features_.half)
    return b_.CreateFPExt(b_.CreateBitCast(bits, b_.like(bits, b_.getHalfTy())), f);
  const auto c = [&](uint32_t v) { return llvm::ConstantInt::get(i32s, v); };
  const V wide = b_.CreateZExt(bits, i32s);
  const V sign = b_.CreateShl(b_.CreateAnd(wide, c(0x8000)), 16);
  const V rest = b_.CreateAnd(wide, c(0x7fff));
  // Subnormals are multiples of 2^-24. For other values the exponent shifts, for infinities twice
  // as far.
  const V tiny = b_.CreateBitCast(
      b_.CreateFMul(b_.CreateSIToFP(rest, f), llvm::ConstantFP::get(f, 0x1p-24)), i32s);
  const V shift = b_.CreateSelect(b_.CreateICmpUGE(rest, c(0x7c00)), c(224u << 23), c(112u << 23));
  const V normal = b_.CreateAdd(b_.CreateShl(rest, 13), shift);
  const V all = b_.CreateSelect(b_.CreateICmpULT(rest, c(0x400)), tiny, normal);
  return b_.CreateBitCast(b_.CreateOr(all, sign), f);
}

V Operations::float_to_half(V x) {
  auto* f = x->getType();
  auto* i16s = b_.like(x, b_.getInt16Ty());
  auto* i32s = b_.like(x, b_.getInt32Ty());
  if (features_.half)
    return b_.CreateBitCast(b_.CreateFPTrunc(x, b_.like(x, b_.getHalfTy())), i16s);
  const auto c = [&](uint32_t v) { return llvm::ConstantInt::get(i32s, v); };
  const V bits = b_.CreateBitCast(x, i32s);
  const V sign = b_.CreateAnd(b_.CreateLShr(bits, 16), c(0x8000));
  const V rest = b_.CreateAnd(bits, c(0x7fffffff));
  // Adding 0.5 to a value below 2^-14 makes the adder round it to a multiple of 2^-24.
  const V moved = b_.CreateFAdd(b_.CreateBitCast(rest, f), llvm::ConstantFP::get(f, 0.5));
  const V tiny = b_.CreateSub(b_.CreateBitCast(moved, i32s), c(0x3f000000));
  const V odd = b_.CreateAnd(b_.CreateLShr(rest, 13), c(1));
  const V normal = b_.CreateLShr(b_.CreateAdd(b_.CreateAdd(rest, c(0xc8000fff)), odd), 13);
  const V huge = b_.CreateSelect(b_.CreateICmpUGT(rest, c(0x7f800000)), c(0x7e00), c(0x7c00));
  V all = b_.CreateSelect(b_.CreateICmpULT(rest, c(0x38800000)), tiny, normal);
  all = b_.CreateSelect(b_.CreateICmpUGE(rest, c(0x47800000)), huge, all);
  return b_.CreateTrunc(b_.CreateOr(all, sign), i16s);
}

// fmod by long division: the significand of |a| is shifted up bit by bit until it has the exponent
// of b, and b's is subtracted wherever it fits. Outline:
// - Both magnitudes become significand * 2^exponent, normalized, with a significand below
//   2^(bits+1).
// - For each step of the exponent difference: a -= b if a >= b; a <<= 1.
// - The remainder is normalized, and gets its exponent and the sign of a.
// The last step multiplies by powers of two. It is exact because the remainder is a multiple of b's
// last bit.
llvm::Function* Operations::float_rem_function(llvm::Type* t) {
  const std::string name = t->isFloatTy() ? "weft_fmodf" : "weft_fmod";
  if (auto* f = b_.module().getFunction(name)) return f;
  auto* f = llvm::Function::Create(llvm::FunctionType::get(t, {t, t}, false),
                                   llvm::Function::InternalLinkage, name, b_.module());
  const llvm::IRBuilderBase::InsertPointGuard guard(b_);
  llvm::Function* const outer = b_.exchange_function(f);
  const unsigned digits = t->isFloatTy() ? 23 : 52;
  auto* n = b_.getIntNTy(t->isFloatTy() ? 32 : 64);
  const auto c = [&](uint64_t v) { return llvm::ConstantInt::get(n, v); };
  const uint64_t lead = uint64_t{1} << digits, exponents = t->isFloatTy() ? 0xff : 0x7ff;
  b_.insert_at(b_.block("entry"));
  const V a = b_.CreateBitCast(f->getArg(0), n),
          sign_bit = c(t->isFloatTy() ? uint64_t{1} << 31 : uint64_t{1} << 63);
  const V x = b_.CreateAnd(a, b_.CreateNot(sign_bit)),
          y = b_.CreateAnd(b_.CreateBitCast(f->getArg(1), n), b_.CreateNot(sign_bit));
  auto* special = b_.block("special");
  auto* usual = b_.block("usual");
  const V infinite = c(exponents << digits);
  V bad = b_.CreateOr(b_.CreateICmpUGE(x, infinite), b_.CreateICmpUGT(y, infinite));
  bad = b_.CreateOr(bad, b_.CreateICmpEQ(y, c(0)));
  b_.CreateCondBr(b_.CreateOr(bad, b_.CreateICmpULT(x, y)), special, usual);
  b_.insert_at(special);
  b_.CreateRet(b_.CreateSelect(bad, llvm::ConstantFP::getNaN(t), f->getArg(0)));
  b_.insert_at(usual);
  // The significand with its leading bit at `digits`, and the exponent (1 for the smallest normal).
  const auto split = [&](V v) {
    const V e = b_.CreateLShr(v, digits), m = b_.CreateAnd(v, c(lead - 1));
    const V normal = b_.CreateICmpNE(e, c(0));
    const V zeros = b_.CreateSub(b_.call(llvm::Intrinsic::ctlz, {m, b_.getFalse()}),
                                 c(n->getBitWidth() - 1 - digits));
    const V shift = b_.CreateSelect(normal, c(0), zeros);
    const V full = b_.CreateSelect(normal, b_.CreateOr(m, c(lead)), m);
    return std::pair<V, V>{b_.CreateShl(full, shift),
                           b_.CreateSub(b_.CreateSelect(normal, e, c(1)), shift)};
  };
  const auto [mx, ex] = split(x);
  const auto [my, ey] = split(y);
  const auto reduce = [&, my = my](V m) {
    return b_.CreateSelect(b_.CreateICmpUGE(m, my), b_.CreateSub(m, my), m);
  };
  const IrBuilder::Loop l =
      b_.loop("digit", c(0), b_.CreateSub(ex, ey), c(1), {mx},
              [&](V, const Vs& m) { return Vs{b_.CreateShl(reduce(m[0]), 1)}; });
  const V rest = reduce(l.carry[0]);
  // The result is rest * 2^(ey - bias - digits). It is normalized, and then either its exponent is
  // set or it is shifted into a subnormal.
  const V zeros = b_.CreateSub(b_.call(llvm::Intrinsic::ctlz, {rest, b_.getFalse()}),
                               c(n->getBitWidth() - 1 - digits));
  const V m = b_.CreateShl(rest, zeros), e = b_.CreateSub(ey, zeros);
  const V normal = b_.CreateOr(b_.CreateAnd(m, c(lead - 1)), b_.CreateShl(e, digits));
  const V down = b_.call(llvm::Intrinsic::smin, {b_.CreateSub(c(1), e), c(digits + 1)});
  const V tiny = b_.CreateLShr(m, b_.call(llvm::Intrinsic::smax, {down, c(0)}));
  V bits = b_.CreateSelect(b_.CreateICmpSGE(e, c(1)), normal, tiny);
  bits = b_.CreateSelect(b_.CreateICmpEQ(rest, c(0)), c(0), bits);
  b_.CreateRet(b_.CreateBitCast(b_.CreateOr(bits, b_.CreateAnd(a, sign_bit)), t));
  b_.exchange_function(outer);
  return f;
}

}  // namespace weft::compiler
