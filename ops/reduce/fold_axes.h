// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/reduce/fold_axes.h: folds of axes by any function, as a program of ops on whole arrays.
#pragma once
#include <vector>

#include "weft/core/ir.h"
#include "weft/core/ref.h"
#include "weft/tracer/array.h"

namespace weft {

// Of arrays of one shape the fold of init, scalars, and all elements along the axes, in row-major
// order, by an associative join of two lists of arrays of one shape.
Arrays fold_axes(const Arrays& x, const Arrays& init, const std::vector<int64_t>& axes,
                 FunctionRef<Arrays(const Arrays&, const Arrays&)> join);

}  // namespace weft
