// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/elementwise/compare.h: comparisons, logic on bits and bools, selection.
#pragma once
#include "weft/tracer/array.h"

namespace weft::lax {

// x == y, of any dtype, keys too: false for a NaN. x and y have one dtype (DTypeError) and one
// shape, or are scalars (ShapeError); so have those of the other comparisons. Bool. Source:
// jax.lax.eq.
//
//     lax::eq(array({1, 2}), array({1, 3}))  // array([ True, False])
Array eq(const typing::Arg& x, const typing::Arg& y);
// x != y, of any dtype, keys too: true for a NaN. Bool. Source: jax.lax.ne.
Array ne(const typing::Arg& x, const typing::Arg& y);
// x < y of bools, integers and floats, DTypeError else: false for a NaN. Bool. Source: jax.lax.lt.
Array lt(const typing::Arg& x, const typing::Arg& y);
// x <= y of bools, integers and floats, DTypeError else: false for a NaN. Bool. Source: jax.lax.le.
Array le(const typing::Arg& x, const typing::Arg& y);
// x > y of bools, integers and floats, DTypeError else: false for a NaN. Bool. Source: jax.lax.gt.
Array gt(const typing::Arg& x, const typing::Arg& y);
// x >= y of bools, integers and floats, DTypeError else: false for a NaN. Bool. Source: jax.lax.ge.
Array ge(const typing::Arg& x, const typing::Arg& y);
// Whether floats are neither infinite nor NaN. DTypeError for others. Bool. Source:
// jax.lax.is_finite.
Array is_finite(const typing::Arg& x);
// x and y of bools, of integers bit by bit. DTypeError for others. Source: jax.lax.bitwise_and.
//
//     lax::bitwise_and(array({6, 5}), array({3, 4}))  // array([2, 4], dtype=int32)
Array bitwise_and(const typing::Arg& x, const typing::Arg& y);
// x or y of bools, of integers bit by bit. DTypeError for others. Source: jax.lax.bitwise_or.
Array bitwise_or(const typing::Arg& x, const typing::Arg& y);
// Whether one of x and y is true, of integers bit by bit. DTypeError for others. Source:
// jax.lax.bitwise_xor.
Array bitwise_xor(const typing::Arg& x, const typing::Arg& y);
// Not x of bools, of integers bit by bit. DTypeError for others. Source: jax.lax.bitwise_not.
//
//     lax::bitwise_not(array({0, 1}))  // array([-1, -2], dtype=int32)
Array bitwise_not(const typing::Arg& x);
// cases[which], element by element; `which` is a bool (false: the first case) or an I32, a scalar
// or of the shape of the cases. An I32 out of range takes the nearest case. ShapeError and
// DTypeError for cases of two types, DTypeError for another `which` and for a bool among more than
// two. Source: jax.lax.select_n.
Array select_n(const typing::Arg& which, const Arrays& cases);
// on_true where pred, else on_false: two arrays of one type; pred a bool, a scalar or of their
// shape. Source: jax.lax.select.
//
//     lax::select(array({true}), array({1}), array({3}))  // array([1], dtype=int32)
Array select(const typing::Arg& pred, const Array& on_true, const Array& on_false);

}  // namespace weft::lax
