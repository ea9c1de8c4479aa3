// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/lax/cumulative.h: cumulative folds along one axis, which include each element.
#pragma once
#include "weft/array.h"
#include "weft/detail/ref.h"

namespace weft::lax {

// The cumulative sums along an axis, which may be negative; with `reverse` they start at the last
// element. The result has the shape and dtype of x. Throws DTypeError unless x is numeric, and
// IndexError for an axis out of range. Source: jax.lax.cumsum.
//
//     lax::cumsum(array({1, 2, 3}))  // array([1, 3, 6], dtype=int32)
Array cumsum(const typing::Arg& x, int64_t axis = 0, bool reverse = false);
// Like cumsum, with products. Source: jax.lax.cumprod.
Array cumprod(const typing::Arg& x, int64_t axis = 0, bool reverse = false);
// Like cumsum, with the largest of all real numbers so far. The result is NaN after a NaN, and
// equal elements share the derivative. Source: jax.lax.cummax.
//
//     lax::cummax(array({1, 3, 2}))  // array([1, 3, 3], dtype=int32)
Array cummax(const typing::Arg& x, int64_t axis = 0, bool reverse = false);
// Like cumsum, with the smallest of all real numbers so far. The result is NaN after a NaN, and
// equal elements share the derivative. Source: jax.lax.cummin.
Array cummin(const typing::Arg& x, int64_t axis = 0, bool reverse = false);
// Like cumsum, with the log of the sum of e^x of all floats so far, without overflow. Equal
// infinities share the derivative, where JAX returns NaN. Source: jax.lax.cumlogsumexp.
Array cumlogsumexp(const typing::Arg& x, int64_t axis = 0, bool reverse = false);

}  // namespace weft::lax

namespace weft::ir {
// Cumulative folds of lists of arrays along an axis by an associative f(left, right). It combines
// neighbors and then folds the pairs, so the depth is logarithmic. f works on whole arrays.
Arrays associative_scan_along(FunctionRef<Arrays(const Arrays&, const Arrays&)> f, const Arrays& x,
                              int64_t axis, bool reverse = false);
}  // namespace weft::ir
