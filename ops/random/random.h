// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/random/random.h: random keys and the bits drawn with them, as in JAX with threefry2x32 and
// rbg.
#pragma once
#include "weft/array.h"

namespace weft {

// Keys have dtype Key or RbgKey. RbgKeys are split and folded like Keys, but draw their bits with
// Philox instead of Threefry. A key of JAX's "rbg" has four words, the upper two of which repeat
// the lower two.
//
// Returns a key for each seed: (0, seed) for 32-bit seeds, (upper word, lower word) for 64-bit
// seeds.
Array random_seed(const Array& seeds, DType kind = DType::Key);
// keys[…] -> keys[…, shape].
Array random_split(const Array& keys, const Shape& shape);
// Folds a number (U32) into each key. Both have equal shapes, or one is a scalar.
Array random_fold_in(const Array& keys, const Array& data);
// keys[…] -> unsigned integers of 8, 16, 32 or 64 bits [..., shape].
Array random_bits(const Array& keys, int bit_width, const Shape& shape);
// keys[…] <-> u32[…, 2].
Array random_unwrap(const Array& keys);
Array random_wrap(const Array& words, DType kind = DType::Key);

}  // namespace weft
