// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/operations.cpp: arithmetic, and the numbers in memory.
#include "jit/emit/operations.h"

#include <llvm/IR/Intrinsics.h>

#include "jit/schedule/nest_names.h"
#include "weft/error.h"

namespace weft::compiler {

using llvm::Intrinsic::ID;

namespace {

bool is_float(V x) { return x->getType()->isFPOrFPVectorTy(); }
unsigned width(V x) { return x->getType()->getScalarSizeInBits(); }
V constant(V like, uint64_t bits) { return llvm::ConstantInt::get(like->getType(), bits); }
V ones(V like) { return llvm::Constant::getAllOnesValue(like->getType()); }
V signed_min(V like) {
  return llvm::ConstantInt::get(like->getType(), llvm::APInt::getSignedMinValue(width(like)));
}

ID unary_intrinsic(Opcode op) {
  switch (op) {
    case Opcode::Sqrt: return llvm::Intrinsic::sqrt;
    case Opcode::Floor: return llvm::Intrinsic::floor;
    case Opcode::Ceil: return llvm::Intrinsic::ceil;
    case Opcode::Trunc: return llvm::Intrinsic::trunc;
    case Opcode::RoundEven: return llvm::Intrinsic::roundeven;
    case Opcode::Popcount: return llvm::Intrinsic::ctpop;
    default: return llvm::Intrinsic::not_intrinsic;
  }
}

ID binary_intrinsic(Opcode op) {
  switch (op) {
    case Opcode::SMin: return llvm::Intrinsic::smin;
    case Opcode::SMax: return llvm::Intrinsic::smax;
    case Opcode::UMin: return llvm::Intrinsic::umin;
    case Opcode::UMax: return llvm::Intrinsic::umax;
    default: return llvm::Intrinsic::not_intrinsic;
  }
}

}  // namespace

llvm::Type* Operations::type(Kind k) const {
  switch (k) {
    case Kind::Mask: return llvm::Type::getInt1Ty(b_.getContext());
    case Kind::I8: return llvm::Type::getInt8Ty(b_.getContext());
    case Kind::I16: return llvm::Type::getInt16Ty(b_.getContext());
    case Kind::I32: return llvm::Type::getInt32Ty(b_.getContext());
    case Kind::I64: return llvm::Type::getInt64Ty(b_.getContext());
    case Kind::F32: return llvm::Type::getFloatTy(b_.getContext());
    case Kind::F64: return llvm::Type::getDoubleTy(b_.getContext());
    default: throw InternalError("a value without a kind reached code generation");
  }
}

llvm::Type* Operations::memory_type(Storage s) const {
  switch (s) {
    case Storage::Bool:
    case Storage::I8: return llvm::Type::getInt8Ty(b_.getContext());
    case Storage::I16:
    case Storage::BF16:
    case Storage::F16: return llvm::Type::getInt16Ty(b_.getContext());
    case Storage::I32: return llvm::Type::getInt32Ty(b_.getContext());
    case Storage::I64: return llvm::Type::getInt64Ty(b_.getContext());
    case Storage::F32: return llvm::Type::getFloatTy(b_.getContext());
    default: return llvm::Type::getDoubleTy(b_.getContext());
  }
}

llvm::Type* Operations::memory_type(Kind k) const {
  return k == Kind::Mask ? llvm::Type::getInt8Ty(b_.getContext()) : type(k);
}

V Operations::from_memory(V x, Storage s) {
  switch (s) {
    case Storage::Bool: return mask_from_memory(x, Kind::Mask);
    case Storage::BF16: return bfloat_to_float(x);
    case Storage::F16: return half_to_float(x);
    default: return x;
  }
}

V Operations::to_memory(V x, Storage s) {
  switch (s) {
    case Storage::Bool: return mask_to_memory(x, Kind::Mask);
    case Storage::BF16: return float_to_bfloat(x);
    case Storage::F16: return float_to_half(x);
    default: return x;
  }
}

V Operations::mask_to_memory(V x, Kind k) {
  return k == Kind::Mask ? b_.CreateZExt(x, b_.like(x, b_.getInt8Ty())) : x;
}
V Operations::mask_from_memory(V x, Kind k) {
  return k == Kind::Mask ? b_.CreateICmpNE(x, llvm::Constant::getNullValue(x->getType())) : x;
}

V Operations::arith(Opcode op, Kind k, llvm::ArrayRef<V> a) {
  const V x = a[0];
  const bool f = is_float(x), is_mask = x->getType()->getScalarType()->isIntegerTy(1);
  if (const ID id = unary_intrinsic(op)) return b_.call(id, {x});
  if (const ID id = binary_intrinsic(op)) return b_.call(id, {x, a[1]});
  switch (op) {
    case Opcode::Add: return f ? b_.CreateFAdd(x, a[1]) : b_.CreateAdd(x, a[1]);
    case Opcode::Sub: return f ? b_.CreateFSub(x, a[1]) : b_.CreateSub(x, a[1]);
    case Opcode::Mul: return f ? b_.CreateFMul(x, a[1]) : b_.CreateMul(x, a[1]);
    case Opcode::Neg: return f ? b_.CreateFNeg(x) : b_.CreateNeg(x);
    case Opcode::Div: return b_.CreateFDiv(x, a[1]);
    case Opcode::FMin:
    case Opcode::FMax: return float_extreme(op == Opcode::FMax, x, a[1]);
    case Opcode::SDiv:
    case Opcode::UDiv:
    case Opcode::SRem:
    case Opcode::URem: return divide(op, x, a[1]);
    case Opcode::Rem: return float_rem(x, a[1]);
    case Opcode::Fma: return b_.call(llvm::Intrinsic::fma, a);
    case Opcode::Abs:
      if (!f) return b_.call(llvm::Intrinsic::abs, {x, b_.getFalse()});
      return b_.call(llvm::Intrinsic::fabs, {x});
    case Opcode::And: return b_.CreateAnd(x, a[1]);
    case Opcode::Or: return b_.CreateOr(x, a[1]);
    case Opcode::Xor: return b_.CreateXor(x, a[1]);
    case Opcode::Not: return b_.CreateNot(x);
    case Opcode::Shl:
    case Opcode::Shr:
    case Opcode::Sar: return shift(op, x, a[1]);
    case Opcode::MulHiS:
    case Opcode::MulHiU: return mul_high(op, x, a[1]);
    case Opcode::Clz: return b_.call(llvm::Intrinsic::ctlz, {x, b_.getFalse()});
    case Opcode::Select: return b_.CreateSelect(x, a[1], a[2]);
    // LLVM 19 does not finish with some comparisons of masks: its DAG combiner replaces two forms
    // by each other.
    case Opcode::Eq:
      if (is_mask) return b_.CreateNot(b_.CreateXor(x, a[1]));
      return f ? b_.CreateFCmpOEQ(x, a[1]) : b_.CreateICmpEQ(x, a[1]);
    case Opcode::Ne:
      if (is_mask) return b_.CreateXor(x, a[1]);
      return f ? b_.CreateFCmpUNE(x, a[1]) : b_.CreateICmpNE(x, a[1]);
    case Opcode::Lt: return b_.CreateFCmpOLT(x, a[1]);
    case Opcode::Le: return b_.CreateFCmpOLE(x, a[1]);
    case Opcode::SLt: return b_.CreateICmpSLT(x, a[1]);
    case Opcode::SLe: return b_.CreateICmpSLE(x, a[1]);
    case Opcode::ULt: return b_.CreateICmpULT(x, a[1]);
    case Opcode::ULe: return b_.CreateICmpULE(x, a[1]);
    default: return convert(op, k, x);
  }
}

// A count beyond the width gives poison in LLVM. The select drops it, and costs nothing if the
// count is constant.
V Operations::shift(Opcode op, V x, V count) {
  const V bits = constant(x, width(x));
  if (op == Opcode::Sar) {
    const V last = b_.call(llvm::Intrinsic::umin, {count, constant(x, width(x) - 1)});
    return b_.CreateAShr(x, last);
  }
  const V fits = b_.CreateICmpULT(count, bits);
  const V shifted = op == Opcode::Shl ? b_.CreateShl(x, count) : b_.CreateLShr(x, count);
  return b_.CreateSelect(fits, shifted, constant(x, 0));
}

V Operations::divide(Opcode op, V a, V b) {
  const bool is_signed = op == Opcode::SDiv || op == Opcode::SRem;
  const bool remainder = op == Opcode::SRem || op == Opcode::URem;
  const V zero = b_.CreateICmpEQ(b, constant(b, 0));
  V bad = zero;
  if (is_signed)
    bad = b_.CreateOr(bad,
                      b_.CreateAnd(b_.CreateICmpEQ(b, ones(b)), b_.CreateICmpEQ(a, signed_min(a))));
  const V safe = b_.CreateSelect(bad, constant(b, 1), b);
  const V q = quotient(is_signed ? Opcode::SDiv : Opcode::UDiv, a, safe);
  if (!remainder) return b_.CreateSelect(zero, ones(a), q);
  return b_.CreateSelect(zero, a, b_.CreateSub(a, b_.CreateMul(q, safe)));
}

// Vectors of narrow integers are divided in floating point. The truncated quotient is exact,
// because both operands fit the significand. A quotient that is not an integer differs from the
// next integer by more than half a unit in its last place.
V Operations::quotient(Opcode op, V a, V b) {
  const bool is_signed = op == Opcode::SDiv;
  if (!a->getType()->isVectorTy() || llvm::isa<llvm::Constant>(b) || width(a) == 64)
    return is_signed ? b_.CreateSDiv(a, b) : b_.CreateUDiv(a, b);
  auto* wide = b_.like(a, width(a) == 32 ? b_.getDoubleTy() : b_.getFloatTy());
  auto* middle = b_.like(a, b_.getInt32Ty());
  const auto to_float = [&](V x) {
    const V w = is_signed ? b_.CreateSExt(x, middle) : b_.CreateZExt(x, middle);
    return is_signed || width(x) < 32 ? b_.CreateSIToFP(w, wide) : b_.CreateUIToFP(w, wide);
  };
  const V q = b_.CreateFDiv(to_float(a), to_float(b));
  const V whole =
      is_signed || width(a) < 32 ? b_.CreateFPToSI(q, middle) : b_.CreateFPToUI(q, middle);
  return b_.CreateTrunc(whole, a->getType());
}

// `a < b ? a : b` is one instruction, which gives b for a NaN or two zeros. With the operands
// swapped the result differs only in those cases. Combining the bits of both results is then
// correct: the bitwise or of NaNs is a NaN. Signs of zeros are or-ed for the minimum and and-ed for
// the maximum.
V Operations::float_extreme(bool maximum, V a, V b) {
  if (!a->getType()->isVectorTy())
    return b_.call(maximum ? llvm::Intrinsic::maximum : llvm::Intrinsic::minimum, {a->getType()},
                   {a, b});
  if (const V one = float_extreme_constant(maximum, a, b)) return one;
  auto* bits = b_.like(a, b_.getIntNTy(width(a)));
  const auto first = [&](V x, V y) {
    return b_.CreateBitCast(
        b_.CreateSelect(maximum ? b_.CreateFCmpOGT(x, y) : b_.CreateFCmpOLT(x, y), x, y), bits);
  };
  const V x = first(a, b), y = first(b, a), either = b_.CreateOr(x, y);
  if (!maximum) return b_.CreateBitCast(either, a->getType());
  const V magnitude = llvm::ConstantInt::get(bits, llvm::APInt::getSignedMaxValue(width(a)));
  return b_.CreateBitCast(b_.CreateOr(b_.CreateAnd(x, y), b_.CreateAnd(either, magnitude)),
                          a->getType());
}

// A single comparison suffices if one operand is a constant other than the lesser zero. A NaN
// stays, and so does an operand that equals the constant. Otherwise returns null.
V Operations::float_extreme_constant(bool maximum, V a, V b) {
  const auto number = [](V x) -> const llvm::ConstantFP* {
    const auto* c = llvm::dyn_cast<llvm::Constant>(x);
    return c ? llvm::dyn_cast_or_null<llvm::ConstantFP>(c->getSplatValue()) : nullptr;
  };
  const V x = number(a) ? b : a, c = number(a) ? a : b;
  const auto* value = number(c);
  if (!value || value->isNaN()) return nullptr;
  if (!value->isZero())
    return b_.CreateSelect(maximum ? b_.CreateFCmpOGT(c, x) : b_.CreateFCmpOLT(c, x), c, x);
  if (value->isNegative() == maximum) return nullptr;
  return b_.CreateSelect(maximum ? b_.CreateFCmpUGT(x, c) : b_.CreateFCmpULT(x, c), x, c);
}

// The remainder is a multiple of b's last bit, so one multiply-add computes it without rounding.
// The rounded quotient of the magnitudes is the exact one up to an integer above it. Its integer
// part is then one too large, and |b| is added. For large quotients the library's fmod is called. A
// GPU does not have it, so the kernel contains its own.
V Operations::float_rem(V a, V b) {
  auto* t = a->getType();
  const V x = b_.call(llvm::Intrinsic::fabs, {a}), y = b_.call(llvm::Intrinsic::fabs, {b});
  const V quotient = b_.CreateFDiv(x, y);
  const double limit = t->getScalarType()->isFloatTy() ? 0x1p22 : 0x1p51;
  const V large = b_.CreateFCmpOGE(quotient, llvm::ConstantFP::get(t, limit));
  const V whole = b_.call(llvm::Intrinsic::trunc, {quotient});
  V rest = b_.call(llvm::Intrinsic::fma, {b_.CreateFNeg(whole), y, x});
  const V negative = b_.CreateFCmpOLT(rest, llvm::ConstantFP::get(t, 0));
  rest = b_.CreateSelect(negative, b_.CreateFAdd(rest, y), rest);
  rest = b_.CreateSelect(b_.CreateFCmpOLT(x, y), x, rest);
  rest = b_.call(llvm::Intrinsic::copysign, {rest, a});
  const auto exact = [&] {
    const V all = features_.has_libm
                      ? b_.CreateFRem(a, b)
                      : b_.CreateCall(float_rem_function(t), llvm::ArrayRef<V>{a, b});
    return Vs{b_.CreateSelect(large, all, rest)};
  };
  return b_.branch(b_.any({large}), exact, [&] { return Vs{rest}; }, /*unlikely=*/true)[0];
}

V Operations::mul_high(Opcode op, V a, V b) {
  const bool is_signed = op == Opcode::MulHiS;
  const unsigned w = width(a);
  if (w < 64 || !a->getType()->isVectorTy()) {
    auto* wide = b_.like(a, b_.getIntNTy(2 * w));
    const auto extend = [&](V x) {
      return is_signed ? b_.CreateSExt(x, wide) : b_.CreateZExt(x, wide);
    };
    const V product = b_.CreateMul(extend(a), extend(b));
    return b_.CreateTrunc(b_.CreateLShr(product, 2 * w == 128 ? 64 : w), a->getType());
  }
  // Four products of halves; the sign is corrected afterwards.
  const V low = constant(a, 0xffffffff), half = constant(a, 32);
  const V al = b_.CreateAnd(a, low), ah = b_.CreateLShr(a, half), bl = b_.CreateAnd(b, low),
          bh = b_.CreateLShr(b, half);
  const V t = b_.CreateAdd(b_.CreateMul(ah, bl), b_.CreateLShr(b_.CreateMul(al, bl), half));
  const V u = b_.CreateAdd(b_.CreateMul(al, bh), b_.CreateAnd(t, low));
  V high = b_.CreateAdd(b_.CreateAdd(b_.CreateMul(ah, bh), b_.CreateLShr(t, half)),
                        b_.CreateLShr(u, half));
  if (!is_signed) return high;
  const V sign = constant(a, 63);
  high = b_.CreateSub(high, b_.CreateAnd(b_.CreateAShr(a, sign), b));
  return b_.CreateSub(high, b_.CreateAnd(b_.CreateAShr(b, sign), a));
}

void Operations::combine_pair(Combine c, Kind k, V& value, V& index, V value2, V index2) {
  const bool f = is_float(value);
  const V x = c == Combine::ArgMax ? value2 : value, y = c == Combine::ArgMax ? value : value2;
  V better, same;  // the second pair is better; neither is better
  if (f) {
    const V nan = b_.CreateFCmpUNO(value, value), nan2 = b_.CreateFCmpUNO(value2, value2);
    better = b_.CreateOr(b_.CreateFCmpOGT(x, y), b_.CreateAnd(nan2, b_.CreateNot(nan)));
    same = b_.CreateOr(b_.CreateFCmpOEQ(x, y), b_.CreateAnd(nan2, nan));
  } else {
    better = k == Kind::Mask ? b_.CreateICmpUGT(x, y) : b_.CreateICmpSGT(x, y);
    same = b_.CreateICmpEQ(x, y);
  }
  const V take = b_.CreateOr(better, b_.CreateAnd(same, b_.CreateICmpSLT(index2, index)));
  value = b_.CreateSelect(take, value2, value);
  index = b_.CreateSelect(take, index2, index);
}

}  // namespace weft::compiler
