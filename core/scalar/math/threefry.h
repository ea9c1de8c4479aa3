// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/scalar/math/threefry.h: the counter-based random bits of Salmon et al. ("Parallel random
// numbers: as easy as 1, 2, 3", SC 2011), in the form that JAX uses.
#pragma once
#include <array>

#include "core/scalar/math/basic.h"

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

// The bits of element (hi, lo) of an array that is drawn with a key.
template <class U>
U random_bits32(U k0, U k1, U hi, U lo) {
  const auto [a, b] = threefry2x32(k0, k1, hi, lo);
  return a ^ b;
}
template <class U>
auto random_bits64(U k0, U k1, U hi, U lo) {
  const auto [a, b] = threefry2x32(k0, k1, hi, lo);
  return joined(a, b);
}

}  // namespace weft::math
