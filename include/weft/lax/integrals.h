// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/lax/integrals.h: integrals of elementary functions, elementwise for floats.
#pragma once
#include "weft/array.h"

namespace weft::lax {

// e^(x^2) erfc(x) for floats. Throws DTypeError for other dtypes.
Array erfcx(const typing::Arg& x);
// Dawson's integral for floats: e^(-x^2) times the integral of e^(t^2) from 0 to x.
// Throws DTypeError for other dtypes.
Array dawsn(const typing::Arg& x);
// The exponential integral for floats: the integral of e^t / t up to x. Throws DTypeError for
// other dtypes.
Array expi(const typing::Arg& x);
// The integral of log t / (1 - t) from 1 to x, for floats; NaN for x < 0. Throws DTypeError
// for other dtypes.
Array spence(const typing::Arg& x);
// The integral of sin t / t from 0 to x, for floats. Throws DTypeError for other dtypes.
Array sine_integral(const typing::Arg& x);
// log|x| + gamma + the integral of (cos t - 1) / t from 0 to x, for floats. The function is even.
// Throws DTypeError for other dtypes.
Array cosine_integral(const typing::Arg& x);
// The integral of sin(pi t^2 / 2) from 0 to x, for floats. Throws DTypeError for other
// dtypes.
Array fresnel_sin(const typing::Arg& x);
// The integral of cos(pi t^2 / 2) from 0 to x, for floats. Throws DTypeError for other
// dtypes.
Array fresnel_cos(const typing::Arg& x);

}  // namespace weft::lax
