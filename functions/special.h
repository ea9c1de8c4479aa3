// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/special.h: special functions of real arrays, as jax.scipy.special has them. Operands
// are broadcast together; integers and bools become floats, complex numbers are a DTypeError.
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

// ---- gamma functions
Array gammaln(const Arg& x);             // log |Gamma(x)|
Array loggamma(const Arg& x);            // log Gamma(x) for x > 0, NaN elsewhere
Array gamma(const Arg& x);               // NaN at -1, -2, …; of 0 the infinity with its sign
Array gammasgn(const Arg& x);            // the sign of gamma
Array factorial(const Arg& n);           // Gamma(n + 1), 0 for n < 0
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
Array expit(const Arg& x);                     // 1 / (1 + e^-x)
Array logit(const Arg& p);                     // log(p / (1 - p))
Array xlogy(const Arg& x, const Arg& y);       // x log y, 0 where x is 0
Array xlog1py(const Arg& x, const Arg& y);     // x log(1 + y), 0 where x is 0
Array entr(const Arg& x);                      // -x log x; -inf where x < 0
Array rel_entr(const Arg& p, const Arg& q);    // p log(p / q); inf outside p, q >= 0
Array kl_div(const Arg& p, const Arg& q);      // rel_entr(p, q) - p + q
Array boxcox(const Arg& x, const Arg& lmbda);  // (x^lmbda - 1) / lmbda; log x for lmbda = 0
Array logsumexp(const Arg& x, const AxisList& axis = none, const ReduceOptions& o = {});
Array softmax(const Arg& x, const AxisList& axis = none);
Array log_softmax(const Arg& x, const AxisList& axis = none);

// ---- Bessel functions
Array i0(const Arg& x);   // I0, the modified function of order 0
Array i0e(const Arg& x);  // e^-|x| I0(x)
Array i1(const Arg& x);
Array i1e(const Arg& x);

// The Bernoulli numbers B0 … Bn with B1 = -1/2, in F32; IndexError for n < 0.
Array bernoulli(int64_t n);

}  // namespace weft::special
