// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// autodiff/linearize.h: the derivative of a function some of whose results are aux.
#pragma once
#include "weft/autodiff/autodiff.h"

namespace weft {

// linearize_flat of f's first *results results, read when f has run (null: all); the others are in
// `out` alone.
Linearized linearize_first(FunctionRef<Arrays(const Arrays&)> f, const Arrays& x,
                           const std::vector<bool>& wrt, const size_t* results);

}  // namespace weft
