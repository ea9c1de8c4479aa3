// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/structure/structure.h: ops that move elements without computing.
#pragma once
#include "weft/array.h"

namespace weft {

// Axis i of x becomes axis dims[i] of the result. dims increase. Axes of size 1 may grow, and x is
// repeated along the other axes of `shape`. Source: XLA's BroadcastInDim.
Array broadcast_in_dim(const Array& x, const Shape& shape, const std::vector<int64_t>& dims);
// Returns the same elements in row-major order with another shape.
Array reshape_to(const Array& x, const Shape& shape);
// Result axis i is axis permutation[i] of x.
Array transpose_axes(const Array& x, const std::vector<int64_t>& permutation);
Array slice_static(const Array& x, const std::vector<int64_t>& start,
                   const std::vector<int64_t>& limit, const std::vector<int64_t>& stride);
Array concatenate_arrays(const Arrays& x, int64_t axis);
// Pads each axis: low and high (a negative value crops) and interior padding.
Array pad_with(const Array& x, const Array& value, const std::vector<int64_t>& low,
               const std::vector<int64_t>& high, const std::vector<int64_t>& interior);
Array reverse(const Array& x, const std::vector<int64_t>& axes);
// Returns 0, 1, 2, … along one axis.
Array iota(DType d, const Shape& shape, int64_t axis);
// Removes axes of size 1.
Array squeeze_axes(const Array& x, const std::vector<int64_t>& axes);
Array move_axis(const Array& x, int from, int to);

}  // namespace weft
