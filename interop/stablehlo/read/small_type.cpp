// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/read/small_type.cpp: element types of few bits, whose values are held in Weft's
// dtypes.
#include "interop/stablehlo/read/small_type.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "ops/structure/structure.h"
#include "tracer/base_ops.h"
#include "tracer/concrete.h"
#include "weft/lax/compare.h"
#include "weft/lax/convert.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/rounding.h"

namespace weft::hlo {
namespace {

// The formats are those of "FP8 Formats for Deep Learning" (arXiv 2209.05433) and "8-bit Numerical
// Formats for Deep Neural Networks" (arXiv 2206.02915). E3M4 and E4M3 follow the pattern of IEEE
// 754. E8M0 is the scale of "OCP Microscaling Formats", which also defines the formats of four and
// six bits.
constexpr SmallType table[] = {
    {"i2", I8, 2},
    {"si2", I8, 2},
    {"i4", I8, 4},
    {"si4", I8, 4},
    {"ui2", U8, 2},
    {"ui4", U8, 4},
    {"f8E3M4", F32, 8, 4, -2, 15.5, true, true},
    {"f8E4M3", F32, 8, 3, -6, 240, true, true},
    {"f8E5M2", F32, 8, 2, -14, 57344, true, true},
    {"f8E4M3FN", F32, 8, 3, -6, 448, false, true},
    {"f8E4M3FNUZ", F32, 8, 3, -7, 240, false, false},
    {"f8E4M3B11FNUZ", F32, 8, 3, -10, 30, false, false},
    {"f8E5M2FNUZ", F32, 8, 2, -15, 57344, false, false},
    {"f8E8M0FNU", F32, 8, 0, -127, 0x1p127, false, false, true},
    {"f4E2M1FN", F32, 4, 1, 0, 6, false, true, false, true},
    {"f6E2M3FN", F32, 6, 3, 0, 7.5, false, true, false, true},
    {"f6E3M2FN", F32, 6, 2, -2, 28, false, true, false, true},
};

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// The sign bit of a float, and all bits below it.
unsigned sign_of(const SmallType& s) { return 1u << (s.bits - 1); }
unsigned most_of(const SmallType& s) { return sign_of(s) - 1; }
// The bits of the exponent.
unsigned exponents_of(const SmallType& s) { return most_of(s) >> s.digits << s.digits; }

double float_of(const SmallType& s, uint64_t bits) {
  if (s.powers) return bits == 0xff ? nan : std::ldexp(1., static_cast<int>(bits) + s.least);
  const uint64_t magnitude = bits & most_of(s), digits = magnitude & ((1u << s.digits) - 1);
  const int exponent = static_cast<int>(magnitude >> s.digits);
  const bool negative = bits & sign_of(s);
  if (!s.infinite && !s.finite && (s.signed_zero ? magnitude == most_of(s) : bits == sign_of(s)))
    return nan;
  if (s.infinite && magnitude >= exponents_of(s)) return digits ? nan : negative ? -inf : inf;
  const auto fraction = static_cast<double>(exponent ? digits + (1u << s.digits) : digits);
  const double x = std::ldexp(fraction, std::max(exponent, 1) - 1 + s.least - s.digits);
  return negative ? -x : x;
}

Array filled(const Array& like, double value) {
  return broadcast_in_dim(scalar_of(like.dtype(), value), like.shape(), {});
}

// Rounds F32 or F64 numbers as nearest() does. The derivative is 1, as for a conversion.
Array rounded(const SmallType& s, const Array& x) {
  const DType d = x.dtype(), word = d == F64 ? I64 : I32;
  const int64_t exponent_bits = d == F64 ? 0x7ff0000000000000 : 0x7f800000;
  const Array power = lax::bitcast_convert_type(
      lax::bitwise_and(lax::bitcast_convert_type(base::stop_gradient(x), word),
                       scalar_of_int(word, exponent_bits)),
      d);
  const Array unit = lax::mul(lax::max(power, scalar_of(d, std::ldexp(1., s.least))),
                              scalar_of(d, std::ldexp(1., -s.digits)));
  const Array still = base::stop_gradient(x);
  Array y = lax::mul(lax::round(lax::div(still, unit), lax::RoundingMethod::TO_NEAREST_EVEN), unit);
  const Array beyond = lax::bitwise_or(lax::gt(lax::abs(y), scalar_of(d, s.greatest)),
                                       lax::eq(lax::abs(still), scalar_of(d, inf)));
  const double last = s.infinite ? inf : s.finite ? s.greatest : nan;
  y = lax::select(beyond, lax::mul(lax::sign(still), scalar_of(d, last)), y);
  if (s.finite) y = lax::select(lax::ne(still, still), filled(y, -0.), y);
  if (!s.signed_zero) y = lax::select(lax::eq(y, scalar_of(d, 0)), base::zeros(y.type()), y);
  if (s.powers)
    y = lax::select(lax::gt(still, scalar_of(d, 0)),
                    lax::max(y, scalar_of(d, std::ldexp(1., s.least))), filled(y, nan));
  // Subtracts zero, which preserves -0 and carries the derivative.
  const Array finite = lax::select(lax::is_finite(x), x, base::zeros(x.type()));
  return lax::sub(y, lax::sub(base::stop_gradient(finite), finite));
}

}  // namespace

const SmallType* small_type(std::string_view element) {
  for (const SmallType& s : table)
    if (s.name == element) return &s;
  return nullptr;
}
const SmallType* small_type(Typ t) {
  return t->kind == TypeData::Kind::tensor ? small_type(t->element->text) : nullptr;
}

void hold(const SmallType& s, uint64_t bits, std::byte* to) {
  if (is_floating(s.held)) {
    const auto x = static_cast<float>(float_of(s, bits));
    std::memcpy(to, &x, sizeof x);
    return;
  }
  const uint64_t sign = uint64_t{1} << (s.bits - 1);
  bits &= 2 * sign - 1;
  if (is_signed(s.held)) bits = (bits ^ sign) - sign;
  *to = static_cast<std::byte>(bits & 0xff);
}

double nearest(const SmallType& s, double x) {
  if (x != x) return s.finite ? -0. : x;
  if (s.powers && x <= 0) return nan;
  const double most = s.infinite ? inf : s.finite ? s.greatest : nan;
  if (std::isinf(x)) return std::copysign(most, x);
  const int exponent = x == 0 ? s.least : std::max(std::ilogb(x), s.least);
  const double unit = std::ldexp(1., exponent - s.digits);
  const double y = std::nearbyint(x / unit) * unit;
  if (std::abs(y) > s.greatest) return std::copysign(most, x);
  if (s.powers) return std::max(y, std::ldexp(1., s.least));
  return y == 0 && !s.signed_zero ? 0 : y;
}

Array brought_back(const SmallType& s, const Array& x) {
  if (is_floating(s.held)) return rounded(s, x);
  if (!is_signed(s.held)) return lax::bitwise_and(x, scalar_of_int(U8, (1 << s.bits) - 1));
  const Array unused = scalar_of_int(I8, 8 - s.bits);
  return lax::shift_right_arithmetic(lax::shift_left(x, unused), unused);
}

Array converted(const SmallType& s, const Array& x) {
  const DType d = x.dtype();
  if (is_floating(s.held)) {
    // F64 is not converted to F32 first, because the number must be rounded only once.
    const Array y = d == F64 ? x : lax::convert_element_type(x, F32);
    return lax::convert_element_type(rounded(s, y), F32);
  }
  if (!is_floating(d)) return brought_back(s, lax::convert_element_type(x, s.held));
  const int range = 1 << s.bits;
  const double least = is_signed(s.held) ? -range / 2 : 0;
  const Array inside = lax::clamp(scalar_of(d, least), x, scalar_of(d, least + range - 1));
  return lax::convert_element_type(inside, s.held);
}

namespace {

Array word(const Array& like, unsigned n) {
  return broadcast_in_dim(scalar_of_int(U32, n), like.shape(), {});
}
// The bits of NaN without its sign.
unsigned nan_bits(const SmallType& s) {
  if (s.powers) return 0xff;
  if (s.infinite) return exponents_of(s) | 1u << (s.digits - 1);
  return s.signed_zero ? most_of(s) : sign_of(s);
}
// The difference between the exponent of F32 and that of normal numbers of the type.
unsigned bias_of(const SmallType& s) { return static_cast<unsigned>(126 + s.least); }

Array float_bits(const SmallType& s, const Array& x) {
  const Array bits = lax::bitcast_convert_type(x, U32);
  const Array all = lax::bitwise_and(bits, scalar_of_int(U32, 0x7fffffff));
  if (s.powers) return lax::shift_right_logical(all, scalar_of_int(U32, 23));
  const Array size = lax::abs(x);
  const Array normal = lax::sub(lax::shift_right_logical(all, scalar_of_int(U32, 23 - s.digits)),
                                scalar_of_int(U32, static_cast<int64_t>(bias_of(s)) << s.digits));
  const Array small = lax::convert_element_type(
      lax::mul(size, scalar_of(F32, std::ldexp(1., s.digits - s.least))), U32);
  Array r = lax::select(lax::lt(size, scalar_of(F32, std::ldexp(1., s.least))), small, normal);
  if (s.infinite) r = lax::select(lax::eq(size, scalar_of(F32, inf)), word(r, exponents_of(s)), r);
  const Array is_nan = lax::ne(x, x);
  r = lax::select(is_nan, word(r, s.finite ? 0 : nan_bits(s)), r);
  const Array sign = lax::shift_left(lax::shift_right_logical(bits, scalar_of_int(U32, 31)),
                                     scalar_of_int(U32, s.bits - 1));
  const Array signs = s.signed_zero ? sign : lax::select(is_nan, word(r, 0), sign);
  return lax::bitwise_or(r, signs);
}
Array float_value(const SmallType& s, const Array& bits) {
  const auto as_float = [](const Array& w) { return lax::bitcast_convert_type(w, F32); };
  const Array is_nan = lax::eq(bits, scalar_of_int(U32, nan_bits(s)));
  if (s.powers) {
    const Array r = as_float(lax::shift_left(bits, scalar_of_int(U32, 23)));
    const Array first = lax::eq(bits, scalar_of_int(U32, 0));
    return lax::select(is_nan, filled(r, nan), lax::select(first, filled(r, 0x1p-127), r));
  }
  const Array all = lax::bitwise_and(bits, scalar_of_int(U32, most_of(s)));
  const Array normal =
      as_float(lax::add(lax::shift_left(all, scalar_of_int(U32, 23 - s.digits)),
                        scalar_of_int(U32, static_cast<int64_t>(bias_of(s)) << 23)));
  const Array small = lax::mul(lax::convert_element_type(all, F32),
                               scalar_of(F32, std::ldexp(1., s.least - s.digits)));
  Array r = lax::select(lax::lt(all, scalar_of_int(U32, int64_t{1} << s.digits)), small, normal);
  if (s.infinite) {
    const Array beyond = lax::gt(all, scalar_of_int(U32, exponents_of(s)));
    const Array at_end = lax::eq(all, scalar_of_int(U32, exponents_of(s)));
    r = lax::select(beyond, filled(r, nan), lax::select(at_end, filled(r, inf), r));
  } else if (!s.finite) {
    const Array none = s.signed_zero ? lax::eq(all, scalar_of_int(U32, nan_bits(s))) : is_nan;
    r = lax::select(none, filled(r, nan), r);
  }
  const Array negative = lax::ge(bits, scalar_of_int(U32, sign_of(s)));
  return lax::select(negative, lax::neg(r), r);
}

}  // namespace

Array bits_of(const SmallType& s, const Array& x) {
  if (is_floating(s.held)) return lax::convert_element_type(float_bits(s, x), U8);
  return lax::bitwise_and(lax::bitcast_convert_type(x, U8), scalar_of_int(U8, (1 << s.bits) - 1));
}
Array value_of(const SmallType& s, const Array& bits) {
  const Array low = lax::bitwise_and(bits, scalar_of_int(U8, (1 << s.bits) - 1));
  if (is_floating(s.held)) return float_value(s, lax::convert_element_type(low, U32));
  return brought_back(s, lax::bitcast_convert_type(low, s.held));
}

}  // namespace weft::hlo
