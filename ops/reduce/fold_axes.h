// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/reduce/fold_axes.h: folds axes by any function, as a program of ops on whole arrays.
#pragma once
#include <vector>

#include "core/ir.h"
#include "weft/array.h"
#include "weft/detail/ref.h"

namespace weft {

// Folds init (scalars) and all elements along the axes, in row-major order, for arrays of one
// shape. The associative join takes two lists of arrays of one shape.
Arrays fold_axes(const Arrays& x, const Arrays& init, const std::vector<int64_t>& axes,
                 FunctionRef<Arrays(const Arrays&, const Arrays&)> join);

}  // namespace weft
