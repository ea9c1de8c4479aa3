// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/special/incomplete.h: incomplete gamma and beta functions, as jax.lax, and exponential
// integrals; elementwise, of floats.
#pragma once
#include "weft/tracer/array.h"

namespace weft::lax {

// The regularised lower incomplete gamma function P(a, x), the integral of t^(a - 1) e^-t /
// Gamma(a) from 0 to x, of floats of one dtype. NaN for a < 0, x < 0 and a = x = 0. Source:
// jax.lax.igamma.
Array igamma(const typing::Arg& a, const typing::Arg& x);
// 1 - P(a, x), exact where that is small too; as igamma else. Source: jax.lax.igammac.
Array igammac(const typing::Arg& a, const typing::Arg& x);
// The derivative of P by a; NaN for a <= 0 and x < 0. Source: jax.lax.igamma_grad_a.
Array igamma_grad_a(const typing::Arg& a, const typing::Arg& x);
// The derivative by a of a sample x of the gamma distribution: -(dP/da) / (dP/dx). Source:
// jax.lax.random_gamma_grad.
Array random_gamma_grad(const typing::Arg& a, const typing::Arg& x);
// The regularised incomplete beta function I_x(a, b), of floats of one dtype; the derivative by x
// alone, as in JAX. Source: jax.lax.betainc.
Array betainc(const typing::Arg& a, const typing::Arg& b, const typing::Arg& x);
// The exponential integral E_n(x), of e^(-x t) / t^n from t = 1 to inf; NaN for x < 0 and n < 0 or
// no whole number; the derivative by x alone.
Array expn(const typing::Arg& n, const typing::Arg& x);

}  // namespace weft::lax
