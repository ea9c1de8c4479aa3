// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/reduce/cumulative.h: running folds along one axis, each element included.
#pragma once
#include "weft/core/ref.h"
#include "weft/tracer/array.h"

namespace weft::lax {

// Sums of all elements up to each along an axis, which may be negative; from the last element on
// with `reverse`. Of the shape and dtype of x. Numbers, DTypeError else; IndexError for an axis
// that x has not. Source: jax.lax.cumsum.
//
//     lax::cumsum(array({1, 2, 3}))  // array([1, 3, 6], dtype=int32)
Array cumsum(const typing::Arg& x, int64_t axis = 0, bool reverse = false);
// As cumsum, products of all numbers up to each. Source: jax.lax.cumprod.
Array cumprod(const typing::Arg& x, int64_t axis = 0, bool reverse = false);
// As cumsum, the largest of all real numbers up to each; NaN wins, equals share the derivative.
// Source: jax.lax.cummax.
//
//     lax::cummax(array({1, 3, 2}))  // array([1, 3, 3], dtype=int32)
Array cummax(const typing::Arg& x, int64_t axis = 0, bool reverse = false);
// As cumsum, the smallest of all real numbers up to each; NaN wins, equals share the derivative.
// Source: jax.lax.cummin.
Array cummin(const typing::Arg& x, int64_t axis = 0, bool reverse = false);
// As cumsum, log of the sum of e^x of all floats up to each, without overflow; infinite ones that
// are equal share the derivative, where JAX's is NaN. Source: jax.lax.cumlogsumexp.
Array cumlogsumexp(const typing::Arg& x, int64_t axis = 0, bool reverse = false);

}  // namespace weft::lax

namespace weft::ir {
// Running folds of an associative f(left, right) on lists of arrays along an axis: neighbours are
// combined, then the pairs folded, so the depth is logarithmic. f works on whole arrays.
Arrays associative_scan_along(FunctionRef<Arrays(const Arrays&, const Arrays&)> f, const Arrays& x,
                              int64_t axis, bool reverse = false);
}  // namespace weft::ir
