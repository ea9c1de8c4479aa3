// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/special.h: special functions of real arrays, as in jax.scipy.special. The operands
// are broadcast together. Integers and bools are converted to floats. Complex operands raise
// DTypeError unless the function says otherwise.
#pragma once
#include "weft/numpy/reduce.h"

namespace weft::special {

// ---- error functions and the normal distribution
// Returns the error function: 2 / sqrt(pi) times the integral of e^(-t^2) from 0 to x. Source:
// jax.scipy.special.erf.
//
//     special::erf(array({0.}))  // array([0.], dtype=float32)
Array erf(const typing::Arg& x);
// Returns 1 - erf(x), accurate also where the result is small. Source: jax.scipy.special.erfc.
Array erfc(const typing::Arg& x);
// Returns the inverse of erf. The result is infinite at -1 and 1 and NaN beyond. Source:
// jax.scipy.special.erfinv.
Array erfinv(const typing::Arg& x);
// Returns the cumulative distribution function of the standard normal distribution: the probability
// of a value of at most x. Source: jax.scipy.special.ndtr.
//
//     special::ndtr(array({0.}))  // array([0.5], dtype=float32)
Array ndtr(const typing::Arg& x);
// Returns the inverse of ndtr. The result is infinite at 0 and 1 and NaN outside [0, 1]. Source:
// jax.scipy.special.ndtri.
Array ndtri(const typing::Arg& p);
// Returns the logarithm of ndtr, accurate also where ndtr is tiny. The derivatives keep their
// digits there, unlike JAX's in F32. Source: jax.scipy.special.log_ndtr.
Array log_ndtr(const typing::Arg& x);
// Returns e^(x^2) erfc(x). Complex operands are allowed. Source: jax.scipy.special.erfcx.
Array erfcx(const typing::Arg& x);
// Returns Faddeeva's function e^(-z^2) erfc(-iz) of real or complex z. The result is complex.
// Source: jax.scipy.special.wofz.
Array wofz(const typing::Arg& z);
// Returns Dawson's integral: e^(-x^2) times the integral of e^(t^2) from 0 to x. Source:
// jax.scipy.special.dawsn.
Array dawsn(const typing::Arg& x);
// Returns Owen's T function: the integral of e^(-h^2 (1 + t^2) / 2) / (1 + t^2) from t = 0 to a,
// divided by 2 pi. Source: jax.scipy.special.owens_t.
Array owens_t(const typing::Arg& h, const typing::Arg& a);

// ---- gamma functions
// Returns log |Gamma(x)|. Source: jax.scipy.special.gammaln.
Array gammaln(const typing::Arg& x);
// Returns log Gamma(x) for x > 0 and NaN for other real x. For complex x it returns the branch
// whose only cut is along x < 0. Source: jax.scipy.special.loggamma.
Array loggamma(const typing::Arg& x);
// Returns the gamma function. It is NaN at -1, -2, …; at a zero it is the infinity with the sign of
// the zero. Complex operands are allowed; the result is then NaN at 0. Source:
// jax.scipy.special.gamma.
Array gamma(const typing::Arg& x);
// Returns the sign of gamma: -1 or 1. At a zero it is the sign of the zero, and at -1, -2, … it is
// NaN. Source: jax.scipy.special.gammasgn.
//
//     special::gammasgn(array({0.5, -0.5}))  // array([ 1., -1.], dtype=float32)
Array gammasgn(const typing::Arg& x);
// Returns Gamma(n + 1), which is n! for integers n, and 0 for n < 0. Source:
// jax.scipy.special.factorial.
Array factorial(const typing::Arg& n);
// The options of comb.
struct CombOptions {
  // True: an element may be chosen more than once.
  bool repetition = false;
};
// Returns the number of ways to choose k of n elements, as a float: n! / (k! (n - k)!), and 0
// outside 0 <= k <= n. With .repetition an element may be chosen more than once. For integers the
// result is an integer; JAX takes the exponential of logarithms, which has few correct digits for
// large n. Source: jax.scipy.special.comb.
Array comb(const typing::Arg& n, const typing::Arg& k, const CombOptions& o = {});
// Returns Gamma(z + m) / Gamma(z), the rising factorial, which is 1 for m = 0. Where both gamma
// functions are infinite it is the limit. JAX divides gamma functions, which overflow for z above
// 34 (171 in F64). Source: jax.scipy.special.poch.
Array poch(const typing::Arg& z, const typing::Arg& m);
// Returns the logarithm of the multivariate gamma function of dimension d. It is d (d - 1) / 4
// log(pi) plus the sum of log |Gamma(a - k / 2)| over k = 0, …, d - 1. Raises IndexError for a
// negative d. Source: jax.scipy.special.multigammaln.
Array multigammaln(const typing::Arg& a, int64_t d);
// Returns the derivative of log Gamma(x). It is -inf at 0, inf at -0 (NaN in JAX) and NaN at -1,
// -2, …. Source: jax.scipy.special.digamma.
Array digamma(const typing::Arg& x);
// Returns the n-th derivative of digamma. It is infinite at 0 and, for n > 0, 0 at infinity, where
// JAX gives NaN. Raises DTypeError unless n has an integer dtype. Source:
// jax.scipy.special.polygamma.
Array polygamma(const typing::Arg& n, const typing::Arg& x);
// Returns Hurwitz's zeta function: the sum of (q + k)^-x over k = 0, 1, …, and NaN for x < 1. For
// infinite x or q it is the limit, where JAX gives NaN. It is differentiable with respect to q
// only. Source: jax.scipy.special.zeta.
Array zeta(const typing::Arg& x, const typing::Arg& q);
// Returns the regularized lower incomplete gamma function P(a, x), as lax::igamma. It is 0 for a =
// inf and finite x, where JAX gives NaN. Source: jax.scipy.special.gammainc.
Array gammainc(const typing::Arg& a, const typing::Arg& x);
// Returns 1 - gammainc(a, x), accurate also where the result is small. Source:
// jax.scipy.special.gammaincc.
Array gammaincc(const typing::Arg& a, const typing::Arg& x);

// ---- beta functions
// Returns log |B(a, b)|, also for large and for negative operands. Where infinite gamma functions
// cancel, it is the limit (NaN in JAX). Source: jax.scipy.special.betaln.
Array betaln(const typing::Arg& a, const typing::Arg& b);
// Returns the beta function B(a, b) = Gamma(a) Gamma(b) / Gamma(a + b). At poles it follows betaln;
// infinities are positive. Source: jax.scipy.special.beta.
Array beta(const typing::Arg& a, const typing::Arg& b);
// Returns the regularized incomplete beta function I_x(a, b). It is differentiable with respect to
// x only. Source: jax.scipy.special.betainc.
Array betainc(const typing::Arg& a, const typing::Arg& b, const typing::Arg& x);

// ---- logarithms and exponentials
// Returns the logistic sigmoid 1 / (1 + e^-x). Source: jax.scipy.special.expit.
//
//     special::expit(array({0.}))  // array([0.5], dtype=float32)
Array expit(const typing::Arg& x);
// Returns log(p / (1 - p)), the inverse of expit. It is infinite at 0 and 1 and NaN outside [0, 1].
// Source: jax.scipy.special.logit.
Array logit(const typing::Arg& p);
// Returns x log y, and 0 where x is 0 and y is not NaN. The derivative with respect to y is 0 where
// both are 0; JAX's is NaN there. Source: jax.scipy.special.xlogy.
//
//     special::xlogy(array({0.}), array({0.}))  // array([0.], dtype=float32)
Array xlogy(const typing::Arg& x, const typing::Arg& y);
// Returns x log(1 + y), and 0 where x is 0 and y is not NaN. The derivatives follow those of xlogy.
// Source: jax.scipy.special.xlog1py.
Array xlog1py(const typing::Arg& x, const typing::Arg& y);
// Returns the elementwise entropy -x log x. It is 0 at 0 and -inf for x < 0. Source:
// jax.scipy.special.entr.
Array entr(const typing::Arg& x);
// Returns the relative entropy p log(p / q). It is 0 where p is 0, and inf where p or q is
// negative. At p = 0 the derivatives are defined as 0, as in JAX. Source:
// jax.scipy.special.rel_entr.
Array rel_entr(const typing::Arg& p, const typing::Arg& q);
// Returns the Kullback-Leibler term rel_entr(p, q) - p + q. Source: jax.scipy.special.kl_div.
Array kl_div(const typing::Arg& p, const typing::Arg& q);
// Returns the Box-Cox transformation (x^lmbda - 1) / lmbda, which is log x for lmbda = 0. The
// derivative with respect to lmbda at 0 is log(x)^2 / 2, where JAX's is 0. Source:
// jax.scipy.special.boxcox.
Array boxcox(const typing::Arg& x, const typing::Arg& lmbda);
// Returns boxcox(1 + x, lmbda), accurate also for small x. Source: jax.scipy.special.boxcox1p.
Array boxcox1p(const typing::Arg& x, const typing::Arg& lmbda);
struct LogSumExpOptions {
  // True: the reduced axes stay in the result, with size 1.
  bool keepdims = false;
  std::optional<Array> where = {};  // bool, broadcast to x: the elements to include
  std::optional<Array> b = {};      // factors of the exponentials, broadcast with x
};
// Returns the logarithm of the sum of b e^x along the axes (all of them by default), without
// overflow. Only the elements that .where selects are included. The result is -inf where no element
// is included, and NaN where a sum of real numbers is negative. Complex operands are allowed.
// Raises IndexError for axes that x does not have, and ShapeError if .where does not broadcast to
// x. Source: jax.scipy.special.logsumexp.
Array logsumexp(const typing::Arg& x, const typing::AxisList& axis = none,
                const LogSumExpOptions& o = {});
// The results of signed_logsumexp.
struct SignedLog {
  Array value, sign;
};
// Returns the logarithm of the absolute value of the sum that logsumexp computes, and the sign of
// the sum. The sign is -1, 0 or 1; for complex operands it is the sum divided by its absolute
// value. Source: jax.scipy.special.logsumexp with return_sign.
SignedLog signed_logsumexp(const typing::Arg& x, const typing::AxisList& axis = none,
                           const LogSumExpOptions& o = {});
// Returns nn::softmax along the axes, by default over all elements. Source:
// jax.scipy.special.softmax.
Array softmax(const typing::Arg& x, const typing::AxisList& axis = none);
// Returns nn::log_softmax along the axes, by default over all elements. Source:
// jax.scipy.special.log_softmax.
Array log_softmax(const typing::Arg& x, const typing::AxisList& axis = none);

// ---- integrals
// Returns the exponential integral E1(x): the integral of e^-t / t from x to infinity. It is NaN
// for x < 0. Source: jax.scipy.special.exp1.
Array exp1(const typing::Arg& x);
// Returns the exponential integral Ei(x): the integral of e^t / t from -infinity to x. Source:
// jax.scipy.special.expi.
Array expi(const typing::Arg& x);
// Returns the exponential integral E_n(x): the integral of e^(-x t) / t^n from t = 1 to infinity.
// It is NaN for x < 0, for n < 0 and for n that is not an integer. It is differentiable with
// respect to x only. Source: jax.scipy.special.expn.
Array expn(const typing::Arg& n, const typing::Arg& x);
// Returns Spence's function: the integral of log t / (1 - t) from 1 to x. It is NaN for x < 0. The
// derivatives at 1 are the limits -1 and 1/2; JAX's are 0 there. Source: jax.scipy.special.spence.
Array spence(const typing::Arg& x);
// The results of sici.
struct SineIntegrals {
  Array si, ci;
};
// Returns the sine integral and the cosine integral. The sine integral is the integral of sin t / t
// from 0 to x. The cosine integral is log |x| + gamma plus the integral of (cos t - 1) / t from 0
// to x. Source: jax.scipy.special.sici.
SineIntegrals sici(const typing::Arg& x);
// The results of fresnel.
struct FresnelIntegrals {
  Array s, c;
};
// Returns the Fresnel integrals: the integrals of sin(pi t^2 / 2) and cos(pi t^2 / 2) from 0 to x.
// Source: jax.scipy.special.fresnel.
FresnelIntegrals fresnel(const typing::Arg& x);

// ---- hypergeometric functions, differentiable with respect to all operands
// Returns Kummer's function M(a, b, x), as lax::hyp1f1. Source: jax.scipy.special.hyp1f1.
Array hyp1f1(const typing::Arg& a, const typing::Arg& b, const typing::Arg& x);
// Returns Gauss's function F(a, b; c; x), as lax::hyp2f1. Source: jax.scipy.special.hyp2f1.
Array hyp2f1(const typing::Arg& a, const typing::Arg& b, const typing::Arg& c,
             const typing::Arg& x);

// ---- spherical harmonics
struct SphHarmOptions {
  std::optional<int64_t> n_max = {};  // the largest degree; required if n is traced
};
// Returns the spherical harmonic of degree n >= 0 and order m at the polar angle theta in [0, pi]
// and the azimuth phi. The result is complex, and 0 for |m| > n. Degrees above .n_max are treated
// as .n_max. The result has F32 parts unless an angle is F64. Raises DTypeError if n or m is not of
// an integer dtype, and ConcretizationError for a traced n without .n_max. Source:
// jax.scipy.special.sph_harm_y.
Array sph_harm_y(const typing::Arg& n, const typing::Arg& m, const typing::Arg& theta,
                 const typing::Arg& phi, const SphHarmOptions& o = {});

// ---- Bessel functions
// Returns the Bessel functions J_0, …, J_v of z (…) along a new leading axis: (v + 1, …). It runs
// n_iter steps of Miller's recurrence, which suffice for |z| up to about n_iter / 2. Raises
// IndexError unless 0 <= v <= n_iter. Source: jax.scipy.special.bessel_jn.
Array bessel_jn(const typing::Arg& z, int64_t v, int64_t n_iter = 50);
// Returns the modified Bessel function I0(x) of order 0. It is smooth at 0, where JAX's second
// derivative is wrong. Source: jax.scipy.special.i0.
Array i0(const typing::Arg& x);
// Returns e^-|x| I0(x). Source: jax.scipy.special.i0e.
Array i0e(const typing::Arg& x);
// Returns the modified Bessel function I1(x) of order 1. Source: jax.scipy.special.i1.
Array i1(const typing::Arg& x);
// Returns e^-|x| I1(x). Source: jax.scipy.special.i1e.
Array i1e(const typing::Arg& x);

// Returns the Bernoulli numbers B0, …, Bn in F32, with B1 = -1/2. Raises IndexError for n < 0.
// Source: jax.scipy.special.bernoulli.
Array bernoulli(int64_t n, typing::Location at = typing::Location::here());

}  // namespace weft::special
