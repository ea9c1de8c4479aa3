// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/special.h: special functions of real arrays, as jax.scipy.special has them. Operands
// are broadcast together; integers and bools become floats, complex numbers are a DTypeError unless
// said otherwise.
#pragma once
#include "weft/functions/numpy/reduce.h"

namespace weft::special {

// ---- error functions and the normal distribution
Array erf(const Arg& x);
Array erfc(const Arg& x);
Array erfinv(const Arg& x);
Array ndtr(const Arg& x);      // the distribution function of normal numbers
Array ndtri(const Arg& p);     // its inverse; NaN outside [0, 1]
Array log_ndtr(const Arg& x);  // its logarithm, also where it is tiny
Array erfcx(const Arg& x);     // e^(x^2) erfc(x); of complex numbers, too
Array wofz(const Arg& z);      // Faddeeva's function e^(-z^2) erfc(-iz); complex
Array dawsn(const Arg& x);     // e^(-x^2) times the integral of e^(t^2) from 0 to x
// Owen's function, the integral of e^(-h^2 (1 + t^2) / 2) / (1 + t^2) from 0 to a, over 2 pi.
Array owens_t(const Arg& h, const Arg& a);

// ---- gamma functions
Array gammaln(const Arg& x);  // log |Gamma(x)|
// log Gamma(x) for x > 0, NaN elsewhere; of complex numbers its branch with a cut along x < 0
// alone.
Array loggamma(const Arg& x);
// NaN at -1, -2, …; of 0 the infinity with its sign. Of complex numbers, too, then NaN at 0.
Array gamma(const Arg& x);
Array gammasgn(const Arg& x);   // the sign of gamma
Array factorial(const Arg& n);  // Gamma(n + 1), 0 for n < 0
// The number of ways to take k of n things, 0 outside 0 <= k <= n; with .repetition each may be
// taken again.
struct CombOptions {
  bool repetition = false;
};
Array comb(const Arg& n, const Arg& k, const CombOptions& o = {});
Array poch(const Arg& z, const Arg& m);  // Gamma(z + m) / Gamma(z)
Array multigammaln(const Arg& a,
                   int64_t d);  // log of the multivariate gamma function of dimension d
Array digamma(const Arg& x);
Array polygamma(const Arg& n,
                const Arg& x);               // derivative n of digamma; integers n, else DTypeError
Array zeta(const Arg& x, const Arg& q);      // Hurwitz; derivative by q alone
Array gammainc(const Arg& a, const Arg& x);  // regularised, as lax::igamma
Array gammaincc(const Arg& a, const Arg& x);  // 1 - gammainc(a, x)

// ---- beta functions
Array betaln(const Arg& a, const Arg& b);  // log |B(a, b)|
Array beta(const Arg& a, const Arg& b);
Array betainc(const Arg& a, const Arg& b, const Arg& x);  // regularised; derivative by x alone

// ---- logarithms and exponentials
Array expit(const Arg& x);                       // 1 / (1 + e^-x)
Array logit(const Arg& p);                       // log(p / (1 - p))
Array xlogy(const Arg& x, const Arg& y);         // x log y, 0 where x is 0
Array xlog1py(const Arg& x, const Arg& y);       // x log(1 + y), 0 where x is 0
Array entr(const Arg& x);                        // -x log x; -inf where x < 0
Array rel_entr(const Arg& p, const Arg& q);      // p log(p / q); inf outside p, q >= 0
Array kl_div(const Arg& p, const Arg& q);        // rel_entr(p, q) - p + q
Array boxcox(const Arg& x, const Arg& lmbda);    // (x^lmbda - 1) / lmbda; log x for lmbda = 0
Array boxcox1p(const Arg& x, const Arg& lmbda);  // boxcox(1 + x, lmbda), also for small x
struct LogSumExpOptions {
  bool keepdims = false;
  std::optional<Array> where = {};  // bool, broadcast to x: the elements that count
  std::optional<Array> b = {};      // factors of the exponentials, broadcast with x
};
// log of the sum of b e^x; NaN where a sum of real numbers is negative.
Array logsumexp(const Arg& x, const AxisList& axis = none, const LogSumExpOptions& o = {});
// The logarithm of its size, and its sign: -1, 0, 1 or, of complex numbers, the sum over its size.
struct SignedLog {
  Array value, sign;
};
SignedLog signed_logsumexp(const Arg& x, const AxisList& axis = none,
                           const LogSumExpOptions& o = {});
Array softmax(const Arg& x, const AxisList& axis = none);
Array log_softmax(const Arg& x, const AxisList& axis = none);

// ---- integrals
Array exp1(const Arg& x);  // E1(x), the integral of e^-t / t from x on; NaN for x < 0
Array expi(const Arg& x);  // Ei(x), the integral of e^t / t up to x
// E_n(x), of e^(-x t) / t^n from t = 1 on; NaN for x < 0 and n < 0 or no whole number; derivative
// by x alone.
Array expn(const Arg& n, const Arg& x);
Array spence(const Arg& x);  // the integral of log t / (1 - t) from 1 to x; NaN for x < 0
struct SineIntegrals {
  Array si, ci;
};
// The integral of sin t / t from 0 to x, and log|x| + gamma + that of (cos t - 1) / t.
SineIntegrals sici(const Arg& x);
struct FresnelIntegrals {
  Array s, c;
};
FresnelIntegrals fresnel(const Arg& x);  // of sin and cos of pi t^2 / 2 from 0 to x

// ---- hypergeometric functions; derivatives by all operands
Array hyp1f1(const Arg& a, const Arg& b, const Arg& x);                // Kummer's M(a, b, x)
Array hyp2f1(const Arg& a, const Arg& b, const Arg& c, const Arg& x);  // Gauss's F(a, b; c; x)

// ---- spherical harmonics
struct SphHarmOptions {
  std::optional<int64_t> n_max = {};  // the largest degree, needed if n is traced
};
// Y of degree n >= 0 and order m, integers, at the polar angle theta in [0, pi] and the azimuth
// phi: complex; 0 for |m| > n. Degrees beyond n_max are taken as n_max. F32 unless an angle is F64.
Array sph_harm_y(const Arg& n, const Arg& m, const Arg& theta, const Arg& phi,
                 const SphHarmOptions& o = {});

// ---- Bessel functions
// J_0 … J_v of z along a new first axis, by n_iter steps of Miller's recurrence, which are enough
// for |z| up to about n_iter / 2; IndexError unless 0 <= v <= n_iter.
Array bessel_jn(const Arg& z, int64_t v, int64_t n_iter = 50);
Array i0(const Arg& x);   // I0, the modified function of order 0
Array i0e(const Arg& x);  // e^-|x| I0(x)
Array i1(const Arg& x);
Array i1e(const Arg& x);

// The Bernoulli numbers B0 … Bn with B1 = -1/2, in F32; IndexError for n < 0.
Array bernoulli(int64_t n);

}  // namespace weft::special
