// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/elementwise/rounding.h: rounding, remainders, bounds, and the bits of integers.
#pragma once
#include "weft/tracer/array.h"

namespace weft::lax {

enum class RoundingMethod { AWAY_FROM_ZERO = 0, TO_NEAREST_EVEN = 1 };  // where ties go

// The largest whole number up to x. DTypeError for what is no float. Source: jax.lax.floor.
Array floor(const typing::Arg& x);
// The smallest whole number from x on. DTypeError for what is no float. Source: jax.lax.ceil.
Array ceil(const typing::Arg& x);
// The nearest whole number, of two the one away from zero or the even one. DTypeError for what is
// no float. Source: jax.lax.round.
//
//     lax::round(array({0.5, 1.5, 2.5}))  // array([1., 2., 3.], dtype=float32)
Array round(const typing::Arg& x, RoundingMethod m = RoundingMethod::AWAY_FROM_ZERO);
// The remainder of x by a truncated y, x - y trunc(x / y), with the sign of x; of integers x by 0
// is x. Real numbers of one dtype (DTypeError), of one shape or scalars (ShapeError). Source:
// jax.lax.rem.
//
//     lax::rem(array({7, -7}), array({3, 3}))  // array([ 1, -1], dtype=int32)
Array rem(const typing::Arg& x, const typing::Arg& y);
// The float next to x on the way to y. DTypeError for what is no float. Source: jax.lax.nextafter.
Array nextafter(const typing::Arg& x, const typing::Arg& y);
// x rounded to the numbers of a float with so many bits of exponent and mantissa, of which the
// subnormals are zero; in the dtype of x, a float, DTypeError else. Source:
// jax.lax.reduce_precision.
Array reduce_precision(const typing::Arg& x, int exponent_bits, int mantissa_bits);
// min(max(x, lo), hi) of real numbers of one dtype; the bounds have the shape of x or are scalars.
// Source: jax.lax.clamp.
//
//     lax::clamp(0, array({-1, 2, 7}), 5)  // array([0, 2, 5], dtype=int32)
Array clamp(const typing::Arg& lo, const typing::Arg& x, const typing::Arg& hi);

// The bits of integers moved up by count places; 0 for a count outside [0, width). DTypeError for
// others and two dtypes. Source: jax.lax.shift_left.
//
//     lax::shift_left(array({1, 3}), array({4, 1}))  // array([16,  6], dtype=int32)
Array shift_left(const typing::Arg& x, const typing::Arg& count);
// The bits of integers moved down by count places, zeros above; 0 for a count outside [0, width).
// DTypeError for others and two dtypes. Source: jax.lax.shift_right_logical.
Array shift_right_logical(const typing::Arg& x, const typing::Arg& count);
// The bits of integers moved down by count places, the sign above; all signs for a count outside
// [0, width). DTypeError for others and two dtypes. Source: jax.lax.shift_right_arithmetic.
Array shift_right_arithmetic(const typing::Arg& x, const typing::Arg& count);
// The upper half of the bits of the product of two integers. DTypeError for others and two dtypes.
// Source: jax.lax.mulhi.
Array mulhi(const typing::Arg& x, const typing::Arg& y);
// How many bits of an integer are set, in its dtype. DTypeError for others. Source:
// jax.lax.population_count.
//
//     lax::population_count(array({7, -1}))  // array([ 3, 32], dtype=int32)
Array population_count(const typing::Arg& x);
// How many bits of an integer are above the highest that is set, in its dtype; of 0 the width.
// DTypeError for others. Source: jax.lax.clz.
Array clz(const typing::Arg& x);

// x itself; with derivative zero. Source: jax.lax.stop_gradient.
Array stop_gradient(const typing::Arg& x);
// x in memory of its own; of any dtype. Source: jax.lax.copy_p.
Array copy(const typing::Arg& x);
// x. What is computed before it and after it is not simplified, contracted or found to be equal as
// if it were not there. Of several arrays each; differentiated as a barrier, too.
// Source: jax.lax.optimization_barrier.
Array optimization_barrier(const typing::Arg& x);
Arrays optimization_barrier(Arrays x, typing::Location at = typing::Location::here());

}  // namespace weft::lax
