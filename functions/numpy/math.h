// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/math.h: elementwise functions, with JAX's promotion and NumPy's broadcasting.
#pragma once
#include "weft/functions/axis.h"
#include "weft/tracer/array.h"

namespace weft {

// ---- arithmetic. Of bools, add is or and multiply is and.
Array add(const Arg& x, const Arg& y);
Array subtract(const Arg& x, const Arg& y);
Array multiply(const Arg& x, const Arg& y);
Array divide(const Arg& x, const Arg& y);  // true division: integers give floats
Array true_divide(const Arg& x, const Arg& y);
Array floor_divide(const Arg& x, const Arg& y);  // rounds down
Array remainder(const Arg& x, const Arg& y);     // has the sign of the divisor
Array mod(const Arg& x, const Arg& y);
Array fmod(const Arg& x, const Arg& y);  // has the sign of the dividend
std::pair<Array, Array> divmod(const Arg& x, const Arg& y);
std::pair<Array, Array> modf(const Arg& x);  // fraction, integral part
Array pow(const Arg& x, const Arg& y);       // a C++ integer as exponent: repeated squaring
Array power(const Arg& x, const Arg& y);
Array float_power(const Arg& x, const Arg& y);  // always in floats
Array negative(const Arg& x);
Array positive(const Arg& x);
Array abs(const Arg& x);
Array absolute(const Arg& x);
Array fabs(const Arg& x);
Array sign(const Arg& x);
Array square(const Arg& x);
Array reciprocal(const Arg& x);
// min(max(x, lo), hi), operands broadcast and promoted together; a bound that is none bounds
// nothing. Where lo > hi the result is hi. DTypeError for complex numbers, which have no order.
// Source: jax.numpy.clip.
Array clip(const Arg& x, const MaybeArray& lo = none, const MaybeArray& hi = none);
Array maximum(const Arg& x, const Arg& y);  // a NaN wins
Array minimum(const Arg& x, const Arg& y);
Array fmax(const Arg& x, const Arg& y);  // a number wins over a NaN
Array fmin(const Arg& x, const Arg& y);

// ---- roots, exponentials, logarithms. Integers become floats (64-bit ones F64).
Array sqrt(const Arg& x);
Array cbrt(const Arg& x);
Array hypot(const Arg& x, const Arg& y);
Array exp(const Arg& x);
Array exp2(const Arg& x);
Array expm1(const Arg& x);
Array log(const Arg& x);
Array log2(const Arg& x);
Array log10(const Arg& x);
Array log1p(const Arg& x);
Array logaddexp(const Arg& x, const Arg& y);
Array logaddexp2(const Arg& x, const Arg& y);

// ---- angles
Array sin(const Arg& x);
Array cos(const Arg& x);
Array tan(const Arg& x);
Array arcsin(const Arg& x);
Array arccos(const Arg& x);
Array arctan(const Arg& x);
Array arctan2(const Arg& y, const Arg& x);
Array sinh(const Arg& x);
Array cosh(const Arg& x);
Array tanh(const Arg& x);
Array arcsinh(const Arg& x);
Array arccosh(const Arg& x);
Array arctanh(const Arg& x);
Array asin(const Arg& x);
Array acos(const Arg& x);
Array atan(const Arg& x);
Array atan2(const Arg& y, const Arg& x);
Array asinh(const Arg& x);
Array acosh(const Arg& x);
Array atanh(const Arg& x);
Array sinc(const Arg& x);  // sin(πx)/(πx)
Array deg2rad(const Arg& x);
Array rad2deg(const Arg& x);
// deg2rad and rad2deg. Source: jax.numpy.radians, jax.numpy.degrees.
Array radians(const Arg& x);
Array degrees(const Arg& x);
// p with multiples of `period` added behind each jump along the axis of more than `discont` (none:
// half a period), so that no jump is larger than half a period; of p's shape, in the dtype of p and
// period together. DTypeError for complex numbers. Source: jax.numpy.unwrap.
Array unwrap(const Arg& p, const MaybeArray& discont = none, int64_t axis = -1,
             const Arg& period = 6.283185307179586);

// ---- rounding
Array floor(const Arg& x);
Array ceil(const Arg& x);
Array trunc(const Arg& x);
Array rint(const Arg& x);                         // half to even
Array round(const Arg& x, int64_t decimals = 0);  // half to even
Array fix(const Arg& x);
// round. Source: jax.numpy.around.
Array around(const Arg& x, int64_t decimals = 0);

// ---- parts of floats
Array copysign(const Arg& x, const Arg& y);
Array nextafter(const Arg& x, const Arg& y);
Array signbit(const Arg& x);
Array ldexp(const Arg& x, const Arg& exponent);
// m and e with x = m 2^e and 1/2 <= |m| < 1; e is I32. Of 0, infinities and NaN x and 0. DTypeError
// for complex numbers. Source: jax.numpy.frexp.
std::pair<Array, Array> frexp(const Arg& x);
// The distance from x to the next number away from 0, with the sign of x (F16: the next number
// above, as NumPy has it); NaN for what is not finite. DTypeError for complex numbers. Source:
// jax.numpy.spacing.
Array spacing(const Arg& x);
Array heaviside(const Arg& x, const Arg& at_zero);
// x with `nan` for NaN, and `posinf` and `neginf` for infinities (none: the largest and the least
// finite number of the dtype); of complex numbers both parts. Integers stay as they are. Source:
// jax.numpy.nan_to_num.
Array nan_to_num(const Arg& x, const Arg& nan = 0, const MaybeArray& posinf = none,
                 const MaybeArray& neginf = none);

// ---- complex numbers
Array real(const Arg& x);
Array imag(const Arg& x);
Array conj(const Arg& x);
Array conjugate(const Arg& x);
// The argument of a complex number, in (-pi, pi], in degrees if `deg`; of real numbers 0 or pi, and
// NaN of NaN. Source: jax.numpy.angle.
Array angle(const Arg& x, bool deg = false);
// Whether the imaginary part is 0, and whether it is not: Bool, of x's shape. Source:
// jax.numpy.isreal, jax.numpy.iscomplex.
Array isreal(const Arg& x);
Array iscomplex(const Arg& x);
// Whether the dtype is a complex one, or is not. Source: jax.numpy.iscomplexobj.
bool iscomplexobj(const Arg& x);
bool isrealobj(const Arg& x);
// Whether x has no axes. Source: jax.numpy.isscalar.
bool isscalar(const Arg& x);

// ---- comparisons, logic, bits
Array equal(const Arg& x, const Arg& y);
Array not_equal(const Arg& x, const Arg& y);
Array less(const Arg& x, const Arg& y);
Array less_equal(const Arg& x, const Arg& y);
Array greater(const Arg& x, const Arg& y);
Array greater_equal(const Arg& x, const Arg& y);
Array logical_and(const Arg& x, const Arg& y);
Array logical_or(const Arg& x, const Arg& y);
Array logical_xor(const Arg& x, const Arg& y);
Array logical_not(const Arg& x);
Array bitwise_and(const Arg& x, const Arg& y);
Array bitwise_or(const Arg& x, const Arg& y);
Array bitwise_xor(const Arg& x, const Arg& y);
Array bitwise_not(const Arg& x);
Array invert(const Arg& x);
Array left_shift(const Arg& x, const Arg& y);
Array right_shift(const Arg& x, const Arg& y);  // arithmetic for signed integers
Array bitwise_count(const Arg& x);              // of |x|, as U8
// ~x, x << y, x >> y. Source: jax.numpy.bitwise_invert, bitwise_left_shift, bitwise_right_shift.
Array bitwise_invert(const Arg& x);
Array bitwise_left_shift(const Arg& x, const Arg& y);
Array bitwise_right_shift(const Arg& x, const Arg& y);
// The greatest common divisor of |x| and |y| (of 0 and 0 it is 0), and the least number, 0 or more,
// that both divide, which wraps where it does not fit the dtype. Element by element, broadcast and
// promoted. DTypeError unless both are integers. Source: jax.numpy.gcd, jax.numpy.lcm.
Array gcd(const Arg& x, const Arg& y);
Array lcm(const Arg& x, const Arg& y);
// The modified Bessel function I_0, of floats and integers, which become floats. DTypeError for
// complex numbers. Source: jax.numpy.i0.
Array i0(const Arg& x);

Array isnan(const Arg& x);
Array isinf(const Arg& x);
Array isfinite(const Arg& x);
Array isposinf(const Arg& x);
Array isneginf(const Arg& x);
// |x - y| <= atol + rtol |y|
Array isclose(const Arg& x, const Arg& y, double rtol = 1e-5, double atol = 1e-8,
              bool equal_nan = false);
Array allclose(const Arg& x, const Arg& y, double rtol = 1e-5, double atol = 1e-8,
               bool equal_nan = false);
// Whether shapes and all elements agree.
Array array_equal(const Arg& x, const Arg& y, bool equal_nan = false);

// Whether both have the same elements when they are broadcast together; false where they do not
// broadcast. A Bool scalar. Source: jax.numpy.array_equiv.
Array array_equiv(const Arg& x, const Arg& y);

// x where condition, else y.
Array where(const Arg& condition, const Arg& x, const Arg& y);
// The choice of the first condition that holds, else `otherwise`.
Array select(const Arrays& conditions, const Arrays& choices, const Arg& otherwise = 0);

}  // namespace weft
