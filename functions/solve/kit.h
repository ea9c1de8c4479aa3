// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/solve/kit.h: helpers that the iterations for linear systems share. Not
// public.
#pragma once
#include "weft/solve/iterative.h"

namespace weft::detail {

// The options with their defaults filled in.
struct Iterative {
  Arrays x0;
  const FlatFunction* M;
  int64_t maxiter = 0;
  // Raises ShapeError unless x0 has the structure of b and nothing is missing.
  Iterative(const char* who, const Arrays& b, const FlatIterative& o, TreeOf tree);
  Arrays preconditioned(const Arrays& r) const { return M ? (*M)(r) : r; }
};

// Returns 0 where it is solved, -1 where the residual is NaN, else `told`.
Array info_of(const Array& solved, const Array& rest, const Array& told);

}  // namespace weft::detail
