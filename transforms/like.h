// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// transforms/like.h: programs whose results must match given values, which custom_linear_solve and
// custom_root require of the user's functions. Not public.
#pragma once
#include "tracer/record_trace.h"
#include "weft/detail/ref.h"
#include "weft/tree.h"

namespace weft::detail {

// The names in errors: "WHO: WHICH must return what is like ROOT: expected …".
struct LikeNames {
  const char *who, *root;
  FunctionRef<tree::detail::Skeleton()> tree;
};
// Traces f on inputs of types `in` and checks that its results have types `want`. The aux values
// that f appends follow the results.
ClosedJaxpr traced_like(const LikeNames& names, const char* which, const Types& in,
                        const Types& want, FunctionRef<Arrays(const Arrays&, Arrays* aux)> f);
// Returns the values with strong types. Raises DTypeError for integers and bools.
Arrays inexact_values(const LikeNames& names, const Arrays& x);

}  // namespace weft::detail
