// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/lax/special.h: special functions of floating-point elements.
#pragma once
#include "weft/array.h"

namespace weft::lax {

// The error function of floats: 2 / sqrt(pi) times the integral of e^(-t^2) from 0 to x. Throws
// DTypeError for other dtypes. Source: jax.lax.erf.
Array erf(const typing::Arg& x);
// 1 - erf(x) for floats, accurate where the result is small, too. Source: jax.lax.erfc.
Array erfc(const typing::Arg& x);
// The number whose erf is x, for floats; infinite at -1 and 1, NaN for |x| > 1. Source:
// jax.lax.erf_inv.
Array erf_inv(const typing::Arg& x);
// The same function by XLA's formula, which loses digits near 1. Random numbers use it to have the
// same bits as in JAX.
Array xla_erf_inv(const typing::Arg& x);
// log |Gamma(x)| for floats. Source: jax.lax.lgamma.
Array lgamma(const typing::Arg& x);
// The derivative of log Gamma(x), for floats. Source: jax.lax.digamma.
Array digamma(const typing::Arg& x);
// Derivative m of digamma at x, for floats; NaN unless m is a whole number. Source:
// jax.lax.polygamma.
Array polygamma(const typing::Arg& m, const typing::Arg& x);
// The Hurwitz zeta function, the sum of (q + k)^-s over k = 0, 1, …, for floats. It is infinite at
// s = 1 and, for whole s > 1, at q = 0, -1, …. It is NaN for s < 1 and, unless s is whole, for q <=
// 0. Source: jax.lax.zeta.
Array zeta(const typing::Arg& s, const typing::Arg& q);
// e^-|x| I0(x) for floats, where I0 is the modified Bessel function of order 0. Source:
// jax.lax.bessel_i0e.
Array bessel_i0e(const typing::Arg& x);
// e^-|x| I1(x) for floats, where I1 is the modified Bessel function of order 1. Source:
// jax.lax.bessel_i1e.
Array bessel_i1e(const typing::Arg& x);

}  // namespace weft::lax
