// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/text/print_array.h: arrays as text, identical to NumPy's output.
#pragma once
#include <string>

#include "weft/dtype.h"
#include "weft/shape.h"

namespace weft {

// NumPy's print options have their defaults. Arrays of more than 1000 elements show three elements
// at each end of an axis. Lines are 75 wide, and floats have at most 8 digits after the point.
//
// `data` is row-major without gaps and needs no alignment. The two words of a key are shown as a
// last axis.

// Like numpy.array_str (print(x)): "[1. 2. 3.]".
std::string array_str(const void* data, DType dtype, const Shape& shape);
// Like numpy.array_repr: "array([1., 2., 3.], dtype=float32)".
std::string array_repr(const void* data, DType dtype, const Shape& shape);

}  // namespace weft
