// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/lax/incomplete.h: incomplete gamma and beta functions, as in jax.lax, and
// exponential integrals, elementwise for floats.
#pragma once
#include "weft/array.h"

namespace weft::lax {

// The regularized lower incomplete gamma function P(a, x): the integral of t^(a - 1) e^-t /
// Gamma(a) from 0 to x. Both operands are floats of one dtype. It is NaN for a < 0, x < 0 and a = x
// = 0. Source: jax.lax.igamma.
Array igamma(const typing::Arg& a, const typing::Arg& x);
// 1 - P(a, x), accurate where it is small, too; otherwise like igamma. Source: jax.lax.igammac.
Array igammac(const typing::Arg& a, const typing::Arg& x);
// The derivative of P with respect to a; NaN for a <= 0 and x < 0. Source: jax.lax.igamma_grad_a.
Array igamma_grad_a(const typing::Arg& a, const typing::Arg& x);
// The derivative of a sample x of the gamma distribution with respect to a: -(dP/da) / (dP/dx).
// Source: jax.lax.random_gamma_grad.
Array random_gamma_grad(const typing::Arg& a, const typing::Arg& x);
// The regularized incomplete beta function I_x(a, b), for floats of one dtype. As in JAX, it has a
// derivative only with respect to x. Source: jax.lax.betainc.
Array betainc(const typing::Arg& a, const typing::Arg& b, const typing::Arg& x);
// The exponential integral E_n(x): the integral of e^(-x t) / t^n from t = 1 to inf. It is NaN for
// x < 0, and for n < 0 or n that is not a whole number. It has a derivative only with respect to x.
Array expn(const typing::Arg& n, const typing::Arg& x);

}  // namespace weft::lax
