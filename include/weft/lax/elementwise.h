// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/lax/elementwise.h: elementwise arithmetic. All operands have one dtype, and each has
// either the common shape or rank 0.
#pragma once
#include "weft/array.h"

namespace weft::lax {

// x + y for numbers; integers wrap. Both operands must have one dtype (DTypeError), and must have
// one shape or be scalars (ShapeError). The same holds for the other functions of this header.
// Source: jax.lax.add.
//
//     lax::add(array({1, 2}), array({3, 4}))  // array([4, 6], dtype=int32)
Array add(const typing::Arg& x, const typing::Arg& y);
// x - y for numbers; integers wrap. Source: jax.lax.sub.
Array sub(const typing::Arg& x, const typing::Arg& y);
// x times y, for numbers; integers wrap. Source: jax.lax.mul.
Array mul(const typing::Arg& x, const typing::Arg& y);
// x / y for numbers. Integer division truncates. For integers, x / 0 is -1 (all bits set), and the
// smallest number divided by -1 is the smallest number. Source: jax.lax.div.
//
//     lax::div(array({7, -7}), array({2, 2}))  // array([ 3, -3], dtype=int32)
Array div(const typing::Arg& x, const typing::Arg& y);
// -x for numbers; integers wrap. Source: jax.lax.neg.
Array neg(const typing::Arg& x);
// The larger of x and y, for any dtype except keys. The result is NaN if an operand is NaN, and -0
// < +0. Complex numbers are compared by their real, then by their imaginary parts. If two floats
// are equal, each gets half of the derivative. Source: jax.lax.max.
Array max(const typing::Arg& x, const typing::Arg& y);
// The smaller of x and y, with the same rules as max. Source: jax.lax.min.
Array min(const typing::Arg& x, const typing::Arg& y);
// The absolute value of x, which is real for complex numbers. Throws DTypeError for bools and
// unsigned integers. Source: jax.lax.abs.
Array abs(const typing::Arg& x);
// -1, 0 or 1, the sign of x. NaN and -0 are returned unchanged. For complex numbers the result is x
// / |x|. Source: jax.lax.sign.
Array sign(const typing::Arg& x);
// x times x, for numbers; integers wrap. Source: jax.lax.square.
Array square(const typing::Arg& x);
// x^y for numbers; 1 for y = 0 and any x. Throws DTypeError for integers with a negative y. Source:
// jax.lax.integer_pow.
//
//     lax::integer_pow(array({2, -3}), 3)  // array([  8, -27], dtype=int32)
Array integer_pow(const typing::Arg& x, int64_t y);

}  // namespace weft::lax
