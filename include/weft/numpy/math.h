// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/numpy/math.h: elementwise functions, with JAX's promotion and NumPy's broadcasting.
#pragma once
#include "weft/array.h"
#include "weft/axis.h"

namespace weft {

// ---- arithmetic. For bools, add is or and multiply is and.
// Returns x + y, broadcast together and promoted. Integers wrap; for bools it is x or y. Like all
// functions of two operands, it raises ShapeError where the shapes do not broadcast. Source:
// jax.numpy.add.
//
//     add(array({1, 2}), 3)  // array([4, 5], dtype=int32)
Array add(const typing::Arg& x, const typing::Arg& y);
// Returns x - y, broadcast together and promoted. Integers wrap. Raises DTypeError for bools.
// Source: jax.numpy.subtract.
Array subtract(const typing::Arg& x, const typing::Arg& y);
// Returns x * y, broadcast together and promoted. Integers wrap; for bools it is x and y. Source:
// jax.numpy.multiply.
Array multiply(const typing::Arg& x, const typing::Arg& y);
// Returns x / y, broadcast together and promoted. Integers are converted to floats (F32, 64-bit
// integers F64). Source: jax.numpy.divide.
//
//     divide(3, array({2, 4}))  // array([1.5 , 0.75], dtype=float32)
Array divide(const typing::Arg& x, const typing::Arg& y);
// The same as divide. Source: jax.numpy.true_divide.
Array true_divide(const typing::Arg& x, const typing::Arg& y);
// Returns the quotient rounded down, broadcast together and promoted. Integers stay integers; two
// bools give I32. Raises DTypeError for complex numbers. Source: jax.numpy.floor_divide.
//
//     floor_divide(array({7, -7}), 2)  // array([ 3, -4], dtype=int32)
Array floor_divide(const typing::Arg& x, const typing::Arg& y);
// Returns x - floor_divide(x, y) * y, which has the sign of y. Integers modulo 0 are 0; two bools
// give I32. Raises DTypeError for complex numbers. Source: jax.numpy.remainder.
//
//     remainder(array({7, -7}), 3)  // array([1, 2], dtype=int32)
Array remainder(const typing::Arg& x, const typing::Arg& y);
// The same as remainder. Source: jax.numpy.mod.
Array mod(const typing::Arg& x, const typing::Arg& y);
// Returns the remainder of truncated division, which has the sign of x. Integers modulo 0 are 0.
// Raises DTypeError for complex numbers. Source: jax.numpy.fmod.
//
//     fmod(array({7, -7}), 3)  // array([ 1, -1], dtype=int32)
Array fmod(const typing::Arg& x, const typing::Arg& y);
// Returns floor_divide(x, y) and remainder(x, y). Source: jax.numpy.divmod.
//
//     divmod(7, array({2, 3})).first  // array([3, 2], dtype=int32)
std::pair<Array, Array> divmod(const typing::Arg& x, const typing::Arg& y);
// Returns the fractional and the integral part of x, both with the sign of x. For infinities they
// are 0 and x. Integers are converted to floats. Raises DTypeError for complex numbers. Source:
// jax.numpy.modf.
//
//     modf(array({1.5, -2.5})).first  // array([ 0.5, -0.5], dtype=float32)
std::pair<Array, Array> modf(const typing::Arg& x);
// Returns x^y, broadcast together and promoted. Integers stay integers and wrap; 0^0 is 1. If y is
// a C++ integer, the power is computed by repeated multiplication; a negative y with integer x is a
// DTypeError. x^0 is the constant 1, and 0^y is constant for y >= 0. So their derivatives are not
// NaN, unlike JAX's for float exponents. Source: jax.numpy.pow.
Array pow(const typing::Arg& x, const typing::Arg& y);
// The same as pow. Source: jax.numpy.power.
//
//     power(array({2, 3}), 2)  // array([4, 9], dtype=int32)
Array power(const typing::Arg& x, const typing::Arg& y);
// Returns x^y as floats or complex numbers. Integers are converted to F32, 64-bit integers to F64.
// The result is NaN for negative x with a fractional y. Source: jax.numpy.float_power.
Array float_power(const typing::Arg& x, const typing::Arg& y);
// Returns -x; integers wrap. Raises DTypeError for bools. Source: jax.numpy.negative.
Array negative(const typing::Arg& x);
// Returns x itself. Source: jax.numpy.positive.
Array positive(const typing::Arg& x);
// Returns |x|. For complex numbers the result is real; bools and unsigned integers are returned
// unchanged. The derivative at 0 is 1, for complex numbers 0. The derivative of the square is
// smooth there, unlike JAX's. Source: jax.numpy.abs.
//
//     abs(array({-3, 2}))  // array([3, 2], dtype=int32)
Array abs(const typing::Arg& x);
// The same as abs. Source: jax.numpy.absolute.
Array absolute(const typing::Arg& x);
// Returns |x| as a float; integers are converted to floats. Raises DTypeError for complex numbers.
// Source: jax.numpy.fabs.
//
//     fabs(array({-3, 2}))  // array([3., 2.], dtype=float32)
Array fabs(const typing::Arg& x);
// Returns -1, 0 or 1 by the sign of x, in x's dtype. NaN and -0 are returned unchanged; for complex
// numbers it is x / |x|. The derivative is 0; for complex numbers it is that of x / |x|, where
// JAX's is 0. Raises DTypeError for bools. Source: jax.numpy.sign.
//
//     sign(array({-3, 0, 5}))  // array([-1,  0,  1], dtype=int32)
Array sign(const typing::Arg& x);
// Returns x * x. Integers wrap; bools are converted to I32. Source: jax.numpy.square.
Array square(const typing::Arg& x);
// Returns 1 / x; integers are converted to floats. Source: jax.numpy.reciprocal.
Array reciprocal(const typing::Arg& x);
// Returns min(max(x, lo), hi) of operands broadcast and promoted together. A bound of `none` is
// ignored. Where lo > hi the result is hi. Raises DTypeError for complex numbers, which have no
// order. Source: jax.numpy.clip.
Array clip(const typing::Arg& x, const typing::MaybeArray& lo = none,
           const typing::MaybeArray& hi = none);
// Returns the larger of x and y, broadcast together and promoted. A NaN gives NaN. Complex numbers
// are compared by their real parts, then by their imaginary parts. At equal floats each operand
// gets half of the derivative. Source: jax.numpy.maximum.
//
//     maximum(array({1, 5}), 3)  // array([3, 5], dtype=int32)
Array maximum(const typing::Arg& x, const typing::Arg& y);
// Returns the smaller of x and y, otherwise like maximum. Source: jax.numpy.minimum.
Array minimum(const typing::Arg& x, const typing::Arg& y);
// Returns the larger of x and y, broadcast together and promoted. If one is NaN, it returns the
// other one. At equal floats y gets the derivative. Raises DTypeError for complex numbers. Source:
// jax.numpy.fmax.
Array fmax(const typing::Arg& x, const typing::Arg& y);
// Returns the smaller of x and y, otherwise like fmax. Source: jax.numpy.fmin.
Array fmin(const typing::Arg& x, const typing::Arg& y);

// ---- roots, exponentials, logarithms. Integers are converted to floats (64-bit integers to F64).
// Returns the square root; NaN for real x < 0. Complex operands are allowed. Integers and bools are
// converted to floats (F32, 64-bit integers F64). Source: jax.numpy.sqrt.
//
//     sqrt(array({4, 9}))  // array([2., 3.], dtype=float32)
Array sqrt(const typing::Arg& x);
// Returns the cube root, also of negative numbers. Integers are converted to floats. Raises
// DTypeError for complex numbers. Source: jax.numpy.cbrt.
Array cbrt(const typing::Arg& x);
// Returns sqrt(|x|^2 + |y|^2), broadcast together and promoted, without intermediate overflow. It
// is infinite where x or y is. The derivatives do not overflow either, unlike JAX's. Integers are
// converted to floats. Raises DTypeError for complex numbers. Source: jax.numpy.hypot.
Array hypot(const typing::Arg& x, const typing::Arg& y);
// Returns e^x. Integers are converted to floats. Source: jax.numpy.exp.
Array exp(const typing::Arg& x);
// Returns 2^x. Integers are converted to floats. Source: jax.numpy.exp2.
Array exp2(const typing::Arg& x);
// Returns e^x - 1, accurate also for small x. Integers are converted to floats. Source:
// jax.numpy.expm1.
Array expm1(const typing::Arg& x);
// Returns the natural logarithm; -inf at 0, NaN for real x < 0. Integers are converted to floats.
// Source: jax.numpy.log.
Array log(const typing::Arg& x);
// Returns the logarithm to base 2, log(x) / log(2); -inf at 0, NaN for real x < 0. Integers are
// converted to floats. Source: jax.numpy.log2.
Array log2(const typing::Arg& x);
// Returns the logarithm to base 10, log(x) / log(10); -inf at 0, NaN for real x < 0. Integers are
// converted to floats. Source: jax.numpy.log10.
Array log10(const typing::Arg& x);
// Returns log(1 + x), accurate also for small x; -inf at -1, NaN for real x < -1. Integers are
// converted to floats. Source: jax.numpy.log1p.
Array log1p(const typing::Arg& x);
// Returns log(e^x + e^y), broadcast together and promoted, without intermediate overflow. At equal
// operands each gets half of the derivative. Integers are converted to floats. Raises DTypeError
// for complex numbers. Source: jax.numpy.logaddexp.
Array logaddexp(const typing::Arg& x, const typing::Arg& y);
// Returns log2(2^x + 2^y), otherwise like logaddexp. Source: jax.numpy.logaddexp2.
Array logaddexp2(const typing::Arg& x, const typing::Arg& y);

// ---- angles
// Returns the sine of x, in radians. Integers are converted to floats. Source: jax.numpy.sin.
Array sin(const typing::Arg& x);
// Returns the cosine of x, in radians. Integers are converted to floats. Source: jax.numpy.cos.
Array cos(const typing::Arg& x);
// Returns the tangent of x, in radians. Integers are converted to floats. Source: jax.numpy.tan.
Array tan(const typing::Arg& x);
// Returns the angle in [-pi/2, pi/2] whose sine is x; NaN for real x outside [-1, 1]. Integers are
// converted to floats. Source: jax.numpy.arcsin.
Array arcsin(const typing::Arg& x);
// Returns the angle in [0, pi] whose cosine is x; NaN for real x outside [-1, 1]. Integers are
// converted to floats. Source: jax.numpy.arccos.
Array arccos(const typing::Arg& x);
// Returns the angle in [-pi/2, pi/2] whose tangent is x. Integers are converted to floats. Source:
// jax.numpy.arctan.
Array arctan(const typing::Arg& x);
// Returns the angle in [-pi, pi] of the point (x, y), by the signs of both, broadcast together and
// promoted. Integers are converted to floats. Source: jax.numpy.arctan2.
Array arctan2(const typing::Arg& y, const typing::Arg& x);
// Returns the hyperbolic sine, (e^x - e^-x) / 2. Integers are converted to floats. Source:
// jax.numpy.sinh.
Array sinh(const typing::Arg& x);
// Returns the hyperbolic cosine, (e^x + e^-x) / 2. Integers are converted to floats. Source:
// jax.numpy.cosh.
Array cosh(const typing::Arg& x);
// Returns the hyperbolic tangent, sinh(x) / cosh(x). Integers are converted to floats. Source:
// jax.numpy.tanh.
Array tanh(const typing::Arg& x);
// Returns the inverse of sinh. Integers are converted to floats. Source: jax.numpy.arcsinh.
Array arcsinh(const typing::Arg& x);
// Returns the inverse of cosh, which is at least 0; NaN for real x < 1. Integers are converted to
// floats. Source: jax.numpy.arccosh.
Array arccosh(const typing::Arg& x);
// Returns the inverse of tanh; infinite at -1 and 1, NaN for real |x| > 1. Integers are converted
// to floats. Source: jax.numpy.arctanh.
Array arctanh(const typing::Arg& x);
// The same as arcsin. Source: jax.numpy.asin.
Array asin(const typing::Arg& x);
// The same as arccos. Source: jax.numpy.acos.
Array acos(const typing::Arg& x);
// The same as arctan. Source: jax.numpy.atan.
Array atan(const typing::Arg& x);
// The same as arctan2. Source: jax.numpy.atan2.
Array atan2(const typing::Arg& y, const typing::Arg& x);
// The same as arcsinh. Source: jax.numpy.asinh.
Array asinh(const typing::Arg& x);
// The same as arccosh. Source: jax.numpy.acosh.
Array acosh(const typing::Arg& x);
// The same as arctanh. Source: jax.numpy.atanh.
Array atanh(const typing::Arg& x);
// Returns sin(pi x) / (pi x), and 1 at 0, with the exact derivatives there too. Integers are
// converted to floats. Source: jax.numpy.sinc.
//
//     sinc(array({0.}))  // array([1.], dtype=float32)
Array sinc(const typing::Arg& x);
// Converts degrees to radians: x pi / 180. Integers are converted to floats. Source:
// jax.numpy.deg2rad.
Array deg2rad(const typing::Arg& x);
// Converts radians to degrees: x 180 / pi. Integers are converted to floats. Source:
// jax.numpy.rad2deg.
Array rad2deg(const typing::Arg& x);
// The same as deg2rad. Source: jax.numpy.radians.
Array radians(const typing::Arg& x);
// The same as rad2deg. Source: jax.numpy.degrees.
Array degrees(const typing::Arg& x);
// Unwraps p along an axis. After each jump of more than `discont` (none: half a period) it adds
// multiples of `period`, so that no jump exceeds half a period. The result has p's shape and the
// promoted dtype of p and period. Raises DTypeError for complex numbers. Source: jax.numpy.unwrap.
Array unwrap(const typing::Arg& p, const typing::MaybeArray& discont = none, int64_t axis = -1,
             const typing::Arg& period = 6.283185307179586);

// ---- rounding
// Returns the largest integer not above x; integers and bools stay unchanged. The derivative is 0.
// Raises DTypeError for complex numbers. Source: jax.numpy.floor.
//
//     floor(array({1.5, -1.5}))  // array([ 1., -2.], dtype=float32)
Array floor(const typing::Arg& x);
// Returns the smallest integer not below x, otherwise like floor. Source: jax.numpy.ceil.
Array ceil(const typing::Arg& x);
// Returns x without its fraction, otherwise like floor. Source: jax.numpy.trunc.
//
//     trunc(array({1.5, -1.5}))  // array([ 1., -1.], dtype=float32)
Array trunc(const typing::Arg& x);
// Returns the nearest integer, ties to even; complex numbers are rounded in both parts. Integers
// are converted to floats. The derivative is 0. Source: jax.numpy.rint.
Array rint(const typing::Arg& x);
// Rounds x to the given number of decimals, ties to even; complex numbers are rounded in both
// parts. Negative decimals round to tens, hundreds, …. Integers and bools stay unchanged; with
// negative decimals they raise DTypeError. Source: jax.numpy.round.
//
//     round(array({2.5, 3.5}))  // array([2., 4.], dtype=float32)
Array round(const typing::Arg& x, int64_t decimals = 0);
// The same as trunc. Source: jax.numpy.fix.
Array fix(const typing::Arg& x);
// The same as round. Source: jax.numpy.around.
Array around(const typing::Arg& x, int64_t decimals = 0);

// ---- parts of floats
// Returns |x| with the sign of y, also for -0 and NaN, broadcast together and promoted. Integers
// are converted to floats. Raises DTypeError for complex numbers. Source: jax.numpy.copysign.
//
//     copysign(array({1., 2.}), -1)  // array([-1., -2.], dtype=float32)
Array copysign(const typing::Arg& x, const typing::Arg& y);
// Returns the next number of the dtype after x towards y, broadcast together and promoted. Integers
// are converted to floats. The result is y where they are equal, and NaN where one is NaN. The
// derivative is 0. Source: jax.numpy.nextafter.
Array nextafter(const typing::Arg& x, const typing::Arg& y);
// Returns true where x has a minus sign, including -0 and NaN with a sign: Bool, false for unsigned
// integers and bools. Raises DTypeError for complex numbers. Source: jax.numpy.signbit.
//
//     signbit(array({-1., 0.}))  // array([ True, False])
Array signbit(const typing::Arg& x);
// Returns x 2^exponent for integer exponents, also where the power alone overflows. Integer x is
// converted to floats. Raises DTypeError for complex numbers. Source: jax.numpy.ldexp.
//
//     ldexp(array({1., 3.}), 2)  // array([ 4., 12.], dtype=float32)
Array ldexp(const typing::Arg& x, const typing::Arg& exponent);
// Returns m and e with x = m 2^e and 1/2 <= |m| < 1; e is I32. For 0, infinities and NaN the
// results are x and 0. Raises DTypeError for complex numbers. Source: jax.numpy.frexp.
std::pair<Array, Array> frexp(const typing::Arg& x);
// Returns the distance from x to the next number away from 0, with the sign of x. For F16 it is the
// next number above, as in NumPy. It is NaN where x is not finite. Raises DTypeError for complex
// numbers. Source: jax.numpy.spacing.
Array spacing(const typing::Arg& x);
// Returns 0 for x < 0, at_zero for x = 0, 1 for x > 0 and NaN for NaN, broadcast together and
// promoted. Integers are converted to floats. Source: jax.numpy.heaviside.
//
//     heaviside(array({-1., 0., 2.}), 0.5)  // array([0. , 0.5, 1. ], dtype=float32)
Array heaviside(const typing::Arg& x, const typing::Arg& at_zero);
// Replaces NaN by `nan`, and infinities by `posinf` and `neginf` (none: the largest and the lowest
// finite number of the dtype). In complex numbers both parts are replaced. Integers stay unchanged.
// Source: jax.numpy.nan_to_num.
Array nan_to_num(const typing::Arg& x, const typing::Arg& nan = 0,
                 const typing::MaybeArray& posinf = none, const typing::MaybeArray& neginf = none);

// ---- complex numbers
// Returns the real part in the real dtype; real numbers are returned unchanged. Source:
// jax.numpy.real.
Array real(const typing::Arg& x);
// Returns the imaginary part in the real dtype; for real numbers, 0 in x's dtype. Source:
// jax.numpy.imag.
Array imag(const typing::Arg& x);
// Returns the complex conjugate; real numbers are returned unchanged. Source: jax.numpy.conj.
Array conj(const typing::Arg& x);
// The same as conj. Source: jax.numpy.conjugate.
Array conjugate(const typing::Arg& x);
// Returns the argument of a complex number in (-pi, pi], in degrees if `deg`. Real numbers give 0
// or pi, and NaN gives NaN. Source: jax.numpy.angle.
Array angle(const typing::Arg& x, bool deg = false);
// Returns true where the imaginary part is 0: Bool, true for real numbers. Source:
// jax.numpy.isreal.
Array isreal(const typing::Arg& x);
// Returns true where the imaginary part is not 0: Bool, false for real numbers. Source:
// jax.numpy.iscomplex.
Array iscomplex(const typing::Arg& x);
// Returns true if the dtype is complex. Source: jax.numpy.iscomplexobj.
bool iscomplexobj(const typing::Arg& x);
// Returns true if the dtype is not complex. Source: jax.numpy.isrealobj.
bool isrealobj(const typing::Arg& x);
// Returns true if x has no axes. Source: jax.numpy.isscalar.
bool isscalar(const typing::Arg& x);

// ---- dtypes
// Returns the promoted dtype of two dtypes, by JAX's lattice with the 64-bit dtypes enabled. Raises
// DTypeError if they have no promoted dtype, such as a key with anything else. Source:
// jax.numpy.promote_types.
//
//     promote_types(I32, F16)  // float16
DType promote_types(DType a, DType b);
namespace detail {
// An Array, a number or a dtype, used for its dtype.
struct HasDType {
  DType dtype;
  bool weak = false;
  HasDType(DType d) : dtype(d) {}
  template <class T>
    requires std::convertible_to<const T&, typing::Arg>
  HasDType(const T& x) : HasDType(static_cast<const Array&>(typing::Arg(x)), 0) {}

 private:
  HasDType(const Array& x, int) : dtype(x.dtype()), weak(x.weak_type()) {}
};
DType result_type_of(std::vector<HasDType> all);
}  // namespace detail
// Returns the promoted dtype of arrays, numbers and dtypes; numbers are weakly typed. Raises
// DTypeError as promote_types. Source: jax.numpy.result_type.
//
//     result_type(2., array({1, 2}))  // float32
//     result_type(2., F16)  // float16
template <class... T>
  requires(sizeof...(T) > 0)
DType result_type(const T&... x) {
  return detail::result_type_of({detail::HasDType(x)...});
}

// ---- comparisons, logic, bits
// Returns x == y, broadcast together and promoted: Bool, false for a NaN. Source: jax.numpy.equal.
//
//     equal(array({1, 2}), 1)  // array([ True, False])
Array equal(const typing::Arg& x, const typing::Arg& y);
// Returns x != y, broadcast together and promoted: Bool, true for a NaN. Source:
// jax.numpy.not_equal.
Array not_equal(const typing::Arg& x, const typing::Arg& y);
// Returns x < y, broadcast together and promoted: Bool, false for a NaN. Complex numbers are
// compared by their real parts, then by their imaginary parts. Source: jax.numpy.less.
//
//     less(array({1, 3}), 2)  // array([ True, False])
Array less(const typing::Arg& x, const typing::Arg& y);
// Returns x <= y, otherwise like less. Source: jax.numpy.less_equal.
Array less_equal(const typing::Arg& x, const typing::Arg& y);
// Returns x > y, otherwise like less. Source: jax.numpy.greater.
Array greater(const typing::Arg& x, const typing::Arg& y);
// Returns x >= y, otherwise like less. Source: jax.numpy.greater_equal.
Array greater_equal(const typing::Arg& x, const typing::Arg& y);
// Returns true where both x and y are nonzero, broadcast together: Bool. NaN counts as nonzero.
// Source: jax.numpy.logical_and.
//
//     logical_and(array({1, 0}), 2)  // array([ True, False])
Array logical_and(const typing::Arg& x, const typing::Arg& y);
// Returns true where x or y is nonzero, broadcast together: Bool. Source: jax.numpy.logical_or.
Array logical_or(const typing::Arg& x, const typing::Arg& y);
// Returns true where exactly one of x and y is nonzero, broadcast together: Bool. Source:
// jax.numpy.logical_xor.
Array logical_xor(const typing::Arg& x, const typing::Arg& y);
// Returns true where x is zero: Bool. Source: jax.numpy.logical_not.
//
//     logical_not(array({0, 5}))  // array([ True, False])
Array logical_not(const typing::Arg& x);
// Returns x and y for bools, bitwise for integers, broadcast together and promoted. Raises
// DTypeError for other dtypes. Source: jax.numpy.bitwise_and.
//
//     bitwise_and(array({6, 5}), 3)  // array([2, 1], dtype=int32)
Array bitwise_and(const typing::Arg& x, const typing::Arg& y);
// Returns x or y for bools, bitwise for integers, broadcast together and promoted. Raises
// DTypeError for other dtypes. Source: jax.numpy.bitwise_or.
Array bitwise_or(const typing::Arg& x, const typing::Arg& y);
// Returns the exclusive or of x and y for bools, bitwise for integers, broadcast together and
// promoted. Raises DTypeError for other dtypes. Source: jax.numpy.bitwise_xor.
Array bitwise_xor(const typing::Arg& x, const typing::Arg& y);
// Returns not x for bools, bitwise for integers. Raises DTypeError for other dtypes. Source:
// jax.numpy.bitwise_not.
//
//     bitwise_not(array({0, 1}))  // array([-1, -2], dtype=int32)
Array bitwise_not(const typing::Arg& x);
// The same as bitwise_not. Source: jax.numpy.invert.
Array invert(const typing::Arg& x);
// Returns x 2^y, the bits of x shifted left by y, broadcast together and promoted; 0 for y outside
// [0, width). Two bools give I32. Raises DTypeError for dtypes that are not integers. Source:
// jax.numpy.left_shift.
//
//     left_shift(array({1, 3}), 2)  // array([ 4, 12], dtype=int32)
Array left_shift(const typing::Arg& x, const typing::Arg& y);
// Returns the bits of x shifted right by y, broadcast together and promoted. Signed integers are
// filled with their sign bit, unsigned ones with zeros. Bools give I32. Raises DTypeError for
// dtypes that are not integers. Source: jax.numpy.right_shift.
//
//     right_shift(array({8, -8}), 2)  // array([ 2, -2], dtype=int32)
Array right_shift(const typing::Arg& x, const typing::Arg& y);
// Returns the number of set bits of |x|: U8. Raises DTypeError for floats. Source:
// jax.numpy.bitwise_count.
//
//     bitwise_count(array({7, 8}))  // array([3, 1], dtype=uint8)
Array bitwise_count(const typing::Arg& x);
// The same as bitwise_not. Source: jax.numpy.bitwise_invert.
Array bitwise_invert(const typing::Arg& x);
// The same as left_shift. Source: jax.numpy.bitwise_left_shift.
Array bitwise_left_shift(const typing::Arg& x, const typing::Arg& y);
// The same as right_shift. Source: jax.numpy.bitwise_right_shift.
Array bitwise_right_shift(const typing::Arg& x, const typing::Arg& y);
// Returns the greatest common divisor of |x| and |y|, broadcast together and promoted. For 0 and 0
// it is 0. Raises DTypeError unless both are integers. Source: jax.numpy.gcd.
//
//     gcd(array({12, 7}), 8)  // array([4, 1], dtype=int32)
Array gcd(const typing::Arg& x, const typing::Arg& y);
// Returns the least common multiple of |x| and |y|, broadcast together and promoted. It wraps where
// it does not fit the dtype. Raises DTypeError unless both are integers. Source: jax.numpy.lcm.
//
//     lcm(array({4, 3}), 6)  // array([12,  6], dtype=int32)
Array lcm(const typing::Arg& x, const typing::Arg& y);
// Returns the modified Bessel function I_0. Integers are converted to floats. Raises DTypeError for
// complex numbers. Source: jax.numpy.i0.
Array i0(const typing::Arg& x);

// Returns true where x is NaN, or a part of a complex x is: Bool, false for integers. Source:
// jax.numpy.isnan.
Array isnan(const typing::Arg& x);
// Returns true where x is infinite, or a part of a complex x is: Bool, false for integers. Source:
// jax.numpy.isinf.
Array isinf(const typing::Arg& x);
// Returns true where x, or both parts of a complex x, are neither infinite nor NaN: Bool, true for
// integers. Source: jax.numpy.isfinite.
Array isfinite(const typing::Arg& x);
// Returns true where x is inf: Bool, false for integers. Raises DTypeError for complex numbers.
// Source: jax.numpy.isposinf.
Array isposinf(const typing::Arg& x);
// Returns true where x is -inf: Bool, false for integers. Raises DTypeError for complex numbers.
// Source: jax.numpy.isneginf.
Array isneginf(const typing::Arg& x);
// Returns true where |x - y| <= atol + rtol |y|, broadcast together and promoted: Bool. An infinity
// is close only to itself. With equal_nan a NaN is close to a NaN. A complex number with an
// infinite or NaN part is treated as infinite or NaN. Source: jax.numpy.isclose.
Array isclose(const typing::Arg& x, const typing::Arg& y, double rtol = 1e-5, double atol = 1e-8,
              bool equal_nan = false);
// Returns true if isclose is true for all elements: a Bool scalar. Source: jax.numpy.allclose.
Array allclose(const typing::Arg& x, const typing::Arg& y, double rtol = 1e-5, double atol = 1e-8,
               bool equal_nan = false);
// Returns true if x and y have the same shape and the same elements: a Bool scalar. With equal_nan,
// NaN equals NaN. Source: jax.numpy.array_equal.
//
//     array_equal(array({1, 2}), array({1, 2}))  // array(True)
Array array_equal(const typing::Arg& x, const typing::Arg& y, bool equal_nan = false);

// Returns true if both have the same elements after broadcasting, false if they do not broadcast: a
// Bool scalar. Source: jax.numpy.array_equiv.
Array array_equiv(const typing::Arg& x, const typing::Arg& y);

// Returns x where condition is true, else y.
Array where(const typing::Arg& condition, const typing::Arg& x, const typing::Arg& y);
// A value for one of both does not compile.
template <class X>
  requires std::is_convertible_v<const X&, typing::Arg>
Array where(const typing::Arg&, const X&) {
  static_assert(!std::is_convertible_v<const X&, typing::Arg>,
                "weft: where takes a value for either case: write where(condition, x, y)");
  return Array();
}
// Returns the choice of the first true condition, else `otherwise`, elementwise, broadcast together
// and promoted. Raises ShapeError unless there are as many choices as conditions, and at least one.
// Source: jax.numpy.select.
//
//     select({array({true, false})}, {array({1, 2})}, 9)  // array([1, 9], dtype=int32)
Array select(const Arrays& conditions, const Arrays& choices, const typing::Arg& otherwise = 0);

}  // namespace weft
