// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/index/sort.h: sorting along an axis.
#pragma once
#include <utility>

#include "weft/array.h"

namespace weft {

// Sorts all operands, which have one shape, by the first num_keys operands, of which the first is
// the most significant. The sort is stable. NaNs are last, -0 equals 0, and complex numbers are
// compared by their real, then by their imaginary parts. Without is_stable, other compilers may
// return equal elements in any order.
Arrays sort_arrays(const Arrays& x, int64_t axis, int64_t num_keys = 1, bool is_stable = true);
// Returns the k largest elements along an axis, largest first, and their indices (I32). Ties are
// ordered by index, and NaNs are first.
std::pair<Array, Array> top_k_along(const Array& x, int64_t k, int64_t axis,
                                    bool total_order = false);

}  // namespace weft
