// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/random/draw_range.h: random numbers in a range without a key, for imported programs that draw
// them.
#pragma once
#include <cstdint>

#include "weft/array.h"

namespace weft {

enum class Distribution { uniform, normal };
// Draws numbers in [a, b), or normal numbers with mean a and standard deviation b. a and b are
// scalars of one dtype. Equal streams give equal numbers. Throws ShapeError in the name of `op` if
// an operand is not a scalar. Throws DTypeError unless both are integers or both are floats; normal
// numbers need floats.
Array draw_range(const char* op, const Array& a, const Array& b, const Shape& shape,
                 Distribution how, uint64_t stream);

}  // namespace weft
