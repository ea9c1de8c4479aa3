// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/math.h: elementwise functions, with JAX's promotion and NumPy's broadcasting.
#pragma once
#include "weft/functions/axis.h"
#include "weft/tracer/array.h"

namespace weft {

// ---- arithmetic. Of bools, add is or and multiply is and.
// x + y, broadcast together and promoted; integers wrap; of bools x or y. ShapeError where the
// shapes do not broadcast, as of all functions of two operands. Source: jax.numpy.add.
//
//     add(array({1, 2}), 3)  // array([4, 5], dtype=int32)
Array add(const typing::Arg& x, const typing::Arg& y);
// x - y, broadcast together and promoted; integers wrap. DTypeError for bools. Source:
// jax.numpy.subtract.
Array subtract(const typing::Arg& x, const typing::Arg& y);
// x times y, broadcast together and promoted; integers wrap; of bools x and y. Source:
// jax.numpy.multiply.
Array multiply(const typing::Arg& x, const typing::Arg& y);
// x / y, broadcast together and promoted; integers become floats (F32, 64-bit ones F64). Source:
// jax.numpy.divide.
//
//     divide(3, array({2, 4}))  // array([1.5 , 0.75], dtype=float32)
Array divide(const typing::Arg& x, const typing::Arg& y);
// The same as divide. Source: jax.numpy.true_divide.
Array true_divide(const typing::Arg& x, const typing::Arg& y);
// The quotient rounded down, broadcast together and promoted; integers stay integers, two bools
// become I32. DTypeError for complex numbers. Source: jax.numpy.floor_divide.
//
//     floor_divide(array({7, -7}), 2)  // array([ 3, -4], dtype=int32)
Array floor_divide(const typing::Arg& x, const typing::Arg& y);
// x - floor_divide(x, y) y, which has the sign of y; integers modulo 0 are 0, two bools become
// I32. DTypeError for complex numbers. Source: jax.numpy.remainder.
//
//     remainder(array({7, -7}), 3)  // array([1, 2], dtype=int32)
Array remainder(const typing::Arg& x, const typing::Arg& y);
// The same as remainder. Source: jax.numpy.mod.
Array mod(const typing::Arg& x, const typing::Arg& y);
// The remainder of the truncated division, which has the sign of x; integers modulo 0 are 0.
// DTypeError for complex numbers. Source: jax.numpy.fmod.
//
//     fmod(array({7, -7}), 3)  // array([ 1, -1], dtype=int32)
Array fmod(const typing::Arg& x, const typing::Arg& y);
// floor_divide(x, y) and remainder(x, y). Source: jax.numpy.divmod.
//
//     divmod(7, array({2, 3})).first  // array([3, 2], dtype=int32)
std::pair<Array, Array> divmod(const typing::Arg& x, const typing::Arg& y);
// The fraction and the integral part of x, both with its sign; of infinities 0 and x; integers
// become floats. DTypeError for complex numbers. Source: jax.numpy.modf.
//
//     modf(array({1.5, -2.5})).first  // array([ 0.5, -0.5], dtype=float32)
std::pair<Array, Array> modf(const typing::Arg& x);
// x^y, broadcast together and promoted; integers stay integers and wrap, 0^0 is 1. A C++ integer y
// is a power by repeated multiplication, of which a negative one of integers is a DTypeError.
// x^0 is the constant 1, and 0^y flat for y >= 0: no derivative of them is NaN, as JAX's are for
// float exponents. Source: jax.numpy.pow.
Array pow(const typing::Arg& x, const typing::Arg& y);
// The same as pow. Source: jax.numpy.power.
//
//     power(array({2, 3}), 2)  // array([4, 9], dtype=int32)
Array power(const typing::Arg& x, const typing::Arg& y);
// x^y in floats, or complex numbers: integers become F32, 64-bit ones F64. NaN of negative x with
// fractional y. Source: jax.numpy.float_power.
Array float_power(const typing::Arg& x, const typing::Arg& y);
// -x; integers wrap. DTypeError for bools. Source: jax.numpy.negative.
Array negative(const typing::Arg& x);
// x itself. Source: jax.numpy.positive.
Array positive(const typing::Arg& x);
// |x|: of complex numbers real, of bools and unsigned integers x itself. The derivative at 0 is 1,
// of complex numbers 0; that of its square is smooth there, other than in JAX. Source:
// jax.numpy.abs.
//
//     abs(array({-3, 2}))  // array([3, 2], dtype=int32)
Array abs(const typing::Arg& x);
// The same as abs. Source: jax.numpy.absolute.
Array absolute(const typing::Arg& x);
// |x| as a float: integers become floats. DTypeError for complex numbers. Source: jax.numpy.fabs.
//
//     fabs(array({-3, 2}))  // array([3., 2.], dtype=float32)
Array fabs(const typing::Arg& x);
// -1, 0 or 1 by the sign of x, in x's dtype; NaN and -0 as they are; of complex numbers x / |x|.
// DTypeError for bools. The derivative is 0; of complex numbers that of x / |x|, where JAX's is 0.
// Source: jax.numpy.sign.
//
//     sign(array({-3, 0, 5}))  // array([-1,  0,  1], dtype=int32)
Array sign(const typing::Arg& x);
// x times x; integers wrap, bools become I32. Source: jax.numpy.square.
Array square(const typing::Arg& x);
// 1 / x; integers become floats. Source: jax.numpy.reciprocal.
Array reciprocal(const typing::Arg& x);
// min(max(x, lo), hi), operands broadcast and promoted together; a bound that is none bounds
// nothing. Where lo > hi the result is hi. DTypeError for complex numbers, which have no order.
// Source: jax.numpy.clip.
Array clip(const typing::Arg& x, const typing::MaybeArray& lo = none,
           const typing::MaybeArray& hi = none);
// The larger of x and y, broadcast together and promoted; a NaN wins; complex numbers go by real,
// then imaginary part. At equal floats each has half of the derivative. Source: jax.numpy.maximum.
//
//     maximum(array({1, 5}), 3)  // array([3, 5], dtype=int32)
Array maximum(const typing::Arg& x, const typing::Arg& y);
// The smaller of x and y; as maximum else. Source: jax.numpy.minimum.
Array minimum(const typing::Arg& x, const typing::Arg& y);
// The larger of x and y, broadcast together and promoted; a number wins over a NaN. At equal floats
// y has the derivative. DTypeError for complex numbers. Source: jax.numpy.fmax.
Array fmax(const typing::Arg& x, const typing::Arg& y);
// The smaller of x and y; as fmax else. Source: jax.numpy.fmin.
Array fmin(const typing::Arg& x, const typing::Arg& y);

// ---- roots, exponentials, logarithms. Integers become floats (64-bit ones F64).
// The square root; NaN for real x < 0; of complex numbers, too. Integers and bools become floats
// (F32, 64-bit ones F64). Source: jax.numpy.sqrt.
//
//     sqrt(array({4, 9}))  // array([2., 3.], dtype=float32)
Array sqrt(const typing::Arg& x);
// The cube root, of negative numbers, too. DTypeError for complex numbers. Integers become floats.
// Source: jax.numpy.cbrt.
Array cbrt(const typing::Arg& x);
// sqrt(|x|^2 + |y|^2), broadcast together and promoted, without overflow on the way; infinite where
// x or y is. Derivatives do not overflow either, other than JAX's. Integers become floats.
// DTypeError for complex numbers. Source: jax.numpy.hypot.
Array hypot(const typing::Arg& x, const typing::Arg& y);
// e^x. Integers become floats. Source: jax.numpy.exp.
Array exp(const typing::Arg& x);
// 2^x. Integers become floats. Source: jax.numpy.exp2.
Array exp2(const typing::Arg& x);
// e^x - 1, exact for small x too. Integers become floats. Source: jax.numpy.expm1.
Array expm1(const typing::Arg& x);
// The natural logarithm; -inf at 0, NaN for real x < 0. Integers become floats. Source:
// jax.numpy.log.
Array log(const typing::Arg& x);
// The logarithm to base 2, log(x) / log(2); -inf at 0, NaN for real x < 0. Integers become floats.
// Source: jax.numpy.log2.
Array log2(const typing::Arg& x);
// The logarithm to base 10, log(x) / log(10); -inf at 0, NaN for real x < 0. Integers become
// floats. Source: jax.numpy.log10.
Array log10(const typing::Arg& x);
// log(1 + x), exact for small x too; -inf at -1, NaN for real x < -1. Integers become floats.
// Source: jax.numpy.log1p.
Array log1p(const typing::Arg& x);
// log(e^x + e^y), broadcast together and promoted, without overflow on the way. At equal operands
// each has half of the derivative. DTypeError for complex numbers. Integers become floats. Source:
// jax.numpy.logaddexp.
Array logaddexp(const typing::Arg& x, const typing::Arg& y);
// log2(2^x + 2^y); as logaddexp else. Source: jax.numpy.logaddexp2.
Array logaddexp2(const typing::Arg& x, const typing::Arg& y);

// ---- angles
// The sine of x, in radians. Integers become floats. Source: jax.numpy.sin.
Array sin(const typing::Arg& x);
// The cosine of x, in radians. Integers become floats. Source: jax.numpy.cos.
Array cos(const typing::Arg& x);
// The tangent of x, in radians. Integers become floats. Source: jax.numpy.tan.
Array tan(const typing::Arg& x);
// The angle in [-pi/2, pi/2] whose sine is x; NaN for real x outside [-1, 1]. Integers become
// floats. Source: jax.numpy.arcsin.
Array arcsin(const typing::Arg& x);
// The angle in [0, pi] whose cosine is x; NaN for real x outside [-1, 1]. Integers become floats.
// Source: jax.numpy.arccos.
Array arccos(const typing::Arg& x);
// The angle in [-pi/2, pi/2] whose tangent is x. Integers become floats. Source: jax.numpy.arctan.
Array arctan(const typing::Arg& x);
// The angle of the point (x, y) in [-pi, pi], by the signs of both, broadcast together and
// promoted. Integers become floats. Source: jax.numpy.arctan2.
Array arctan2(const typing::Arg& y, const typing::Arg& x);
// The hyperbolic sine, (e^x - e^-x) / 2. Integers become floats. Source: jax.numpy.sinh.
Array sinh(const typing::Arg& x);
// The hyperbolic cosine, (e^x + e^-x) / 2. Integers become floats. Source: jax.numpy.cosh.
Array cosh(const typing::Arg& x);
// The hyperbolic tangent, sinh(x) / cosh(x). Integers become floats. Source: jax.numpy.tanh.
Array tanh(const typing::Arg& x);
// The inverse of sinh. Integers become floats. Source: jax.numpy.arcsinh.
Array arcsinh(const typing::Arg& x);
// The number, 0 or more, whose cosh is x; NaN for real x < 1. Integers become floats. Source:
// jax.numpy.arccosh.
Array arccosh(const typing::Arg& x);
// The inverse of tanh; infinite at -1 and 1, NaN for real |x| > 1. Integers become floats. Source:
// jax.numpy.arctanh.
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
// sin(pi x) / (pi x), 1 at 0, where it has its derivatives, too. Integers become floats. Source:
// jax.numpy.sinc.
//
//     sinc(array({0.}))  // array([1.], dtype=float32)
Array sinc(const typing::Arg& x);
// Degrees as radians, x pi / 180. Integers become floats. Source: jax.numpy.deg2rad.
Array deg2rad(const typing::Arg& x);
// Radians as degrees, x 180 / pi. Integers become floats. Source: jax.numpy.rad2deg.
Array rad2deg(const typing::Arg& x);
// The same as deg2rad. Source: jax.numpy.radians.
Array radians(const typing::Arg& x);
// The same as rad2deg. Source: jax.numpy.degrees.
Array degrees(const typing::Arg& x);
// p with multiples of `period` added behind each jump along the axis of more than `discont` (none:
// half a period), so that no jump is larger than half a period; of p's shape, in the dtype of p and
// period together. DTypeError for complex numbers. Source: jax.numpy.unwrap.
Array unwrap(const typing::Arg& p, const typing::MaybeArray& discont = none, int64_t axis = -1,
             const typing::Arg& period = 6.283185307179586);

// ---- rounding
// The largest whole number that is not above x; integers and bools stay as they are. The derivative
// is 0. DTypeError for complex numbers. Source: jax.numpy.floor.
//
//     floor(array({1.5, -1.5}))  // array([ 1., -2.], dtype=float32)
Array floor(const typing::Arg& x);
// The smallest whole number that is not below x; as floor else. Source: jax.numpy.ceil.
Array ceil(const typing::Arg& x);
// x without its fraction; as floor else. Source: jax.numpy.trunc.
//
//     trunc(array({1.5, -1.5}))  // array([ 1., -1.], dtype=float32)
Array trunc(const typing::Arg& x);
// The nearest whole number, of two the even one, of complex numbers both parts; integers become
// floats. The derivative is 0. Source: jax.numpy.rint.
Array rint(const typing::Arg& x);
// x to so many decimals, half to even, of complex numbers both parts; a negative number of decimals
// means tens, hundreds, …. Integers and bools stay as they are, with negative decimals DTypeError.
// Source: jax.numpy.round.
//
//     round(array({2.5, 3.5}))  // array([2., 4.], dtype=float32)
Array round(const typing::Arg& x, int64_t decimals = 0);
// The same as trunc. Source: jax.numpy.fix.
Array fix(const typing::Arg& x);
// The same as round. Source: jax.numpy.around.
Array around(const typing::Arg& x, int64_t decimals = 0);

// ---- parts of floats
// |x| with the sign of y, also of -0 and NaN, broadcast together and promoted; integers become
// floats. DTypeError for complex numbers. Source: jax.numpy.copysign.
//
//     copysign(array({1., 2.}), -1)  // array([-1., -2.], dtype=float32)
Array copysign(const typing::Arg& x, const typing::Arg& y);
// The next number of the dtype after x on the way to y, broadcast together and promoted; integers
// become floats. y where they are equal; NaN where one is. The derivative is 0. Source:
// jax.numpy.nextafter.
Array nextafter(const typing::Arg& x, const typing::Arg& y);
// Whether x has a minus sign, -0 and NaN with one included: Bool, false for unsigned integers and
// bools. DTypeError for complex numbers. Source: jax.numpy.signbit.
//
//     signbit(array({-1., 0.}))  // array([ True, False])
Array signbit(const typing::Arg& x);
// x 2^exponent, for integer exponents, also where the power alone overflows; integers x become
// floats. DTypeError for complex numbers. Source: jax.numpy.ldexp.
//
//     ldexp(array({1., 3.}), 2)  // array([ 4., 12.], dtype=float32)
Array ldexp(const typing::Arg& x, const typing::Arg& exponent);
// m and e with x = m 2^e and 1/2 <= |m| < 1; e is I32. Of 0, infinities and NaN x and 0. DTypeError
// for complex numbers. Source: jax.numpy.frexp.
std::pair<Array, Array> frexp(const typing::Arg& x);
// The distance from x to the next number away from 0, with the sign of x (F16: the next number
// above, as NumPy has it); NaN for what is not finite. DTypeError for complex numbers. Source:
// jax.numpy.spacing.
Array spacing(const typing::Arg& x);
// 0 for x < 0, at_zero for x = 0, 1 for x > 0, NaN for NaN; broadcast together and promoted,
// integers become floats. Source: jax.numpy.heaviside.
//
//     heaviside(array({-1., 0., 2.}), 0.5)  // array([0. , 0.5, 1. ], dtype=float32)
Array heaviside(const typing::Arg& x, const typing::Arg& at_zero);
// x with `nan` for NaN, and `posinf` and `neginf` for infinities (none: the largest and the least
// finite number of the dtype); of complex numbers both parts. Integers stay as they are. Source:
// jax.numpy.nan_to_num.
Array nan_to_num(const typing::Arg& x, const typing::Arg& nan = 0,
                 const typing::MaybeArray& posinf = none, const typing::MaybeArray& neginf = none);

// ---- complex numbers
// The real part, in the real dtype; of real numbers x itself. Source: jax.numpy.real.
Array real(const typing::Arg& x);
// The imaginary part, in the real dtype; of real numbers 0 in x's dtype. Source: jax.numpy.imag.
Array imag(const typing::Arg& x);
// The complex conjugate; of real numbers x itself. Source: jax.numpy.conj.
Array conj(const typing::Arg& x);
// The same as conj. Source: jax.numpy.conjugate.
Array conjugate(const typing::Arg& x);
// The argument of a complex number, in (-pi, pi], in degrees if `deg`; of real numbers 0 or pi, and
// NaN of NaN. Source: jax.numpy.angle.
Array angle(const typing::Arg& x, bool deg = false);
// Whether the imaginary part is 0: Bool, true for real numbers. Source: jax.numpy.isreal.
Array isreal(const typing::Arg& x);
// Whether the imaginary part is not 0: Bool, false for real numbers. Source: jax.numpy.iscomplex.
Array iscomplex(const typing::Arg& x);
// Whether the dtype is a complex one. Source: jax.numpy.iscomplexobj.
bool iscomplexobj(const typing::Arg& x);
// Whether the dtype is not a complex one. Source: jax.numpy.isrealobj.
bool isrealobj(const typing::Arg& x);
// Whether x has no axes. Source: jax.numpy.isscalar.
bool isscalar(const typing::Arg& x);

// ---- dtypes
// The dtype that arrays of these two become together: JAX's lattice with the 64-bit types present.
// DTypeError if there is none (a key with anything else). Source: jax.numpy.promote_types.
//
//     promote_types(I32, F16)  // float16
DType promote_types(DType a, DType b);
namespace detail {
// An Array, a number or a dtype, for its dtype.
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
// The dtype that these become together, each an Array, a number or a dtype; numbers give way to
// the others. DTypeError as promote_types. Source: jax.numpy.result_type.
//
//     result_type(2., array({1, 2}))  // float32
//     result_type(2., F16)  // float16
template <class... T>
  requires(sizeof...(T) > 0)
DType result_type(const T&... x) {
  return detail::result_type_of({detail::HasDType(x)...});
}

// ---- comparisons, logic, bits
// x == y, broadcast together and promoted: Bool, false for a NaN. Source: jax.numpy.equal.
//
//     equal(array({1, 2}), 1)  // array([ True, False])
Array equal(const typing::Arg& x, const typing::Arg& y);
// x != y, broadcast together and promoted: Bool, true for a NaN. Source: jax.numpy.not_equal.
Array not_equal(const typing::Arg& x, const typing::Arg& y);
// x < y, broadcast together and promoted: Bool, false for a NaN. Of complex numbers the real parts
// are compared, and where they are equal the imaginary ones. Source: jax.numpy.less.
//
//     less(array({1, 3}), 2)  // array([ True, False])
Array less(const typing::Arg& x, const typing::Arg& y);
// x <= y; as less else. Source: jax.numpy.less_equal.
Array less_equal(const typing::Arg& x, const typing::Arg& y);
// x > y; as less else. Source: jax.numpy.greater.
Array greater(const typing::Arg& x, const typing::Arg& y);
// x >= y; as less else. Source: jax.numpy.greater_equal.
Array greater_equal(const typing::Arg& x, const typing::Arg& y);
// Whether both x and y are not zero, broadcast together: Bool. NaN is not zero. Source:
// jax.numpy.logical_and.
//
//     logical_and(array({1, 0}), 2)  // array([ True, False])
Array logical_and(const typing::Arg& x, const typing::Arg& y);
// Whether x or y is not zero, broadcast together: Bool. Source: jax.numpy.logical_or.
Array logical_or(const typing::Arg& x, const typing::Arg& y);
// Whether one of x and y is zero and the other one is not, broadcast together: Bool. Source:
// jax.numpy.logical_xor.
Array logical_xor(const typing::Arg& x, const typing::Arg& y);
// Whether x is zero: Bool. Source: jax.numpy.logical_not.
//
//     logical_not(array({0, 5}))  // array([ True, False])
Array logical_not(const typing::Arg& x);
// x and y of bools, of integers bit by bit, broadcast together and promoted. DTypeError for others.
// Source: jax.numpy.bitwise_and.
//
//     bitwise_and(array({6, 5}), 3)  // array([2, 1], dtype=int32)
Array bitwise_and(const typing::Arg& x, const typing::Arg& y);
// x or y of bools, of integers bit by bit, broadcast together and promoted. DTypeError for others.
// Source: jax.numpy.bitwise_or.
Array bitwise_or(const typing::Arg& x, const typing::Arg& y);
// Whether one of x and y is true, of integers bit by bit, broadcast together and promoted.
// DTypeError for others. Source: jax.numpy.bitwise_xor.
Array bitwise_xor(const typing::Arg& x, const typing::Arg& y);
// Not x of bools, of integers bit by bit. DTypeError for others. Source: jax.numpy.bitwise_not.
//
//     bitwise_not(array({0, 1}))  // array([-1, -2], dtype=int32)
Array bitwise_not(const typing::Arg& x);
// The same as bitwise_not. Source: jax.numpy.invert.
Array invert(const typing::Arg& x);
// x 2^y: the bits of x moved up by y, broadcast together and promoted; 0 for y outside [0, width).
// Two bools become I32, DTypeError for what is no integer. Source: jax.numpy.left_shift.
//
//     left_shift(array({1, 3}), 2)  // array([ 4, 12], dtype=int32)
Array left_shift(const typing::Arg& x, const typing::Arg& y);
// The bits of x moved down by y, broadcast together and promoted: signed integers keep their sign,
// which fills the bits above, unsigned ones get zeros. Bools become I32, DTypeError for what is no
// integer. Source: jax.numpy.right_shift.
//
//     right_shift(array({8, -8}), 2)  // array([ 2, -2], dtype=int32)
Array right_shift(const typing::Arg& x, const typing::Arg& y);
// How many bits of |x| are set: U8. DTypeError for floats. Source: jax.numpy.bitwise_count.
//
//     bitwise_count(array({7, 8}))  // array([3, 1], dtype=uint8)
Array bitwise_count(const typing::Arg& x);
// The same as bitwise_not. Source: jax.numpy.bitwise_invert.
Array bitwise_invert(const typing::Arg& x);
// The same as left_shift. Source: jax.numpy.bitwise_left_shift.
Array bitwise_left_shift(const typing::Arg& x, const typing::Arg& y);
// The same as right_shift. Source: jax.numpy.bitwise_right_shift.
Array bitwise_right_shift(const typing::Arg& x, const typing::Arg& y);
// The greatest common divisor of |x| and |y|, of 0 and 0 it is 0; broadcast together and promoted.
// DTypeError unless both are integers. Source: jax.numpy.gcd.
//
//     gcd(array({12, 7}), 8)  // array([4, 1], dtype=int32)
Array gcd(const typing::Arg& x, const typing::Arg& y);
// The least number, 0 or more, that both x and y divide, which wraps where it does not fit the
// dtype; broadcast together and promoted. DTypeError unless both are integers. Source:
// jax.numpy.lcm.
//
//     lcm(array({4, 3}), 6)  // array([12,  6], dtype=int32)
Array lcm(const typing::Arg& x, const typing::Arg& y);
// The modified Bessel function I_0, of floats and integers, which become floats. DTypeError for
// complex numbers. Source: jax.numpy.i0.
Array i0(const typing::Arg& x);

// Whether x, or a part of the complex number x, is NaN: Bool, false for integers. Source:
// jax.numpy.isnan.
Array isnan(const typing::Arg& x);
// Whether x, or a part of the complex number x, is infinite: Bool, false for integers. Source:
// jax.numpy.isinf.
Array isinf(const typing::Arg& x);
// Whether x, or both parts of the complex number x, is neither infinite nor NaN: Bool, true for
// integers. Source: jax.numpy.isfinite.
Array isfinite(const typing::Arg& x);
// Whether x is inf: Bool, false for integers. DTypeError for complex numbers. Source:
// jax.numpy.isposinf.
Array isposinf(const typing::Arg& x);
// Whether x is -inf: Bool, false for integers. DTypeError for complex numbers. Source:
// jax.numpy.isneginf.
Array isneginf(const typing::Arg& x);
// |x - y| <= atol + rtol |y|, broadcast together and promoted: Bool. An infinity is close to itself
// alone, a NaN to a NaN if equal_nan says so; a complex number with such a part is one. Source:
// jax.numpy.isclose.
Array isclose(const typing::Arg& x, const typing::Arg& y, double rtol = 1e-5, double atol = 1e-8,
              bool equal_nan = false);
// Whether isclose holds of all elements: a Bool scalar. Source: jax.numpy.allclose.
Array allclose(const typing::Arg& x, const typing::Arg& y, double rtol = 1e-5, double atol = 1e-8,
               bool equal_nan = false);
// Whether x and y have one shape and the same elements, of which NaN equals NaN if equal_nan says
// so: a Bool scalar. Source: jax.numpy.array_equal.
//
//     array_equal(array({1, 2}), array({1, 2}))  // array(True)
Array array_equal(const typing::Arg& x, const typing::Arg& y, bool equal_nan = false);

// Whether both have the same elements when they are broadcast together; false where they do not
// broadcast. A Bool scalar. Source: jax.numpy.array_equiv.
Array array_equiv(const typing::Arg& x, const typing::Arg& y);

// x where condition, else y.
Array where(const typing::Arg& condition, const typing::Arg& x, const typing::Arg& y);
// A value for one of both does not compile.
template <class X>
  requires std::is_convertible_v<const X&, typing::Arg>
Array where(const typing::Arg&, const X&) {
  static_assert(!std::is_convertible_v<const X&, typing::Arg>,
                "weft: where takes a value for either case: write where(condition, x, y)");
  return Array();
}
// The choice of the first condition that holds, else `otherwise`: element by element, broadcast
// together and promoted. ShapeError unless there are as many choices as conditions, and one at
// least. Source: jax.numpy.select.
//
//     select({array({true, false})}, {array({1, 2})}, 9)  // array([1, 9], dtype=int32)
Array select(const Arrays& conditions, const Arrays& choices, const typing::Arg& otherwise = 0);

}  // namespace weft
