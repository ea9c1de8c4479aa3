// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/random/draw_range.h: numbers of a range without a key, as others' programs ask for them.
#pragma once
#include <cstdint>

#include "weft/tracer/array.h"

namespace weft {

enum class Distribution { uniform, normal };
// Numbers in [a, b), or normal ones of mean a and standard deviation b, for scalars a and b of one
// dtype. Equal streams give equal numbers. ShapeError, DTypeError in the name of `op` for operands
// that are no scalars, or not both integers or floats, of which normal numbers are.
Array draw_range(const char* op, const Array& a, const Array& b, const Shape& shape,
                 Distribution how, uint64_t stream);

}  // namespace weft
