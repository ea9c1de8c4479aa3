// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/random/random.h: random keys and the bits made of them, as JAX with threefry2x32 and rbg.
#pragma once
#include "weft/tracer/array.h"

namespace weft {

// Keys are of dtype Key, or RbgKey: those split and fold as the others, and their bits are of
// Philox instead of Threefry. JAX's "rbg" has four words a key, of which the upper two repeat the
// lower.
//
// A key a seed: of 32-bit seeds (0, seed), of 64-bit ones (upper word, lower word).
Array random_seed(const Array& seeds, DType kind = DType::Key);
// keys[…] -> keys[…, shape].
Array random_split(const Array& keys, const Shape& shape);
// keys with a number (U32) folded into each; equal shapes, or scalars.
Array random_fold_in(const Array& keys, const Array& data);
// keys[…] -> unsigned integers of 8, 16, 32 or 64 bits [..., shape].
Array random_bits(const Array& keys, int bit_width, const Shape& shape);
// keys[…] <-> u32[…, 2].
Array random_unwrap(const Array& keys);
Array random_wrap(const Array& words, DType kind = DType::Key);

}  // namespace weft
