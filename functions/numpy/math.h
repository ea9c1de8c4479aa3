// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/math.h: elementwise functions, with JAX's promotion and NumPy's broadcasting.
#pragma once
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
Array clip(const Arg& x, const Arg& lo, const Arg& hi);
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

// ---- rounding
Array floor(const Arg& x);
Array ceil(const Arg& x);
Array trunc(const Arg& x);
Array rint(const Arg& x);                         // half to even
Array round(const Arg& x, int64_t decimals = 0);  // half to even
Array fix(const Arg& x);

// ---- parts of floats
Array copysign(const Arg& x, const Arg& y);
Array nextafter(const Arg& x, const Arg& y);
Array signbit(const Arg& x);
Array ldexp(const Arg& x, const Arg& exponent);
Array heaviside(const Arg& x, const Arg& at_zero);
// Replaces NaN by `nan` and infinities by the largest finite numbers.
Array nan_to_num(const Arg& x, double nan = 0);

// ---- complex numbers
Array real(const Arg& x);
Array imag(const Arg& x);
Array conj(const Arg& x);
Array conjugate(const Arg& x);
Array angle(const Arg& x);

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

// x where condition, else y.
Array where(const Arg& condition, const Arg& x, const Arg& y);
// The choice of the first condition that holds, else `otherwise`.
Array select(const Arrays& conditions, const Arrays& choices, const Arg& otherwise = 0);

}  // namespace weft
