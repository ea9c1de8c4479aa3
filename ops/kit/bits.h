// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/kit/bits.h: converts between narrow floats as stored in memory and the F32 values in which
// they are computed. The functions work on host values and on loop-nest values.
#pragma once
#include "core/scalar/number.h"

namespace weft {

// Requires that f16 represents x exactly.
template <num::Real R>
num::rebind<R, uint32_t> f16_bits(R x) {
  using U = num::rebind<R, uint32_t>;
  const U b = num::bitcast<uint32_t>(x), a = num::bit_and(b, U(0x7fffffffu));
  const U sign = num::bit_and(num::shift_right_logical(b, U(16)), U(0x8000u));
  const U normal = num::sub(num::shift_right_logical(a, U(13)), U((127u - 15u) << 10));
  // An F16 subnormal is a multiple of 2^-24.
  const U small = num::convert<uint32_t>(num::abs(x) * R(0x1p24f));
  const U special =
      num::bit_or(U(0x7c00u), num::shift_right_logical(num::bit_and(a, U(0x7fffffu)), U(13)));
  // A NaN must remain a NaN even if its upper mantissa bits are zero.
  const U nan = num::bit_or(special, U(0x200u));
  const U magnitude = num::select(
      U(0x7f800000u) < a, nan,
      num::select(a == U(0x7f800000u), special, num::select(a < U(0x38800000u), small, normal)));
  return num::bit_or(sign, magnitude);
}
template <class U>
auto f16_from_bits(U b) {
  using R = num::rebind<U, float>;
  const U sign = num::shift_left(num::bit_and(b, U(0x8000u)), U(16)),
          a = num::bit_and(b, U(0x7fffu));
  const U normal = num::add(num::shift_left(a, U(13)), U((127u - 15u) << 23));
  const U small = num::bitcast<uint32_t>(num::convert<float>(a) * R(0x1p-24f));
  const U special = num::bit_or(U(0x7f800000u), num::shift_left(num::bit_and(a, U(0x3ffu)), U(13)));
  const U magnitude =
      num::select(a < U(0x400u), small, num::select(a < U(0x7c00u), normal, special));
  return R(num::bitcast<float>(num::bit_or(sign, magnitude)));
}
template <num::Real R>
num::rebind<R, uint32_t> bf16_bits(R x) {
  using U = num::rebind<R, uint32_t>;
  return num::shift_right_logical(U(num::bitcast<uint32_t>(x)), U(16));
}
template <class U>
auto bf16_from_bits(U b) {
  return num::rebind<U, float>(num::bitcast<float>(num::shift_left(b, U(16))));
}

// Rounds x to a float and sets the last bit if the conversion was inexact ("round to odd"). A
// second rounding to a narrow float then gives the same result as one direct rounding.
template <num::Real D>
num::rebind<D, float> float_odd(D x) {
  using F = num::rebind<D, float>;
  using U = num::rebind<D, uint32_t>;
  const F f = num::convert<float>(x);
  const D back = num::convert<double>(f);
  const U b = num::bitcast<uint32_t>(f);
  const U toward_zero = num::select(num::abs(x) < num::abs(back), num::sub(b, U(1)), b);
  const auto exact = num::either(back == x, num::is_nan(x));
  return num::select(exact, f, F(num::bitcast<float>(num::bit_or(toward_zero, U(1)))));
}

}  // namespace weft
