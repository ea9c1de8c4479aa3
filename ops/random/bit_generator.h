// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/random/bit_generator.h: random bits from a counter, as XLA draws them: Threefry and Philox of
// Salmon et al. ("Parallel random numbers: as easy as 1, 2, 3", SC 2011).
#pragma once
#include "weft/tracer/array.h"

namespace weft {

namespace typing {
// The generators of random bits: Threefry and Philox.
enum class BitGenerator { threefry, philox };
}  // namespace typing
namespace ir {
// What draw_bits gives: the state that follows and the bits.
struct RandomDraw {
  Array state, bits;
};
// The bits are of an unsigned dtype: of fewer than 32 bits those at the lower end. A state is a key
// and a counter, each a U64; that of Philox may have 64 more bits of counter. ShapeError,
// DTypeError for another in the name of rng_bit_generator.
RandomDraw draw_bits(const Array& state, const Shape& shape, DType dtype, typing::BitGenerator how);
}  // namespace ir

}  // namespace weft

namespace weft::lax {

// What RNG_DEFAULT is on CPUs: Philox.
enum class RandomAlgorithm { RNG_DEFAULT, RNG_THREE_FRY, RNG_PHILOX };
// The key that follows and random bits of an unsigned dtype. The key is u32[4] or u64[2].
// Source: jax.lax.rng_bit_generator.
std::pair<Array, Array> rng_bit_generator(const typing::Arg& key, const Shape& shape,
                                          DType dtype = U32,
                                          RandomAlgorithm algorithm = RandomAlgorithm::RNG_DEFAULT);

}  // namespace weft::lax
