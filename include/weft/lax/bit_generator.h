// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/lax/bit_generator.h: random bits from a counter, as in XLA: Threefry and Philox of
// Salmon et al. ("Parallel random numbers: as easy as 1, 2, 3", SC 2011).
#pragma once
#include "weft/array.h"

namespace weft {

namespace typing {
// The generators of random bits: Threefry and Philox.
enum class BitGenerator { threefry, philox };
}  // namespace typing
namespace ir {
// The results of draw_bits: the next state and the bits.
struct RandomDraw {
  Array state, bits;
};
// Draws bits of an unsigned dtype. Fewer than 32 bits are the low bits of a word. A state is a key
// and a counter, each a U64; the state of Philox may have another 64 counter bits. Throws
// ShapeError or DTypeError in the name of rng_bit_generator.
RandomDraw draw_bits(const Array& state, const Shape& shape, DType dtype, typing::BitGenerator how);
}  // namespace ir

}  // namespace weft

namespace weft::lax {

// RNG_DEFAULT is Philox on CPUs.
enum class RandomAlgorithm { RNG_DEFAULT, RNG_THREE_FRY, RNG_PHILOX };
// Returns the next key and random bits of an unsigned dtype. The key is u32[4] or u64[2].
// Source: jax.lax.rng_bit_generator.
std::pair<Array, Array> rng_bit_generator(const typing::Arg& key, const Shape& shape,
                                          DType dtype = U32,
                                          RandomAlgorithm algorithm = RandomAlgorithm::RNG_DEFAULT);

}  // namespace weft::lax
