// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/scipy/stats/discrete.h: distributions of integers, as in jax.scipy.stats.
//
// The operands are broadcast together and converted to one float dtype, which is the dtype of the
// result. In the formulas k is the argument minus loc. Outside of the support, and for k that is
// not an integer, the probability is 0 and its logarithm -inf. JAX puts such k into the formulas,
// or rounds them. The result is NaN where an operand is NaN. Every function raises DTypeError for
// complex numbers and ShapeError for shapes that do not broadcast; the message names the function.
#pragma once
#include "weft/array.h"

namespace weft::scipy::stats {

// The Bernoulli distribution of one trial: k - loc is 1 with probability p, else 0. cdf and ppf are
// NaN for p outside [0, 1]. Source: jax.scipy.stats.bernoulli.
namespace bernoulli {
// Returns the logarithm of the probability of k. Source: jax.scipy.stats.bernoulli.logpmf.
Array logpmf(const typing::Arg& k, const typing::Arg& p, const typing::Arg& loc = 0);
// Returns the probability of k. Source: jax.scipy.stats.bernoulli.pmf.
Array pmf(const typing::Arg& k, const typing::Arg& p, const typing::Arg& loc = 0);
// Returns the cumulative distribution function: the probability of a value <= k. Source:
// jax.scipy.stats.bernoulli.cdf.
Array cdf(const typing::Arg& k, const typing::Arg& p);
// Returns 0 where q is at most 1 - p, else 1, and NaN outside [0, 1]. Source:
// jax.scipy.stats.bernoulli.ppf.
Array ppf(const typing::Arg& q, const typing::Arg& p);
}  // namespace bernoulli

// The beta-binomial distribution: a binomial distribution of n trials whose probability has the
// beta distribution of a and b. The probability of k is (n choose k) B(k + a, n - k + b) / B(a, b).
// It is NaN for n < 0 and unless a and b are positive. Source: jax.scipy.stats.betabinom.
namespace betabinom {
// Returns the logarithm of the probability of k. Source: jax.scipy.stats.betabinom.logpmf.
Array logpmf(const typing::Arg& k, const typing::Arg& n, const typing::Arg& a, const typing::Arg& b,
             const typing::Arg& loc = 0);
// Returns the probability of k. Source: jax.scipy.stats.betabinom.pmf.
Array pmf(const typing::Arg& k, const typing::Arg& n, const typing::Arg& a, const typing::Arg& b,
          const typing::Arg& loc = 0);
}  // namespace betabinom

// The binomial distribution: the number of successes in n trials of probability p. The probability
// of k is (n choose k) p^k (1 - p)^(n - k). Source: jax.scipy.stats.binom.
namespace binom {
// Returns the logarithm of the probability of k. Source: jax.scipy.stats.binom.logpmf.
Array logpmf(const typing::Arg& k, const typing::Arg& n, const typing::Arg& p,
             const typing::Arg& loc = 0);
// Returns the probability of k. Source: jax.scipy.stats.binom.pmf.
Array pmf(const typing::Arg& k, const typing::Arg& n, const typing::Arg& p,
          const typing::Arg& loc = 0);
}  // namespace binom

// The geometric distribution: the number of trials up to the first success of probability p. The
// probability of k >= 1 is p (1 - p)^(k - 1). Source: jax.scipy.stats.geom.
namespace geom {
// Returns the logarithm of the probability of k. Source: jax.scipy.stats.geom.logpmf.
Array logpmf(const typing::Arg& k, const typing::Arg& p, const typing::Arg& loc = 0);
// Returns the probability of k. Source: jax.scipy.stats.geom.pmf.
Array pmf(const typing::Arg& k, const typing::Arg& p, const typing::Arg& loc = 0);
}  // namespace geom

// The negative binomial distribution: the number of failures before the n-th success of probability
// p. The probability of k is Gamma(k + n) / (Gamma(n) k!) p^n (1 - p)^k. n may be a fraction.
// Source: jax.scipy.stats.nbinom.
namespace nbinom {
// Returns the logarithm of the probability of k. Source: jax.scipy.stats.nbinom.logpmf.
Array logpmf(const typing::Arg& k, const typing::Arg& n, const typing::Arg& p,
             const typing::Arg& loc = 0);
// Returns the probability of k. Source: jax.scipy.stats.nbinom.pmf.
Array pmf(const typing::Arg& k, const typing::Arg& n, const typing::Arg& p,
          const typing::Arg& loc = 0);
}  // namespace nbinom

// The Poisson distribution. The probability of k is mu^k e^-mu / k!. Source:
// jax.scipy.stats.poisson.
namespace poisson {
// Returns the logarithm of the probability of k. Source: jax.scipy.stats.poisson.logpmf.
Array logpmf(const typing::Arg& k, const typing::Arg& mu, const typing::Arg& loc = 0);
// Returns the probability of k. Source: jax.scipy.stats.poisson.pmf.
Array pmf(const typing::Arg& k, const typing::Arg& mu, const typing::Arg& loc = 0);
// Returns the cumulative distribution function: the probability of a value <= k. Source:
// jax.scipy.stats.poisson.cdf.
Array cdf(const typing::Arg& k, const typing::Arg& mu, const typing::Arg& loc = 0);
// Returns the entropy: -sum of p log p over all k. It is summed up to mu = 100; above that it uses
// the series in 1 / mu. The result has the broadcast shape of mu and loc; loc does not affect the
// value. Source: jax.scipy.stats.poisson.entropy.
Array entropy(const typing::Arg& mu, const typing::Arg& loc = 0);
}  // namespace poisson

// The multinomial distribution: the counts x (…, m) of m outcomes with probabilities p (…, m) in n
// (…) trials -> (…). The probability of x is n! prod p_i^x_i / x_i!, and 0 unless the counts add up
// to n. Raises DTypeError unless x and n are integers, and ShapeError for shapes that do not match.
// Source: jax.scipy.stats.multinomial.
namespace multinomial {
// Returns the logarithm of the probability of x. Source: jax.scipy.stats.multinomial.logpmf.
Array logpmf(const typing::Arg& x, const typing::Arg& n, const typing::Arg& p);
// Returns the probability of x. Source: jax.scipy.stats.multinomial.pmf.
Array pmf(const typing::Arg& x, const typing::Arg& n, const typing::Arg& p);
}  // namespace multinomial

}  // namespace weft::scipy::stats
