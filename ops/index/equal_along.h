// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/index/equal_along.h: values that are the same at every index of an axis.
#pragma once
#include <optional>

#include "ops/kit/kit.h"

namespace weft {

// Returns the value without this axis, if all of its elements along the axis are equal because of
// how it was made: broadcasts, and elementwise functions and concatenations of them. JAX repeats
// indices for each lane of a map in this way.
std::optional<Array> without_equal_axis(const Array& x, const Producer* made, int64_t axis);

}  // namespace weft
