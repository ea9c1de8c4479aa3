// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/elementwise/rounding.h: rounding, remainders, bounds, and the bits of integers.
#pragma once
#include "weft/tracer/array.h"

namespace weft::lax {

enum class RoundingMethod { AWAY_FROM_ZERO = 0, TO_NEAREST_EVEN = 1 };  // where ties go

Array floor(const Arg& x);
Array ceil(const Arg& x);
Array round(const Arg& x, RoundingMethod m = RoundingMethod::AWAY_FROM_ZERO);
// The remainder of a truncated division, with the sign of x; of integers x rem 0 = x.
Array rem(const Arg& x, const Arg& y);
Array nextafter(const Arg& x, const Arg& y);  // the float next to x on the way to y
// x rounded to the numbers of a float with so many bits, of which the subnormals are zero.
Array reduce_precision(const Arg& x, int exponent_bits, int mantissa_bits);
Array clamp(const Arg& lo, const Arg& x, const Arg& hi);  // min(max(x, lo), hi)

// Counts outside [0, width) give 0, of the arithmetic shift the sign.
Array shift_left(const Arg& x, const Arg& count);
Array shift_right_logical(const Arg& x, const Arg& count);
Array shift_right_arithmetic(const Arg& x, const Arg& count);
Array mulhi(const Arg& x, const Arg& y);  // the upper half of the product's bits
Array population_count(const Arg& x);
Array clz(const Arg& x);  // leading zeros; of 0 the width

// x itself; with derivative zero.
Array stop_gradient(const Arg& x);
Array copy(const Arg& x);
// x. What is computed before it and after it is not simplified, contracted or found to be equal as
// if it were not there. Of several arrays each; differentiated as a barrier, too.
// Source: jax.lax.optimization_barrier.
Array optimization_barrier(const Arg& x);
Arrays optimization_barrier(Arrays x, Location at = Location::here());

}  // namespace weft::lax
