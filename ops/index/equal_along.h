// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/index/equal_along.h: values that are the same at every index of an axis.
#pragma once
#include <optional>
#include <string_view>

#include "ops/kit/kit.h"

namespace weft {

// Returns true for the elementwise functions by which programs compute indices.
bool computes_indices(std::string_view op);

// Returns the value without this axis, if all of its elements along the axis are equal because of
// how it was made: broadcasts, and elementwise functions and concatenations of them. JAX repeats
// indices for each lane of a map in this way.
std::optional<Array> without_equal_axis(const Array& x, const Producer* made, int64_t axis);

}  // namespace weft
