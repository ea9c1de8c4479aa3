// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/lax/rounding.h: rounding, remainders, clamping, and ops on the bits of integers.
#pragma once
#include "weft/array.h"

namespace weft::lax {

enum class RoundingMethod { AWAY_FROM_ZERO = 0, TO_NEAREST_EVEN = 1 };  // how ties are rounded

// The largest integer that is at most x. Throws DTypeError unless x is a float. Source:
// jax.lax.floor.
Array floor(const typing::Arg& x);
// The smallest integer that is at least x. Throws DTypeError unless x is a float. Source:
// jax.lax.ceil.
Array ceil(const typing::Arg& x);
// The nearest integer. A tie is rounded away from zero or to the even integer. Throws DTypeError
// unless x is a float. Source: jax.lax.round.
//
//     lax::round(array({0.5, 1.5, 2.5}))  // array([1., 2., 3.], dtype=float32)
Array round(const typing::Arg& x, RoundingMethod m = RoundingMethod::AWAY_FROM_ZERO);
// The remainder of truncated division, x - y trunc(x / y), which has the sign of x. For integers,
// the remainder of x by 0 is x. Both are real numbers of one dtype (DTypeError), and have one shape
// or are scalars (ShapeError). Source: jax.lax.rem.
//
//     lax::rem(array({7, -7}), array({3, 3}))  // array([ 1, -1], dtype=int32)
Array rem(const typing::Arg& x, const typing::Arg& y);
// The next float after x in the direction of y. Throws DTypeError unless x is a float. Source:
// jax.lax.nextafter.
Array nextafter(const typing::Arg& x, const typing::Arg& y);
// Rounds x to a float format with this many exponent and mantissa bits, whose subnormals become
// zero. The result has the dtype of x. Throws DTypeError unless x is a float. Source:
// jax.lax.reduce_precision.
Array reduce_precision(const typing::Arg& x, int exponent_bits, int mantissa_bits);
// min(max(x, lo), hi) for real numbers of one dtype. The bounds have the shape of x or are scalars.
// Source: jax.lax.clamp.
//
//     lax::clamp(0, array({-1, 2, 7}), 5)  // array([0, 2, 5], dtype=int32)
Array clamp(const typing::Arg& lo, const typing::Arg& x, const typing::Arg& hi);

// Shifts the bits of integers left by count; 0 for a count outside [0, width). Throws DTypeError
// for other dtypes, and if the two dtypes differ. Source: jax.lax.shift_left.
//
//     lax::shift_left(array({1, 3}), array({4, 1}))  // array([16,  6], dtype=int32)
Array shift_left(const typing::Arg& x, const typing::Arg& count);
// Shifts the bits of integers right by count and fills with zeros; 0 for a count outside [0,
// width). Throws DTypeError for other dtypes, and if the two dtypes differ. Source:
// jax.lax.shift_right_logical.
Array shift_right_logical(const typing::Arg& x, const typing::Arg& count);
// Shifts the bits of integers right by count and fills with the sign bit. For a count outside [0,
// width) all bits are the sign bit. Throws DTypeError for other dtypes, and if the two dtypes
// differ. Source: jax.lax.shift_right_arithmetic.
Array shift_right_arithmetic(const typing::Arg& x, const typing::Arg& count);
// The upper half of the bits of the product of two integers. Throws DTypeError for other dtypes,
// and if the two dtypes differ. Source: jax.lax.mulhi.
Array mulhi(const typing::Arg& x, const typing::Arg& y);
// The number of set bits of an integer, in its dtype. Throws DTypeError for other dtypes. Source:
// jax.lax.population_count.
//
//     lax::population_count(array({7, -1}))  // array([ 3, 32], dtype=int32)
Array population_count(const typing::Arg& x);
// The number of leading zero bits of an integer, in its dtype; the width for 0. Throws DTypeError
// for other dtypes. Source: jax.lax.clz.
Array clz(const typing::Arg& x);

// Returns x, with a derivative of zero. Source: jax.lax.stop_gradient.
Array stop_gradient(const typing::Arg& x);
// Returns a copy of x in its own memory, for any dtype. Source: jax.lax.copy_p.
Array copy(const typing::Arg& x);
// Returns x. The compiler does not simplify, contract (to fma) or merge computations across the
// barrier. The second overload applies a barrier to each array. The derivative is also a barrier.
// Source: jax.lax.optimization_barrier.
Array optimization_barrier(const typing::Arg& x);
Arrays optimization_barrier(Arrays x, typing::Location at = typing::Location::here());

}  // namespace weft::lax
