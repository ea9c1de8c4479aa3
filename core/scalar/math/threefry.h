// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/scalar/math/threefry.h: the counter-based random bits of Salmon et al. ("Parallel random
// numbers: as easy as 1, 2, 3", SC 2011) and the numbers JAX makes of them, bit for bit.
#pragma once
#include "weft/core/scalar/math/special.h"

namespace weft::math {

// Threefry-2x32 with 20 rounds; U is uint32_t or Ir<uint32_t>.
template <class U>
std::array<U, 2> threefry2x32(U k0, U k1, U x0, U x1) {
  constexpr uint32_t turns[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const U keys[3] = {k0, k1, k0 ^ k1 ^ U(0x1BD11BDAu)};
  x0 = x0 + k0;
  x1 = x1 + k1;
  for (uint32_t group = 0; group < 5; ++group) {
    for (uint32_t turn : turns[group % 2]) {
      x0 = x0 + x1;
      x1 = bit_or(shift_left(x1, U(turn)), shift_right_logical(x1, U(32 - turn))) ^ x0;
    }
    x0 = x0 + keys[(group + 1) % 3];
    x1 = x1 + (keys[(group + 2) % 3] + U(group + 1));
  }
  return {x0, x1};
}

// The bits of element (hi, lo) of an array drawn with a key.
template <class U>
U random_bits32(U k0, U k1, U hi, U lo) {
  const auto [a, b] = threefry2x32(k0, k1, hi, lo);
  return a ^ b;
}
template <class U>
auto random_bits64(U k0, U k1, U hi, U lo) {
  const auto [a, b] = threefry2x32(k0, k1, hi, lo);
  using W = rebind<U, uint64_t>;
  return bit_or(shift_left(W(convert<uint64_t>(a)), W(uint64_t{32})), W(convert<uint64_t>(b)));
}

// Uniform in [0, 1) from random bits: as many top bits as the type has in its mantissa. float takes
// 32 bits, double 64; float16 takes 16 bits and bfloat16 8 (not 16), given and returned widened.
template <class U>
auto unit_uniform(U bits)
  requires std::same_as<scalar_t<U>, uint32_t>
{
  const U mantissa = bit_or(shift_right_logical(bits, U(9u)), U(0x3f800000u));
  return bitcast<float>(mantissa) - rebind<U, float>(1.0f);
}
template <class U>
auto unit_uniform(U bits)
  requires std::same_as<scalar_t<U>, uint64_t>
{
  const U mantissa =
      bit_or(shift_right_logical(bits, U(uint64_t{12})), U(uint64_t{0x3ff0000000000000}));
  return bitcast<double>(mantissa) - rebind<U, double>(1.0);
}
template <class U>
auto unit_uniform_f16(U bits16) {
  return rebind<U, float>(convert<float>(shift_right_logical(bits16, U(6u)))) *
         rebind<U, float>(0x1p-10f);
}
template <class U>
auto unit_uniform_bf16(U bits8) {
  return rebind<U, float>(convert<float>(shift_right_logical(bits8, U(1u)))) *
         rebind<U, float>(0x1p-7f);
}

// [0, 1) to [lo, hi), fused as XLA does.
template <Real R>
R uniform_between(R unit, R lo, R hi) {
  return maximum(lo, fma(unit, hi - lo, lo));
}

// A standard normal number from a uniform one in [0, 1).
template <Real R>
R normal_from_unit(R unit) {
  using T = scalar_t<R>;
  const R lo = detail::constant<R>(-0x1.fffffep-1, -0x1.fffffffffffffp-1);
  return R(static_cast<T>(0x1.6a09e667f3bcdp+0)) * erf_inv(uniform_between(unit, lo, R(T(1))));
}

}  // namespace weft::math
