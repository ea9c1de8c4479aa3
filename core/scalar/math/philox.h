// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/scalar/math/philox.h: the counter-based random bits by multiplication of Salmon et al.
// ("Parallel random numbers: as easy as 1, 2, 3", SC 2011), in the form that XLA uses.
#pragma once
#include <array>

#include "core/scalar/math/basic.h"

namespace weft::math {

// Philox-4x32 with 10 rounds; U is uint32_t or Ir<uint32_t>.
template <class U>
std::array<U, 4> philox4x32(std::array<U, 4> x, U k0, U k1) {
  const U first(0xD2511F53u), second(0xCD9E8D57u);
  for (int round = 0; round < 10; ++round) {
    x = {mulhi(x[2], second) ^ x[1] ^ k0, x[2] * second, mulhi(x[0], first) ^ x[3] ^ k1,
         x[0] * first};
    k0 = k0 + U(0x9E3779B9u);
    k1 = k1 + U(0xBB67AE85u);
  }
  return x;
}

// The four words of step `step` (64 bits) of a key with two words. The two words are the Philox key
// and also, twice, the initial counter. XLA gives the same words for the state that jax.random
// makes of an "rbg" key.
template <class U, class W>
std::array<U, 4> philox_step(U k0, U k1, W step) {
  const auto low = [](W x) { return U(convert<uint32_t>(x)); };
  const auto high = [&](W x) { return low(W(shift_right_logical(x, W(uint64_t{32})))); };
  const W key(joined(k1, k0));
  const W counter = key + step;
  const W upper = key + select(counter < key, W(uint64_t{1}), W(uint64_t{0}));
  return philox4x32<U>({low(counter), high(counter), low(upper), high(upper)}, k0, k1);
}

// The bits of element (hi, lo) of an array that is drawn with a key. A step has four elements of 32
// bits, or two of 64 bits.
template <class U>
U philox_bits32(U k0, U k1, U hi, U lo) {
  const auto flat = joined(hi, lo);
  const auto x = philox_step(k0, k1, shift_right_logical(flat, decltype(flat)(uint64_t{2})));
  const auto odd = (lo & U(1u)) != U(0u);
  return select((lo & U(2u)) != U(0u), select(odd, x[3], x[2]), select(odd, x[1], x[0]));
}
template <class U>
auto philox_bits64(U k0, U k1, U hi, U lo) {
  const auto flat = joined(hi, lo);
  const auto x = philox_step(k0, k1, shift_right_logical(flat, decltype(flat)(uint64_t{1})));
  const auto odd = (lo & U(1u)) != U(0u);
  return joined(select(odd, x[3], x[1]), select(odd, x[2], x[0]));
}

}  // namespace weft::math
