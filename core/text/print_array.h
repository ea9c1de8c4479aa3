// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/text/print_array.h: arrays as text, character by character as NumPy prints them.
#pragma once
#include <string>

#include "weft/core/dtype.h"
#include "weft/core/shape.h"

namespace weft {

// NumPy's print options, at their defaults: arrays of more than 1000 elements show three at each
// end of an axis, lines are 75 wide, floats have at most 8 digits after the point.
//
// `data` is row-major without gaps and needs no alignment. Keys show their two words as a last
// axis.

// As numpy.array_str (print(x)): "[1. 2. 3.]".
std::string array_str(const void* data, DType dtype, const Shape& shape);
// As numpy.array_repr: "array([1., 2., 3.], dtype=float32)".
std::string array_repr(const void* data, DType dtype, const Shape& shape);

}  // namespace weft
