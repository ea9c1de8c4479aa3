// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/reduce/cumulative.h: running folds along one axis, each element included.
#pragma once
#include "weft/core/ref.h"
#include "weft/tracer/array.h"

namespace weft::lax {

// reverse: from the last element to the first.
Array cumsum(const Arg& x, int64_t axis = 0, bool reverse = false);
Array cumprod(const Arg& x, int64_t axis = 0, bool reverse = false);
Array cummax(const Arg& x, int64_t axis = 0, bool reverse = false);
Array cummin(const Arg& x, int64_t axis = 0, bool reverse = false);
Array cumlogsumexp(const Arg& x, int64_t axis = 0, bool reverse = false);

}  // namespace weft::lax

namespace weft {
// Running folds of an associative f(left, right) on lists of arrays along an axis: neighbours are
// combined, then the pairs folded, so the depth is logarithmic. f works on whole arrays.
Arrays associative_scan_along(FunctionRef<Arrays(const Arrays&, const Arrays&)> f, const Arrays& x,
                              int64_t axis, bool reverse = false);
}  // namespace weft
