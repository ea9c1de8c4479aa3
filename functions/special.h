// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/special.h: special functions of real arrays, as jax.scipy.special has them. Operands
// are broadcast together; integers and bools become floats, complex numbers are a DTypeError unless
// said otherwise.
#pragma once
#include "weft/functions/numpy/reduce.h"

namespace weft::special {

// ---- error functions and the normal distribution
// The error function, 2 / sqrt(pi) times the integral of e^(-t^2) from 0 to x. Source:
// jax.scipy.special.erf.
//
//     special::erf(array({0.}))  // array([0.], dtype=float32)
Array erf(const typing::Arg& x);
// 1 - erf(x), exact where that is small too. Source: jax.scipy.special.erfc.
Array erfc(const typing::Arg& x);
// The number whose erf is x; infinite at -1 and 1, NaN beyond. Source: jax.scipy.special.erfinv.
Array erfinv(const typing::Arg& x);
// The distribution function of normal numbers: the probability of at most x. Source:
// jax.scipy.special.ndtr.
//
//     special::ndtr(array({0.}))  // array([0.5], dtype=float32)
Array ndtr(const typing::Arg& x);
// The inverse of ndtr: infinite at 0 and 1, NaN outside [0, 1]. Source: jax.scipy.special.ndtri.
Array ndtri(const typing::Arg& p);
// The logarithm of ndtr, also where that is tiny, with derivatives that keep their digits there,
// other than JAX's in F32. Source: jax.scipy.special.log_ndtr.
Array log_ndtr(const typing::Arg& x);
// e^(x^2) erfc(x); of complex numbers, too. Source: jax.scipy.special.erfcx.
Array erfcx(const typing::Arg& x);
// Faddeeva's function e^(-z^2) erfc(-iz), of real and complex numbers; complex. Source:
// jax.scipy.special.wofz.
Array wofz(const typing::Arg& z);
// Dawson's integral, e^(-x^2) times the integral of e^(t^2) from 0 to x. Source:
// jax.scipy.special.dawsn.
Array dawsn(const typing::Arg& x);
// Owen's function, the integral of e^(-h^2 (1 + t^2) / 2) / (1 + t^2) from 0 to a, over 2 pi.
// Source: jax.scipy.special.owens_t.
Array owens_t(const typing::Arg& h, const typing::Arg& a);

// ---- gamma functions
// log |Gamma(x)|. Source: jax.scipy.special.gammaln.
Array gammaln(const typing::Arg& x);
// log Gamma(x) for x > 0, NaN elsewhere; of complex numbers its branch with a cut along x < 0
// alone. Source: jax.scipy.special.loggamma.
Array loggamma(const typing::Arg& x);
// The gamma function; NaN at -1, -2, …, of 0 the infinity with its sign. Of complex numbers, too,
// then NaN at 0. Source: jax.scipy.special.gamma.
Array gamma(const typing::Arg& x);
// The sign of gamma: -1 or 1, at 0 that of the zero, NaN at -1, -2, …. Source:
// jax.scipy.special.gammasgn.
//
//     special::gammasgn(array({0.5, -0.5}))  // array([ 1., -1.], dtype=float32)
Array gammasgn(const typing::Arg& x);
// Gamma(n + 1), n! of whole numbers; 0 for n < 0. Source: jax.scipy.special.factorial.
Array factorial(const typing::Arg& n);
// How comb counts.
struct CombOptions {
  // Each thing may be taken again.
  bool repetition = false;
};
// The number of ways to take k of n things, as floats: n! / (k! (n - k)!), 0 outside 0 <= k <= n;
// with .repetition each may be taken again. Of whole numbers it is whole; JAX's exponential of
// logarithms has few digits for large n. Source: jax.scipy.special.comb.
Array comb(const typing::Arg& n, const typing::Arg& k, const CombOptions& o = {});
// Gamma(z + m) / Gamma(z), 1 for m = 0; the limit where both are infinite. JAX divides gamma
// functions, which overflow for z beyond 34 (F64 171). Source: jax.scipy.special.poch.
Array poch(const typing::Arg& z, const typing::Arg& m);
// The logarithm of the multivariate gamma function of dimension d: d (d - 1) / 4 log(pi) and log
// |Gamma(a - k / 2)| for k = 0, …, d - 1 added up. IndexError for a negative d. Source:
// jax.scipy.special.multigammaln.
Array multigammaln(const typing::Arg& a, int64_t d);
// The derivative of log Gamma(x); -inf at 0, inf at -0 (JAX: NaN), NaN at -1, -2, …. Source:
// jax.scipy.special.digamma.
Array digamma(const typing::Arg& x);
// Derivative n of digamma; infinite at 0, and 0 at infinity for n > 0, where JAX gives NaN.
// DTypeError unless n is of integers. Source: jax.scipy.special.polygamma.
Array polygamma(const typing::Arg& n, const typing::Arg& x);
// Hurwitz's zeta function, the sum of (q + k)^-x over k = 0, 1, …; derivative by q alone. NaN for x
// < 1. For infinite x or q the limit, where JAX gives NaN. Source: jax.scipy.special.zeta.
Array zeta(const typing::Arg& x, const typing::Arg& q);
// The regularised lower incomplete gamma function P(a, x), as lax::igamma; 0 for a = inf and finite
// x, where JAX gives NaN. Source:
// jax.scipy.special.gammainc.
Array gammainc(const typing::Arg& a, const typing::Arg& x);
// 1 - gammainc(a, x), exact where that is small too. Source: jax.scipy.special.gammaincc.
Array gammaincc(const typing::Arg& a, const typing::Arg& x);

// ---- beta functions
// log |B(a, b)|, of large and of negative operands too; the limit where infinite gamma functions
// cancel (JAX: NaN). Source: jax.scipy.special.betaln.
Array betaln(const typing::Arg& a, const typing::Arg& b);
// B(a, b) = Gamma(a) Gamma(b) / Gamma(a + b); at poles as betaln, infinities as positive ones.
// Source: jax.scipy.special.beta.
Array beta(const typing::Arg& a, const typing::Arg& b);
// The regularised incomplete beta function I_x(a, b); derivative by x alone. Source:
// jax.scipy.special.betainc.
Array betainc(const typing::Arg& a, const typing::Arg& b, const typing::Arg& x);

// ---- logarithms and exponentials
// 1 / (1 + e^-x). Source: jax.scipy.special.expit.
//
//     special::expit(array({0.}))  // array([0.5], dtype=float32)
Array expit(const typing::Arg& x);
// log(p / (1 - p)), the inverse of expit; infinite at 0 and 1, NaN outside [0, 1]. Source:
// jax.scipy.special.logit.
Array logit(const typing::Arg& p);
// x log y, 0 where x is 0 and y no NaN. The derivative by y is 0 where both are 0, where JAX's is
// NaN. Source: jax.scipy.special.xlogy.
//
//     special::xlogy(array({0.}), array({0.}))  // array([0.], dtype=float32)
Array xlogy(const typing::Arg& x, const typing::Arg& y);
// x log(1 + y), 0 where x is 0 and y no NaN; derivatives as those of xlogy. Source:
// jax.scipy.special.xlog1py.
Array xlog1py(const typing::Arg& x, const typing::Arg& y);
// -x log x; 0 at 0, -inf for x < 0. Source: jax.scipy.special.entr.
Array entr(const typing::Arg& x);
// p log(p / q); 0 where p is 0, inf outside p, q >= 0. At p = 0 the derivatives are taken to be 0,
// as in JAX. Source: jax.scipy.special.rel_entr.
Array rel_entr(const typing::Arg& p, const typing::Arg& q);
// rel_entr(p, q) - p + q. Source: jax.scipy.special.kl_div.
Array kl_div(const typing::Arg& p, const typing::Arg& q);
// (x^lmbda - 1) / lmbda; log x for lmbda = 0, with the derivative log(x)^2 / 2 by lmbda there,
// where JAX's is 0. Source: jax.scipy.special.boxcox.
Array boxcox(const typing::Arg& x, const typing::Arg& lmbda);
// boxcox(1 + x, lmbda), exact for small x too. Source: jax.scipy.special.boxcox1p.
Array boxcox1p(const typing::Arg& x, const typing::Arg& lmbda);
struct LogSumExpOptions {
  // The axes stay, with size 1.
  bool keepdims = false;
  std::optional<Array> where = {};  // bool, broadcast to x: the elements that count
  std::optional<Array> b = {};      // factors of the exponentials, broadcast with x
};
// log of the sum of b e^x along axes, by default all, of the elements that count and without
// overflow; -inf where none does, NaN where a sum of real numbers is negative. Of complex numbers,
// too. IndexError for axes that x has not, ShapeError for a .where that does not broadcast to x.
// Source: jax.scipy.special.logsumexp.
Array logsumexp(const typing::Arg& x, const typing::AxisList& axis = none,
                const LogSumExpOptions& o = {});
// What signed_logsumexp gives.
struct SignedLog {
  Array value, sign;
};
// The logarithm of the size of such a sum as logsumexp's, and its sign: -1, 0, 1 or, of complex
// numbers, the sum over its size. Source: jax.scipy.special.logsumexp with return_sign.
SignedLog signed_logsumexp(const typing::Arg& x, const typing::AxisList& axis = none,
                           const LogSumExpOptions& o = {});
// nn::softmax along axes, by default of all elements together. Source: jax.scipy.special.softmax.
Array softmax(const typing::Arg& x, const typing::AxisList& axis = none);
// nn::log_softmax along axes, by default of all elements together. Source:
// jax.scipy.special.log_softmax.
Array log_softmax(const typing::Arg& x, const typing::AxisList& axis = none);

// ---- integrals
// E1(x), the integral of e^-t / t from x on; NaN for x < 0. Source: jax.scipy.special.exp1.
Array exp1(const typing::Arg& x);
// Ei(x), the integral of e^t / t up to x. Source: jax.scipy.special.expi.
Array expi(const typing::Arg& x);
// E_n(x), of e^(-x t) / t^n from t = 1 on; NaN for x < 0 and n < 0 or no whole number; derivative
// by x alone. Source: jax.scipy.special.expn.
Array expn(const typing::Arg& n, const typing::Arg& x);
// The integral of log t / (1 - t) from 1 to x; NaN for x < 0. Its derivatives at 1 are the limits
// -1 and 1/2, where JAX's are 0. Source: jax.scipy.special.spence.
Array spence(const typing::Arg& x);
// What sici gives.
struct SineIntegrals {
  Array si, ci;
};
// The integral of sin t / t from 0 to x, and log|x| + gamma + that of (cos t - 1) / t. Source:
// jax.scipy.special.sici.
SineIntegrals sici(const typing::Arg& x);
// What fresnel gives.
struct FresnelIntegrals {
  Array s, c;
};
// The integrals of sin and cos of pi t^2 / 2 from 0 to x. Source: jax.scipy.special.fresnel.
FresnelIntegrals fresnel(const typing::Arg& x);

// ---- hypergeometric functions; derivatives by all operands
// Kummer's function M(a, b, x), as lax::hyp1f1. Source: jax.scipy.special.hyp1f1.
Array hyp1f1(const typing::Arg& a, const typing::Arg& b, const typing::Arg& x);
// Gauss's function F(a, b; c; x), as lax::hyp2f1. Source: jax.scipy.special.hyp2f1.
Array hyp2f1(const typing::Arg& a, const typing::Arg& b, const typing::Arg& c,
             const typing::Arg& x);

// ---- spherical harmonics
struct SphHarmOptions {
  std::optional<int64_t> n_max = {};  // the largest degree, needed if n is traced
};
// Y of degree n >= 0 and order m, integers, at the polar angle theta in [0, pi] and the azimuth
// phi: complex; 0 for |m| > n. Degrees beyond .n_max are taken as that. F32 unless an angle is F64.
// DTypeError for n and m that are no integers, ConcretizationError for a traced n without .n_max.
// Source: jax.scipy.special.sph_harm_y.
Array sph_harm_y(const typing::Arg& n, const typing::Arg& m, const typing::Arg& theta,
                 const typing::Arg& phi, const SphHarmOptions& o = {});

// ---- Bessel functions
// J_0 … J_v of z (…) along a new first axis (v + 1, …), by n_iter steps of Miller's recurrence,
// which are enough for |z| up to about n_iter / 2; IndexError unless 0 <= v <= n_iter. Source:
// jax.scipy.special.bessel_jn.
Array bessel_jn(const typing::Arg& z, int64_t v, int64_t n_iter = 50);
// I0(x), the modified Bessel function of order 0, smooth at 0, where JAX's second derivative is
// wrong. Source: jax.scipy.special.i0.
Array i0(const typing::Arg& x);
// e^-|x| I0(x). Source: jax.scipy.special.i0e.
Array i0e(const typing::Arg& x);
// I1(x), the modified Bessel function of order 1. Source: jax.scipy.special.i1.
Array i1(const typing::Arg& x);
// e^-|x| I1(x). Source: jax.scipy.special.i1e.
Array i1e(const typing::Arg& x);

// The Bernoulli numbers B0 … Bn with B1 = -1/2, in F32; IndexError for n < 0. Source:
// jax.scipy.special.bernoulli.
Array bernoulli(int64_t n, typing::Location at = typing::Location::here());

}  // namespace weft::special
