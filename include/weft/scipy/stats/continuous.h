// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/scipy/stats/continuous.h: continuous distributions, as in jax.scipy.stats.
//
// The operands are broadcast together and converted to one float dtype, which is the dtype of the
// result. Outside of its support and at infinity a density is 0 and its logarithm -inf. The
// quantile functions (ppf, isf) give the ends of the support at 0 and 1, and NaN outside [0, 1].
//
// Densities of large parameters are differences of large logarithms. The formulas here keep the
// digits, where JAX's F32 results have none. JAX's tails, quantiles and values at infinity also
// differ where its formulas cancel or compute with infinities. Every function raises DTypeError for
// complex numbers and ShapeError for shapes that do not broadcast; the message names the function.
#pragma once
#include "weft/array.h"

namespace weft::scipy::stats {

// The beta distribution on [loc, loc + scale]. The density of z = (x - loc) / scale is z^(a - 1)
// (1 - z)^(b - 1) / B(a, b); it is NaN unless a, b and scale are positive. cdf and sf are
// differentiable with respect to x, loc and scale only. Source: jax.scipy.stats.beta.
namespace beta {
// Returns the logarithm of the density at x. Source: jax.scipy.stats.beta.logpdf.
Array logpdf(const typing::Arg& x, const typing::Arg& a, const typing::Arg& b,
             const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the density at x. Source: jax.scipy.stats.beta.pdf.
Array pdf(const typing::Arg& x, const typing::Arg& a, const typing::Arg& b,
          const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the cumulative distribution function: the probability of a value <= x. Source:
// jax.scipy.stats.beta.cdf.
Array cdf(const typing::Arg& x, const typing::Arg& a, const typing::Arg& b,
          const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the logarithm of cdf, also where cdf underflows (-inf in JAX). Source:
// jax.scipy.stats.beta.logcdf.
Array logcdf(const typing::Arg& x, const typing::Arg& a, const typing::Arg& b,
             const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the survival function: the probability of a value > x. Source: jax.scipy.stats.beta.sf.
Array sf(const typing::Arg& x, const typing::Arg& a, const typing::Arg& b,
         const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the logarithm of sf, also where sf underflows (-inf in JAX). Source:
// jax.scipy.stats.beta.logsf.
Array logsf(const typing::Arg& x, const typing::Arg& a, const typing::Arg& b,
            const typing::Arg& loc = 0, const typing::Arg& scale = 1);
}  // namespace beta

// The Cauchy distribution: density 1 / (pi scale (1 + z^2)) with z = (x - loc) / scale. Source:
// jax.scipy.stats.cauchy.
namespace cauchy {
// Returns the logarithm of the density at x. Source: jax.scipy.stats.cauchy.logpdf.
Array logpdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the density at x. Source: jax.scipy.stats.cauchy.pdf.
Array pdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the cumulative distribution function: the probability of a value <= x. Source:
// jax.scipy.stats.cauchy.cdf.
Array cdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the logarithm of cdf. Source: jax.scipy.stats.cauchy.logcdf.
Array logcdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the survival function: the probability of a value > x. Source: jax.scipy.stats.cauchy.sf.
Array sf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the logarithm of sf. Source: jax.scipy.stats.cauchy.logsf.
Array logsf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the quantile function: the inverse of cdf. Source: jax.scipy.stats.cauchy.ppf.
Array ppf(const typing::Arg& q, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the inverse of sf. Source: jax.scipy.stats.cauchy.isf.
Array isf(const typing::Arg& q, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
}  // namespace cauchy

// The chi-squared distribution with df degrees of freedom. The density of z = (x - loc) / scale >=
// 0 is z^(df / 2 - 1) e^(-z / 2) / (2^(df / 2) Gamma(df / 2)). Source: jax.scipy.stats.chi2.
namespace chi2 {
// Returns the logarithm of the density at x. Source: jax.scipy.stats.chi2.logpdf.
Array logpdf(const typing::Arg& x, const typing::Arg& df, const typing::Arg& loc = 0,
             const typing::Arg& scale = 1);
// Returns the density at x. Source: jax.scipy.stats.chi2.pdf.
Array pdf(const typing::Arg& x, const typing::Arg& df, const typing::Arg& loc = 0,
          const typing::Arg& scale = 1);
// Returns the cumulative distribution function: the probability of a value <= x. Source:
// jax.scipy.stats.chi2.cdf.
Array cdf(const typing::Arg& x, const typing::Arg& df, const typing::Arg& loc = 0,
          const typing::Arg& scale = 1);
// Returns the logarithm of cdf, also where cdf underflows (-inf in JAX). Source:
// jax.scipy.stats.chi2.logcdf.
Array logcdf(const typing::Arg& x, const typing::Arg& df, const typing::Arg& loc = 0,
             const typing::Arg& scale = 1);
// Returns the survival function: the probability of a value > x. Source: jax.scipy.stats.chi2.sf.
Array sf(const typing::Arg& x, const typing::Arg& df, const typing::Arg& loc = 0,
         const typing::Arg& scale = 1);
// Returns the logarithm of sf, also where sf underflows (-inf in JAX). Source:
// jax.scipy.stats.chi2.logsf.
Array logsf(const typing::Arg& x, const typing::Arg& df, const typing::Arg& loc = 0,
            const typing::Arg& scale = 1);
}  // namespace chi2

// The exponential distribution: density e^-z / scale for z = (x - loc) / scale >= 0. Source:
// jax.scipy.stats.expon.
namespace expon {
// Returns the logarithm of the density at x. Source: jax.scipy.stats.expon.logpdf.
Array logpdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the density at x. Source: jax.scipy.stats.expon.pdf.
Array pdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the cumulative distribution function: the probability of a value <= x. Source:
// jax.scipy.stats.expon.cdf.
Array cdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the logarithm of cdf. Source: jax.scipy.stats.expon.logcdf.
Array logcdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the survival function: the probability of a value > x. Source: jax.scipy.stats.expon.sf.
Array sf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the logarithm of sf. Source: jax.scipy.stats.expon.logsf.
Array logsf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the quantile function: the inverse of cdf. It is NaN outside [0, 1]. Source:
// jax.scipy.stats.expon.ppf.
Array ppf(const typing::Arg& q, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
}  // namespace expon

// The gamma distribution. The density of z = (x - loc) / scale >= 0 is z^(a - 1) e^-z / Gamma(a).
// Source: jax.scipy.stats.gamma.
namespace gamma {
// Returns the logarithm of the density at x. Source: jax.scipy.stats.gamma.logpdf.
Array logpdf(const typing::Arg& x, const typing::Arg& a, const typing::Arg& loc = 0,
             const typing::Arg& scale = 1);
// Returns the density at x. Source: jax.scipy.stats.gamma.pdf.
Array pdf(const typing::Arg& x, const typing::Arg& a, const typing::Arg& loc = 0,
          const typing::Arg& scale = 1);
// Returns the cumulative distribution function: the probability of a value <= x. Source:
// jax.scipy.stats.gamma.cdf.
Array cdf(const typing::Arg& x, const typing::Arg& a, const typing::Arg& loc = 0,
          const typing::Arg& scale = 1);
// Returns the logarithm of cdf, also where cdf underflows (-inf in JAX). Source:
// jax.scipy.stats.gamma.logcdf.
Array logcdf(const typing::Arg& x, const typing::Arg& a, const typing::Arg& loc = 0,
             const typing::Arg& scale = 1);
// Returns the survival function: the probability of a value > x. Source: jax.scipy.stats.gamma.sf.
Array sf(const typing::Arg& x, const typing::Arg& a, const typing::Arg& loc = 0,
         const typing::Arg& scale = 1);
// Returns the logarithm of sf, also where sf underflows (-inf in JAX). Source:
// jax.scipy.stats.gamma.logsf.
Array logsf(const typing::Arg& x, const typing::Arg& a, const typing::Arg& loc = 0,
            const typing::Arg& scale = 1);
}  // namespace gamma

// The generalized normal distribution: density beta e^(-|x|^beta) / (2 Gamma(1 / beta)). Source:
// jax.scipy.stats.gennorm.
namespace gennorm {
// Returns the logarithm of the density at x. Source: jax.scipy.stats.gennorm.logpdf.
Array logpdf(const typing::Arg& x, const typing::Arg& beta);
// Returns the density at x. Source: jax.scipy.stats.gennorm.pdf.
Array pdf(const typing::Arg& x, const typing::Arg& beta);
// Returns the cumulative distribution function: the probability of a value <= x. Source:
// jax.scipy.stats.gennorm.cdf.
Array cdf(const typing::Arg& x, const typing::Arg& beta);
}  // namespace gennorm

// The left-skewed Gumbel distribution, the limit distribution of the smallest of many values:
// density e^(z - e^z) / scale with z = (x - loc) / scale. It is NaN unless scale is positive.
// Source: jax.scipy.stats.gumbel_l.
namespace gumbel_l {
// Returns the logarithm of the density at x. Source: jax.scipy.stats.gumbel_l.logpdf.
Array logpdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the density at x. Source: jax.scipy.stats.gumbel_l.pdf.
Array pdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the cumulative distribution function: the probability of a value <= x. Source:
// jax.scipy.stats.gumbel_l.cdf.
Array cdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the logarithm of cdf. Source: jax.scipy.stats.gumbel_l.logcdf.
Array logcdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the survival function: the probability of a value > x. Source:
// jax.scipy.stats.gumbel_l.sf.
Array sf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the logarithm of sf. Source: jax.scipy.stats.gumbel_l.logsf.
Array logsf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the quantile function: the inverse of cdf. It is NaN outside [0, 1]; JAX gives NaN also
// at 0 and 1. Source: jax.scipy.stats.gumbel_l.ppf.
Array ppf(const typing::Arg& q, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
}  // namespace gumbel_l

// The right-skewed Gumbel distribution, the limit distribution of the largest of many values:
// density e^-(z + e^-z) / scale with z = (x - loc) / scale. It is NaN unless scale is positive.
// Source: jax.scipy.stats.gumbel_r.
namespace gumbel_r {
// Returns the logarithm of the density at x. Source: jax.scipy.stats.gumbel_r.logpdf.
Array logpdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the density at x. Source: jax.scipy.stats.gumbel_r.pdf.
Array pdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the cumulative distribution function: the probability of a value <= x. Source:
// jax.scipy.stats.gumbel_r.cdf.
Array cdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the logarithm of cdf. Source: jax.scipy.stats.gumbel_r.logcdf.
Array logcdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the survival function: the probability of a value > x. Source:
// jax.scipy.stats.gumbel_r.sf.
Array sf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the logarithm of sf. Source: jax.scipy.stats.gumbel_r.logsf.
Array logsf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the quantile function: the inverse of cdf. It is NaN outside [0, 1]; JAX gives NaN also
// at 0 and 1. Source: jax.scipy.stats.gumbel_r.ppf.
Array ppf(const typing::Arg& q, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
}  // namespace gumbel_r

// The Laplace distribution: density e^-|z| / (2 scale) with z = (x - loc) / scale. Source:
// jax.scipy.stats.laplace.
namespace laplace {
// Returns the logarithm of the density at x. Source: jax.scipy.stats.laplace.logpdf.
Array logpdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the density at x. Source: jax.scipy.stats.laplace.pdf.
Array pdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the cumulative distribution function: the probability of a value <= x. Source:
// jax.scipy.stats.laplace.cdf.
Array cdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
}  // namespace laplace

// The logistic distribution: density e^-z / (scale (1 + e^-z)^2) with z = (x - loc) / scale.
// Source: jax.scipy.stats.logistic.
namespace logistic {
// Returns the logarithm of the density at x. Source: jax.scipy.stats.logistic.logpdf.
Array logpdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the density at x. Source: jax.scipy.stats.logistic.pdf.
Array pdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the cumulative distribution function: the probability of a value <= x. Source:
// jax.scipy.stats.logistic.cdf.
Array cdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the survival function: the probability of a value > x. Source:
// jax.scipy.stats.logistic.sf.
Array sf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the quantile function: the inverse of cdf. It is NaN outside [0, 1]. Source:
// jax.scipy.stats.logistic.ppf.
Array ppf(const typing::Arg& q, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the inverse of sf. Source: jax.scipy.stats.logistic.isf.
Array isf(const typing::Arg& q, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
}  // namespace logistic

// The normal distribution: density e^(-z^2 / 2) / (scale sqrt(2 pi)) with z = (x - loc) / scale.
// Source: jax.scipy.stats.norm.
namespace norm {
// Returns the logarithm of the density at x. Source: jax.scipy.stats.norm.logpdf.
Array logpdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the density at x. Source: jax.scipy.stats.norm.pdf.
Array pdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the cumulative distribution function: the probability of a value <= x. Source:
// jax.scipy.stats.norm.cdf.
Array cdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the logarithm of cdf. Source: jax.scipy.stats.norm.logcdf.
Array logcdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the survival function: the probability of a value > x. Source: jax.scipy.stats.norm.sf.
Array sf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the logarithm of sf. Source: jax.scipy.stats.norm.logsf.
Array logsf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the quantile function: the inverse of cdf. It is NaN outside [0, 1]. Source:
// jax.scipy.stats.norm.ppf.
Array ppf(const typing::Arg& q, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the inverse of sf. Source: jax.scipy.stats.norm.isf.
Array isf(const typing::Arg& q, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
}  // namespace norm

// The Pareto distribution. The density of z = (x - loc) / scale >= 1 is b / z^(b + 1). Source:
// jax.scipy.stats.pareto.
namespace pareto {
// Returns the logarithm of the density at x. Source: jax.scipy.stats.pareto.logpdf.
Array logpdf(const typing::Arg& x, const typing::Arg& b, const typing::Arg& loc = 0,
             const typing::Arg& scale = 1);
// Returns the density at x. Source: jax.scipy.stats.pareto.pdf.
Array pdf(const typing::Arg& x, const typing::Arg& b, const typing::Arg& loc = 0,
          const typing::Arg& scale = 1);
// Returns the cumulative distribution function: the probability of a value <= x. Source:
// jax.scipy.stats.pareto.cdf.
Array cdf(const typing::Arg& x, const typing::Arg& b, const typing::Arg& loc = 0,
          const typing::Arg& scale = 1);
// Returns the logarithm of cdf. Source: jax.scipy.stats.pareto.logcdf.
Array logcdf(const typing::Arg& x, const typing::Arg& b, const typing::Arg& loc = 0,
             const typing::Arg& scale = 1);
// Returns the survival function: the probability of a value > x. Source: jax.scipy.stats.pareto.sf.
Array sf(const typing::Arg& x, const typing::Arg& b, const typing::Arg& loc = 0,
         const typing::Arg& scale = 1);
// Returns the logarithm of sf. Source: jax.scipy.stats.pareto.logsf.
Array logsf(const typing::Arg& x, const typing::Arg& b, const typing::Arg& loc = 0,
            const typing::Arg& scale = 1);
// Returns the quantile function: the inverse of cdf. It is NaN outside [0, 1]. Source:
// jax.scipy.stats.pareto.ppf.
Array ppf(const typing::Arg& q, const typing::Arg& b, const typing::Arg& loc = 0,
          const typing::Arg& scale = 1);
}  // namespace pareto

// Student's t distribution with df degrees of freedom: density proportional to (1 + z^2 /
// df)^(-(df + 1) / 2) with z = (x - loc) / scale. Source: jax.scipy.stats.t.
namespace t {
// Returns the logarithm of the density at x. Source: jax.scipy.stats.t.logpdf.
Array logpdf(const typing::Arg& x, const typing::Arg& df, const typing::Arg& loc = 0,
             const typing::Arg& scale = 1);
// Returns the density at x. Source: jax.scipy.stats.t.pdf.
Array pdf(const typing::Arg& x, const typing::Arg& df, const typing::Arg& loc = 0,
          const typing::Arg& scale = 1);
}  // namespace t

// The normal distribution of z = (x - loc) / scale, truncated to a <= z <= b. It is NaN unless a <
// b. Results are accurate also far from the mean. Source: jax.scipy.stats.truncnorm.
namespace truncnorm {
// Returns the logarithm of the density at x. Source: jax.scipy.stats.truncnorm.logpdf.
Array logpdf(const typing::Arg& x, const typing::Arg& a, const typing::Arg& b,
             const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the density at x. Source: jax.scipy.stats.truncnorm.pdf.
Array pdf(const typing::Arg& x, const typing::Arg& a, const typing::Arg& b,
          const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the cumulative distribution function: the probability of a value <= x. Source:
// jax.scipy.stats.truncnorm.cdf.
Array cdf(const typing::Arg& x, const typing::Arg& a, const typing::Arg& b,
          const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the logarithm of cdf. Source: jax.scipy.stats.truncnorm.logcdf.
Array logcdf(const typing::Arg& x, const typing::Arg& a, const typing::Arg& b,
             const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the survival function: the probability of a value > x. Source:
// jax.scipy.stats.truncnorm.sf.
Array sf(const typing::Arg& x, const typing::Arg& a, const typing::Arg& b,
         const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the logarithm of sf. Source: jax.scipy.stats.truncnorm.logsf.
Array logsf(const typing::Arg& x, const typing::Arg& a, const typing::Arg& b,
            const typing::Arg& loc = 0, const typing::Arg& scale = 1);
}  // namespace truncnorm

// The uniform distribution on [loc, loc + scale]. Source: jax.scipy.stats.uniform.
namespace uniform {
// Returns the logarithm of the density at x. Source: jax.scipy.stats.uniform.logpdf.
Array logpdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the density at x. Source: jax.scipy.stats.uniform.pdf.
Array pdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the cumulative distribution function: the probability of a value <= x. Source:
// jax.scipy.stats.uniform.cdf.
Array cdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Returns the quantile function: the inverse of cdf. It is NaN outside [0, 1]. Source:
// jax.scipy.stats.uniform.ppf.
Array ppf(const typing::Arg& q, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
}  // namespace uniform

// The von Mises distribution of angles: density e^(kappa cos x) / (2 pi I0(kappa)). It is uniform
// for kappa = 0 (NaN in JAX) and NaN for kappa < 0. Source: jax.scipy.stats.vonmises.
namespace vonmises {
// Returns the logarithm of the density at x. Source: jax.scipy.stats.vonmises.logpdf.
Array logpdf(const typing::Arg& x, const typing::Arg& kappa);
// Returns the density at x. Source: jax.scipy.stats.vonmises.pdf.
Array pdf(const typing::Arg& x, const typing::Arg& kappa);
}  // namespace vonmises

// The wrapped Cauchy distribution of angles in [0, 2 pi]: density (1 - c^2) / (2 pi (1 + c^2 - 2 c
// cos x)). It is NaN unless 0 < c < 1. Source: jax.scipy.stats.wrapcauchy.
namespace wrapcauchy {
// Returns the logarithm of the density at x. Source: jax.scipy.stats.wrapcauchy.logpdf.
Array logpdf(const typing::Arg& x, const typing::Arg& c);
// Returns the density at x. Source: jax.scipy.stats.wrapcauchy.pdf.
Array pdf(const typing::Arg& x, const typing::Arg& c);
}  // namespace wrapcauchy

// ---- distributions of vectors

// The Dirichlet distribution of k nonnegative numbers with sum 1 (JAX: positive numbers). The
// density is prod x_i^(alpha_i - 1) Gamma(sum alpha) / prod Gamma(alpha_i). x is (k, …), or (k - 1,
// …) without the last number; alpha (k) -> (…). Raises ShapeError for other shapes. Source:
// jax.scipy.stats.dirichlet.
namespace dirichlet {
// Returns the logarithm of the density at x. Source: jax.scipy.stats.dirichlet.logpdf.
Array logpdf(const typing::Arg& x, const typing::Arg& alpha);
// Returns the density at x. Source: jax.scipy.stats.dirichlet.pdf.
Array pdf(const typing::Arg& x, const typing::Arg& alpha);
}  // namespace dirichlet

// The normal distribution of vectors x (…, n) with mean (…, n) and covariance (…, n, n). The
// covariance may be a scalar, the variance of each element. If the mean is a scalar, x holds
// numbers. The result is (…), the leading axes broadcast together. It is NaN where the covariance
// is not positive definite. Raises ShapeError for other shapes. Source:
// jax.scipy.stats.multivariate_normal.
namespace multivariate_normal {
// Returns the logarithm of the density at x. Source: jax.scipy.stats.multivariate_normal.logpdf.
Array logpdf(const typing::Arg& x, const typing::Arg& mean, const typing::Arg& cov);
// Returns the density at x. Source: jax.scipy.stats.multivariate_normal.pdf.
Array pdf(const typing::Arg& x, const typing::Arg& mean, const typing::Arg& cov);
}  // namespace multivariate_normal

}  // namespace weft::scipy::stats
