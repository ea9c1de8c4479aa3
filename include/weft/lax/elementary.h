// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/lax/elementary.h: elementary functions of floating-point or complex elements.
#pragma once
#include "weft/array.h"

namespace weft::lax {

// The square root of floats and complex numbers; NaN for real x < 0. Like all functions in this
// header, it throws DTypeError for integers. Source: jax.lax.sqrt.
//
//     lax::sqrt(array({4., 9.}))  // array([2., 3.], dtype=float32)
Array sqrt(const typing::Arg& x);
// 1 / sqrt(x) for floats and complex numbers; infinite at 0, NaN for real x < 0. Source:
// jax.lax.rsqrt.
Array rsqrt(const typing::Arg& x);
// The cube root of floats, including negative ones. Source: jax.lax.cbrt.
Array cbrt(const typing::Arg& x);
// e^x for floats and complex numbers. Source: jax.lax.exp.
Array exp(const typing::Arg& x);
// 2^x for floats and complex numbers. Source: jax.lax.exp2.
Array exp2(const typing::Arg& x);
// e^x - 1 for floats and complex numbers, accurate for small x, too. Source: jax.lax.expm1.
Array expm1(const typing::Arg& x);
// The natural logarithm of floats and complex numbers; -inf at 0, NaN for real x < 0. Source:
// jax.lax.log.
Array log(const typing::Arg& x);
// log(1 + x) for floats and complex numbers, accurate for small x, too; -inf at -1, NaN for real x
// < -1. Source: jax.lax.log1p.
Array log1p(const typing::Arg& x);
// 1 / (1 + e^-x) for floats and complex numbers. Source: jax.lax.logistic.
Array logistic(const typing::Arg& x);
// x^y for floats and complex numbers. y has the dtype of x or is an integer. The derivative with
// respect to x is y x^(y - 1), and 0 for an integer y = 0. Throws DTypeError for other dtypes, and
// ShapeError unless both have one shape or are scalars. Source: jax.lax.pow.
Array pow(const typing::Arg& x, const typing::Arg& y);

// The sine of floats and complex numbers. Source: jax.lax.sin.
Array sin(const typing::Arg& x);
// The cosine of floats and complex numbers. Source: jax.lax.cos.
Array cos(const typing::Arg& x);
// The tangent of floats and complex numbers. Source: jax.lax.tan.
Array tan(const typing::Arg& x);
// The angle in [-pi/2, pi/2] whose sine is x; NaN for real x outside [-1, 1]. Takes complex
// numbers, too. Source: jax.lax.asin.
Array asin(const typing::Arg& x);
// The angle in [0, pi] whose cosine is x; NaN for real x outside [-1, 1]. Takes complex numbers,
// too. Source: jax.lax.acos.
Array acos(const typing::Arg& x);
// The angle in [-pi/2, pi/2] whose tangent is x. Takes complex numbers, too. Source: jax.lax.atan.
Array atan(const typing::Arg& x);
// The angle of the point (x, y) in [-pi, pi], for floats and complex numbers. Both have one dtype
// (DTypeError), and have one shape or are scalars (ShapeError). Source: jax.lax.atan2.
Array atan2(const typing::Arg& y, const typing::Arg& x);
// The hyperbolic sine of floats and complex numbers. Source: jax.lax.sinh.
Array sinh(const typing::Arg& x);
// The hyperbolic cosine of floats and complex numbers. Source: jax.lax.cosh.
Array cosh(const typing::Arg& x);
// The hyperbolic tangent of floats and complex numbers. Source: jax.lax.tanh.
Array tanh(const typing::Arg& x);
// The inverse hyperbolic sine of floats and complex numbers. Source: jax.lax.asinh.
Array asinh(const typing::Arg& x);
// The inverse hyperbolic cosine of floats and complex numbers; NaN for real x < 1. Source:
// jax.lax.acosh.
Array acosh(const typing::Arg& x);
// The inverse hyperbolic tangent of floats and complex numbers; infinite at -1 and 1, NaN for real
// |x| > 1. Source: jax.lax.atanh.
Array atanh(const typing::Arg& x);

}  // namespace weft::lax
