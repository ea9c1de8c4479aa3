// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/index/sort.h: sorting along an axis.
#pragma once
#include <utility>

#include "weft/tracer/array.h"

namespace weft {

// Sorts all operands, which have one shape, by the first num_keys of them, the first one being the
// most significant. Stable; NaN comes last, -0 equals 0, complex numbers go by real, then imaginary
// part. Without is_stable equals may be in any order where another compiler sorts.
Arrays sort_arrays(const Arrays& x, int64_t axis, int64_t num_keys = 1, bool is_stable = true);
// The k largest along an axis, largest first, and their indices (I32); ties by index, NaN first.
std::pair<Array, Array> top_k_along(const Array& x, int64_t k, int64_t axis);

}  // namespace weft
