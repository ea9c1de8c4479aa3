// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/reduce/reduce.h: reductions over axes, which may be negative and come in any order.
#pragma once
#include "weft/tracer/array.h"

namespace weft::lax {

// The sum of numbers over axes, which the result has not; of nothing 0. In the dtype of x: integers
// wrap. DTypeError for bools and keys, IndexError for axes that x has not, ShapeError for one named
// twice. Source: jax.lax.reduce_sum.
//
//     lax::reduce_sum(array({{1, 2}, {3, 4}}), {0})  // array([4, 6], dtype=int32)
Array reduce_sum(const typing::Arg& x, const std::vector<int64_t>& axes);
// The product of numbers over axes, which the result has not; of nothing 1. In the dtype of x:
// integers wrap. DTypeError for bools and keys. Source: jax.lax.reduce_prod.
Array reduce_prod(const typing::Arg& x, const std::vector<int64_t>& axes);
// The largest element over axes, which the result has not; NaN wins; of nothing the least value of
// the dtype. Equals share the derivative. DTypeError for keys. Source: jax.lax.reduce_max.
//
//     lax::reduce_max(array({{1, 2}, {3, 0}}), {1})  // array([2, 3], dtype=int32)
Array reduce_max(const typing::Arg& x, const std::vector<int64_t>& axes);
// The smallest element over axes, which the result has not; NaN wins; of nothing the largest value
// of the dtype. Equals share the derivative. DTypeError for keys. Source: jax.lax.reduce_min.
Array reduce_min(const typing::Arg& x, const std::vector<int64_t>& axes);
// Whether all bools over axes are true; of integers bit by bit. DTypeError for others. Source:
// jax.lax.reduce_and.
Array reduce_and(const typing::Arg& x, const std::vector<int64_t>& axes);
// Whether any bool over axes is true; of integers bit by bit. DTypeError for others. Source:
// jax.lax.reduce_or.
Array reduce_or(const typing::Arg& x, const std::vector<int64_t>& axes);
// Whether an odd number of bools over axes is true; of integers bit by bit. DTypeError for others.
// Source: jax.lax.reduce_xor.
Array reduce_xor(const typing::Arg& x, const std::vector<int64_t>& axes);
// The first place of the largest element along an axis, or of the first NaN if there is one: (…, n,
// …) -> (…). ShapeError for an axis of size 0, IndexError for one that x has not, DTypeError for
// complex numbers and an index_dtype that is no integer. Source: jax.lax.argmax.
//
//     lax::argmax(array({1, 3, 3}), 0)  // array(1, dtype=int32)
Array argmax(const typing::Arg& x, int64_t axis, DType index_dtype = I32);
// As argmax the first place of the smallest element. Source: jax.lax.argmin.
Array argmin(const typing::Arg& x, int64_t axis, DType index_dtype = I32);

}  // namespace weft::lax
