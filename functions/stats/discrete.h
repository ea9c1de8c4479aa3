// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/stats/discrete.h: distributions of whole numbers, as jax.scipy.stats has them.
//
// Operands are broadcast together, and become floats of one dtype: that of the result. In the
// formulas k is what is given less loc. Outside of what a distribution is of, and for k that is no
// whole number (which JAX puts into the formulas, or rounds), the probability is 0 and its
// logarithm -inf; NaN where an operand is NaN. DTypeError for complex numbers, ShapeError for
// shapes that do not go together, each in the name of the function.
#pragma once
#include "weft/tracer/array.h"

namespace weft::scipy::stats {

// One trial: k - loc is 1 with probability p, else 0. cdf and ppf are NaN for p outside [0, 1].
// Source: jax.scipy.stats.bernoulli.
namespace bernoulli {
// The logarithm of the probability of k. Source: jax.scipy.stats.bernoulli.logpmf.
Array logpmf(const typing::Arg& k, const typing::Arg& p, const typing::Arg& loc = 0);
// The probability of k. Source: jax.scipy.stats.bernoulli.pmf.
Array pmf(const typing::Arg& k, const typing::Arg& p, const typing::Arg& loc = 0);
// The probability of at most k. Source: jax.scipy.stats.bernoulli.cdf.
Array cdf(const typing::Arg& k, const typing::Arg& p);
// 0 where q is at most 1 - p, else 1; NaN outside [0, 1]. Source: jax.scipy.stats.bernoulli.ppf.
Array ppf(const typing::Arg& q, const typing::Arg& p);
}  // namespace bernoulli

// The binomial distribution of n trials with a probability of the beta distribution of a and b:
// (n choose k) B(k + a, n - k + b) / B(a, b); NaN for n < 0 and unless a and b are positive.
// Source: jax.scipy.stats.betabinom.
namespace betabinom {
// The logarithm of the probability of k. Source: jax.scipy.stats.betabinom.logpmf.
Array logpmf(const typing::Arg& k, const typing::Arg& n, const typing::Arg& a, const typing::Arg& b,
             const typing::Arg& loc = 0);
// The probability of k. Source: jax.scipy.stats.betabinom.pmf.
Array pmf(const typing::Arg& k, const typing::Arg& n, const typing::Arg& a, const typing::Arg& b,
          const typing::Arg& loc = 0);
}  // namespace betabinom

// How many of n trials have an outcome of probability p: (n choose k) p^k (1 - p)^(n - k).
// Source: jax.scipy.stats.binom.
namespace binom {
// The logarithm of the probability of k. Source: jax.scipy.stats.binom.logpmf.
Array logpmf(const typing::Arg& k, const typing::Arg& n, const typing::Arg& p,
             const typing::Arg& loc = 0);
// The probability of k. Source: jax.scipy.stats.binom.pmf.
Array pmf(const typing::Arg& k, const typing::Arg& n, const typing::Arg& p,
          const typing::Arg& loc = 0);
}  // namespace binom

// The number of trials up to the first outcome of probability p: p (1 - p)^(k - 1), k >= 1.
// Source: jax.scipy.stats.geom.
namespace geom {
// The logarithm of the probability of k. Source: jax.scipy.stats.geom.logpmf.
Array logpmf(const typing::Arg& k, const typing::Arg& p, const typing::Arg& loc = 0);
// The probability of k. Source: jax.scipy.stats.geom.pmf.
Array pmf(const typing::Arg& k, const typing::Arg& p, const typing::Arg& loc = 0);
}  // namespace geom

// How many trials fail before the n-th outcome of probability p: Gamma(k + n) / (Gamma(n) k!)
// p^n (1 - p)^k; n need be no whole number. Source: jax.scipy.stats.nbinom.
namespace nbinom {
// The logarithm of the probability of k. Source: jax.scipy.stats.nbinom.logpmf.
Array logpmf(const typing::Arg& k, const typing::Arg& n, const typing::Arg& p,
             const typing::Arg& loc = 0);
// The probability of k. Source: jax.scipy.stats.nbinom.pmf.
Array pmf(const typing::Arg& k, const typing::Arg& n, const typing::Arg& p,
          const typing::Arg& loc = 0);
}  // namespace nbinom

// The Poisson distribution: mu^k e^-mu / k!. Source: jax.scipy.stats.poisson.
namespace poisson {
// The logarithm of the probability of k. Source: jax.scipy.stats.poisson.logpmf.
Array logpmf(const typing::Arg& k, const typing::Arg& mu, const typing::Arg& loc = 0);
// The probability of k. Source: jax.scipy.stats.poisson.pmf.
Array pmf(const typing::Arg& k, const typing::Arg& mu, const typing::Arg& loc = 0);
// The probability of at most k. Source: jax.scipy.stats.poisson.cdf.
Array cdf(const typing::Arg& k, const typing::Arg& mu, const typing::Arg& loc = 0);
// -sum of p log p over all k: summed up to 100, from there on by the series in 1 / mu. Of the
// shapes of mu and loc together; loc has no part in the value. Source:
// jax.scipy.stats.poisson.entropy.
Array entropy(const typing::Arg& mu, const typing::Arg& loc = 0);
}  // namespace poisson

// How often each of m outcomes with the probabilities p (…, m) has come in n (…) trials: n! prod
// p_i^x_i / x_i! for counts x (…, m) -> (…); 0 unless these add up to n. DTypeError unless x and n
// are integers, ShapeError for shapes that do not go together. Source: jax.scipy.stats.multinomial.
namespace multinomial {
// The logarithm of the probability of x. Source: jax.scipy.stats.multinomial.logpmf.
Array logpmf(const typing::Arg& x, const typing::Arg& n, const typing::Arg& p);
// The probability of x. Source: jax.scipy.stats.multinomial.pmf.
Array pmf(const typing::Arg& x, const typing::Arg& n, const typing::Arg& p);
}  // namespace multinomial

}  // namespace weft::scipy::stats
