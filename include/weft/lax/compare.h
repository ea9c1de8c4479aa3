// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/lax/compare.h: comparisons, logic on bits and bools, and selection.
#pragma once
#include "weft/array.h"

namespace weft::lax {

// x == y, for any dtype, including keys; false for a NaN. x and y must have one dtype (DTypeError),
// and must have one shape or be scalars (ShapeError). The same holds for the other comparisons. The
// result is Bool. Source: jax.lax.eq.
//
//     lax::eq(array({1, 2}), array({1, 3}))  // array([ True, False])
Array eq(const typing::Arg& x, const typing::Arg& y);
// x != y, for any dtype, including keys; true for a NaN. The result is Bool. Source: jax.lax.ne.
Array ne(const typing::Arg& x, const typing::Arg& y);
// x < y for bools, integers and floats; false for a NaN. Throws DTypeError for other dtypes. The
// result is Bool. Source: jax.lax.lt.
Array lt(const typing::Arg& x, const typing::Arg& y);
// x <= y for bools, integers and floats; false for a NaN. Throws DTypeError for other dtypes. The
// result is Bool. Source: jax.lax.le.
Array le(const typing::Arg& x, const typing::Arg& y);
// x > y for bools, integers and floats; false for a NaN. Throws DTypeError for other dtypes. The
// result is Bool. Source: jax.lax.gt.
Array gt(const typing::Arg& x, const typing::Arg& y);
// x >= y for bools, integers and floats; false for a NaN. Throws DTypeError for other dtypes. The
// result is Bool. Source: jax.lax.ge.
Array ge(const typing::Arg& x, const typing::Arg& y);
// True for floats that are neither infinite nor NaN. Throws DTypeError for other dtypes. The result
// is Bool. Source: jax.lax.is_finite.
Array is_finite(const typing::Arg& x);
// x and y, for bools; bitwise for integers. Throws DTypeError for other dtypes. Source:
// jax.lax.bitwise_and.
//
//     lax::bitwise_and(array({6, 5}), array({3, 4}))  // array([2, 4], dtype=int32)
Array bitwise_and(const typing::Arg& x, const typing::Arg& y);
// x or y, for bools; bitwise for integers. Throws DTypeError for other dtypes. Source:
// jax.lax.bitwise_or.
Array bitwise_or(const typing::Arg& x, const typing::Arg& y);
// Exclusive or of x and y, for bools; bitwise for integers. Throws DTypeError for other dtypes.
// Source: jax.lax.bitwise_xor.
Array bitwise_xor(const typing::Arg& x, const typing::Arg& y);
// Not x, for bools; bitwise for integers. Throws DTypeError for other dtypes. Source:
// jax.lax.bitwise_not.
//
//     lax::bitwise_not(array({0, 1}))  // array([-1, -2], dtype=int32)
Array bitwise_not(const typing::Arg& x);
// Selects cases[which] elementwise. `which` is a bool (false selects the first case) or an I32, and
// is a scalar or has the shape of the cases. An I32 out of range selects the nearest case. The
// cases must have one shape (ShapeError) and one dtype (DTypeError). Throws DTypeError for another
// dtype of `which`, and for a bool with more than two cases. Source: jax.lax.select_n.
Array select_n(const typing::Arg& which, const Arrays& cases);
// Selects on_true where pred holds, else on_false. Both arrays have one type. pred is a bool, and
// is a scalar or has their shape. Source: jax.lax.select.
//
//     lax::select(array({true}), array({1}), array({3}))  // array([1], dtype=int32)
Array select(const typing::Arg& pred, const Array& on_true, const Array& on_false);

}  // namespace weft::lax
