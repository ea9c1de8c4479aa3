// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/elementwise/elementwise.h: arithmetic of elements. Operands have one dtype, and one shape or
// rank 0.
#pragma once
#include "weft/tracer/array.h"

namespace weft::lax {

// x + y of numbers; integers wrap. Both have one dtype (DTypeError), and one shape or are scalars
// (ShapeError); so have the other operands of this header. Source: jax.lax.add.
//
//     lax::add(array({1, 2}), array({3, 4}))  // array([4, 6], dtype=int32)
Array add(const typing::Arg& x, const typing::Arg& y);
// x - y of numbers; integers wrap. Source: jax.lax.sub.
Array sub(const typing::Arg& x, const typing::Arg& y);
// x times y, of numbers; integers wrap. Source: jax.lax.mul.
Array mul(const typing::Arg& x, const typing::Arg& y);
// x / y of numbers. Division of integers truncates, x / 0 is -1 (all ones), the least number by -1
// itself. Source: jax.lax.div.
//
//     lax::div(array({7, -7}), array({2, 2}))  // array([ 3, -3], dtype=int32)
Array div(const typing::Arg& x, const typing::Arg& y);
// -x of numbers; integers wrap. Source: jax.lax.neg.
Array neg(const typing::Arg& x);
// The larger of x and y, of any dtype but keys: NaN wins, -0 < +0, complex numbers go by real, then
// imaginary part. At equal floats each has half of the derivative. Source: jax.lax.max.
Array max(const typing::Arg& x, const typing::Arg& y);
// The smaller of x and y; as max else. Source: jax.lax.min.
Array min(const typing::Arg& x, const typing::Arg& y);
// The size of x; of complex numbers real. DTypeError for bools and unsigned integers. Source:
// jax.lax.abs.
Array abs(const typing::Arg& x);
// -1, 0 or 1 by the sign of x, NaN and -0 as they are; of complex numbers x / |x|. Source:
// jax.lax.sign.
Array sign(const typing::Arg& x);
// x times x, of numbers; integers wrap. Source: jax.lax.square.
Array square(const typing::Arg& x);
// x^y of numbers; 1 for y = 0, whatever x is. DTypeError for integers with a negative y. Source:
// jax.lax.integer_pow.
//
//     lax::integer_pow(array({2, -3}), 3)  // array([  8, -27], dtype=int32)
Array integer_pow(const typing::Arg& x, int64_t y);

}  // namespace weft::lax
