// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// transforms/like.h: programs whose results must be like given values: what custom_linear_solve and
// custom_root ask of the functions that they are given. Not public.
#pragma once
#include "weft/core/ref.h"
#include "weft/tracer/record_trace.h"
#include "weft/tracer/tree.h"

namespace weft::detail {

// What errors say: "WHO: WHICH must return what is like ROOT: expected …".
struct LikeNames {
  const char *who, *root;
  FunctionRef<tree::Skeleton()> tree;
};
// f on inputs of types `in`, its results checked to be of types `want`; behind them the aux that it
// appends.
Closed traced_like(const LikeNames& names, const char* which, const Types& in, const Types& want,
                   FunctionRef<Arrays(const Arrays&, Arrays* aux)> f);
// The values with strong types; DTypeError for integers and bools.
Arrays inexact_values(const LikeNames& names, const Arrays& x);

}  // namespace weft::detail
