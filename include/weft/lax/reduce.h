// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/lax/reduce.h: reductions over axes, which may be negative and in any order.
#pragma once
#include "weft/array.h"

namespace weft::lax {

// The sum of numbers over axes, which are removed; 0 if there are no elements. It is computed in
// the dtype of x, and integers wrap. Throws DTypeError for bools and keys, IndexError for axes out
// of range, and ShapeError for an axis named twice. Source: jax.lax.reduce_sum.
//
//     lax::reduce_sum(array({{1, 2}, {3, 4}}), {0})  // array([4, 6], dtype=int32)
Array reduce_sum(const typing::Arg& x, const std::vector<int64_t>& axes);
// The product of numbers over axes, which are removed; 1 if there are no elements. It is computed
// in the dtype of x, and integers wrap. Throws DTypeError for bools and keys. Source:
// jax.lax.reduce_prod.
Array reduce_prod(const typing::Arg& x, const std::vector<int64_t>& axes);
// The largest element over axes, which are removed. The result is NaN if there is a NaN, and the
// smallest value of the dtype if there are no elements. Equal elements share the derivative. Throws
// DTypeError for keys. Source: jax.lax.reduce_max.
//
//     lax::reduce_max(array({{1, 2}, {3, 0}}), {1})  // array([2, 3], dtype=int32)
Array reduce_max(const typing::Arg& x, const std::vector<int64_t>& axes);
// The smallest element over axes, which are removed. The result is NaN if there is a NaN, and the
// largest value of the dtype if there are no elements. Equal elements share the derivative. Throws
// DTypeError for keys. Source: jax.lax.reduce_min.
Array reduce_min(const typing::Arg& x, const std::vector<int64_t>& axes);
// True if all bools over the axes are true; bitwise for integers. Throws DTypeError for other
// dtypes. Source: jax.lax.reduce_and.
Array reduce_and(const typing::Arg& x, const std::vector<int64_t>& axes);
// True if any bool over the axes is true; bitwise for integers. Throws DTypeError for other dtypes.
// Source: jax.lax.reduce_or.
Array reduce_or(const typing::Arg& x, const std::vector<int64_t>& axes);
// True if an odd number of bools over the axes is true; bitwise for integers. Throws DTypeError for
// other dtypes. Source: jax.lax.reduce_xor.
Array reduce_xor(const typing::Arg& x, const std::vector<int64_t>& axes);
// The first index of the largest element along an axis, or of the first NaN: (…, n, …) -> (…).
// Throws ShapeError for an axis of size 0 and IndexError for an axis out of range. Throws
// DTypeError for complex numbers, and for an index_dtype that is not an integer. Source:
// jax.lax.argmax.
//
//     lax::argmax(array({1, 3, 3}), 0)  // array(1, dtype=int32)
Array argmax(const typing::Arg& x, int64_t axis, DType index_dtype = I32);
// Like argmax, the first index of the smallest element. Source: jax.lax.argmin.
Array argmin(const typing::Arg& x, int64_t axis, DType index_dtype = I32);

}  // namespace weft::lax
