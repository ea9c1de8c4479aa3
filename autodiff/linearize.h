// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// autodiff/linearize.h: the derivative of a function with auxiliary results.
#pragma once
#include "autodiff/autodiff.h"

namespace weft {

// linearize_flat for the first *results results of f (null: all); the number is read after f has
// run. The other results are only in `out`.
Linearized linearize_first(FunctionRef<Arrays(const Arrays&)> f, const Arrays& x,
                           const std::vector<bool>& wrt, const size_t* results);

}  // namespace weft
