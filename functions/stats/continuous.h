// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/stats/continuous.h: continuous distributions, as jax.scipy.stats has them.
//
// Operands are broadcast together, and become floats of one dtype: that of the result. Outside
// of what a distribution is of, and at infinity, the density is 0 and its logarithm -inf. Quantiles
// (ppf, isf) are the ends of the distribution at 0 and 1 and NaN outside [0, 1]. Densities of large
// parameters are sums of what is left when large logarithms cancel; JAX's F32 has no digits there,
// and its tails, quantiles and values at infinity differ where its formulas cancel or meet
// infinities. DTypeError for complex numbers, ShapeError for shapes that do not go together, each
// in the name of the function.
#pragma once
#include "weft/tracer/array.h"

namespace weft::scipy::stats {

// The beta distribution on [loc, loc + scale]: the density of z = (x - loc) / scale is z^(a - 1)
// (1 - z)^(b - 1) / B(a, b); NaN unless a, b and scale are positive. cdf and sf have derivatives
// by x, loc and scale alone. Source: jax.scipy.stats.beta.
namespace beta {
// The logarithm of the density. Source: jax.scipy.stats.beta.logpdf.
Array logpdf(const typing::Arg& x, const typing::Arg& a, const typing::Arg& b,
             const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// The density. Source: jax.scipy.stats.beta.pdf.
Array pdf(const typing::Arg& x, const typing::Arg& a, const typing::Arg& b,
          const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// The probability of at most x. Source: jax.scipy.stats.beta.cdf.
Array cdf(const typing::Arg& x, const typing::Arg& a, const typing::Arg& b,
          const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Its logarithm, also where it underflows (JAX has -inf). Source: jax.scipy.stats.beta.logcdf.
Array logcdf(const typing::Arg& x, const typing::Arg& a, const typing::Arg& b,
             const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// The probability of more than x. Source: jax.scipy.stats.beta.sf.
Array sf(const typing::Arg& x, const typing::Arg& a, const typing::Arg& b,
         const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Its logarithm, also where it underflows (JAX has -inf). Source: jax.scipy.stats.beta.logsf.
Array logsf(const typing::Arg& x, const typing::Arg& a, const typing::Arg& b,
            const typing::Arg& loc = 0, const typing::Arg& scale = 1);
}  // namespace beta

// The Cauchy distribution: density 1 / (pi scale (1 + z^2)) with z = (x - loc) / scale. Source:
// jax.scipy.stats.cauchy.
namespace cauchy {
// The logarithm of the density. Source: jax.scipy.stats.cauchy.logpdf.
Array logpdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// The density. Source: jax.scipy.stats.cauchy.pdf.
Array pdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// The probability of at most x. Source: jax.scipy.stats.cauchy.cdf.
Array cdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Its logarithm. Source: jax.scipy.stats.cauchy.logcdf.
Array logcdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// The probability of more than x. Source: jax.scipy.stats.cauchy.sf.
Array sf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Its logarithm. Source: jax.scipy.stats.cauchy.logsf.
Array logsf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// The point up to which the probability is q. Source: jax.scipy.stats.cauchy.ppf.
Array ppf(const typing::Arg& q, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// The point from which on the probability is q. Source: jax.scipy.stats.cauchy.isf.
Array isf(const typing::Arg& q, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
}  // namespace cauchy

// The chi-squared distribution of df degrees of freedom: of z = (x - loc) / scale >= 0 the
// density z^(df / 2 - 1) e^(-z / 2) / (2^(df / 2) Gamma(df / 2)). Source: jax.scipy.stats.chi2.
namespace chi2 {
// The logarithm of the density. Source: jax.scipy.stats.chi2.logpdf.
Array logpdf(const typing::Arg& x, const typing::Arg& df, const typing::Arg& loc = 0,
             const typing::Arg& scale = 1);
// The density. Source: jax.scipy.stats.chi2.pdf.
Array pdf(const typing::Arg& x, const typing::Arg& df, const typing::Arg& loc = 0,
          const typing::Arg& scale = 1);
// The probability of at most x. Source: jax.scipy.stats.chi2.cdf.
Array cdf(const typing::Arg& x, const typing::Arg& df, const typing::Arg& loc = 0,
          const typing::Arg& scale = 1);
// Its logarithm, also where it underflows (JAX has -inf). Source: jax.scipy.stats.chi2.logcdf.
Array logcdf(const typing::Arg& x, const typing::Arg& df, const typing::Arg& loc = 0,
             const typing::Arg& scale = 1);
// The probability of more than x. Source: jax.scipy.stats.chi2.sf.
Array sf(const typing::Arg& x, const typing::Arg& df, const typing::Arg& loc = 0,
         const typing::Arg& scale = 1);
// Its logarithm, also where it underflows (JAX has -inf). Source: jax.scipy.stats.chi2.logsf.
Array logsf(const typing::Arg& x, const typing::Arg& df, const typing::Arg& loc = 0,
            const typing::Arg& scale = 1);
}  // namespace chi2

// The exponential distribution: density e^-z / scale for z = (x - loc) / scale >= 0. Source:
// jax.scipy.stats.expon.
namespace expon {
// The logarithm of the density. Source: jax.scipy.stats.expon.logpdf.
Array logpdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// The density. Source: jax.scipy.stats.expon.pdf.
Array pdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// The probability of at most x. Source: jax.scipy.stats.expon.cdf.
Array cdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Its logarithm. Source: jax.scipy.stats.expon.logcdf.
Array logcdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// The probability of more than x. Source: jax.scipy.stats.expon.sf.
Array sf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Its logarithm. Source: jax.scipy.stats.expon.logsf.
Array logsf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// The point up to which the probability is q; NaN outside [0, 1]. Source:
// jax.scipy.stats.expon.ppf.
Array ppf(const typing::Arg& q, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
}  // namespace expon

// The gamma distribution: of z = (x - loc) / scale >= 0 the density z^(a - 1) e^-z / Gamma(a).
// Source: jax.scipy.stats.gamma.
namespace gamma {
// The logarithm of the density. Source: jax.scipy.stats.gamma.logpdf.
Array logpdf(const typing::Arg& x, const typing::Arg& a, const typing::Arg& loc = 0,
             const typing::Arg& scale = 1);
// The density. Source: jax.scipy.stats.gamma.pdf.
Array pdf(const typing::Arg& x, const typing::Arg& a, const typing::Arg& loc = 0,
          const typing::Arg& scale = 1);
// The probability of at most x. Source: jax.scipy.stats.gamma.cdf.
Array cdf(const typing::Arg& x, const typing::Arg& a, const typing::Arg& loc = 0,
          const typing::Arg& scale = 1);
// Its logarithm, also where it underflows (JAX has -inf). Source: jax.scipy.stats.gamma.logcdf.
Array logcdf(const typing::Arg& x, const typing::Arg& a, const typing::Arg& loc = 0,
             const typing::Arg& scale = 1);
// The probability of more than x. Source: jax.scipy.stats.gamma.sf.
Array sf(const typing::Arg& x, const typing::Arg& a, const typing::Arg& loc = 0,
         const typing::Arg& scale = 1);
// Its logarithm, also where it underflows (JAX has -inf). Source: jax.scipy.stats.gamma.logsf.
Array logsf(const typing::Arg& x, const typing::Arg& a, const typing::Arg& loc = 0,
            const typing::Arg& scale = 1);
}  // namespace gamma

// The generalised normal distribution: density beta e^(-|x|^beta) / (2 Gamma(1 / beta)). Source:
// jax.scipy.stats.gennorm.
namespace gennorm {
// The logarithm of the density. Source: jax.scipy.stats.gennorm.logpdf.
Array logpdf(const typing::Arg& x, const typing::Arg& beta);
// The density. Source: jax.scipy.stats.gennorm.pdf.
Array pdf(const typing::Arg& x, const typing::Arg& beta);
// The probability of at most x. Source: jax.scipy.stats.gennorm.cdf.
Array cdf(const typing::Arg& x, const typing::Arg& beta);
}  // namespace gennorm

// The distribution of the smallest of many: density e^(z - e^z) / scale with z = (x - loc) /
// scale; NaN unless scale is positive. Source: jax.scipy.stats.gumbel_l.
namespace gumbel_l {
// The logarithm of the density. Source: jax.scipy.stats.gumbel_l.logpdf.
Array logpdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// The density. Source: jax.scipy.stats.gumbel_l.pdf.
Array pdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// The probability of at most x. Source: jax.scipy.stats.gumbel_l.cdf.
Array cdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Its logarithm. Source: jax.scipy.stats.gumbel_l.logcdf.
Array logcdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// The probability of more than x. Source: jax.scipy.stats.gumbel_l.sf.
Array sf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Its logarithm. Source: jax.scipy.stats.gumbel_l.logsf.
Array logsf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// The point up to which the probability is q; NaN outside [0, 1], in JAX also at 0 and 1. Source:
// jax.scipy.stats.gumbel_l.ppf.
Array ppf(const typing::Arg& q, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
}  // namespace gumbel_l

// The distribution of the largest of many: density e^-(z + e^-z) / scale with z = (x - loc) /
// scale; NaN unless scale is positive. Source: jax.scipy.stats.gumbel_r.
namespace gumbel_r {
// The logarithm of the density. Source: jax.scipy.stats.gumbel_r.logpdf.
Array logpdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// The density. Source: jax.scipy.stats.gumbel_r.pdf.
Array pdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// The probability of at most x. Source: jax.scipy.stats.gumbel_r.cdf.
Array cdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Its logarithm. Source: jax.scipy.stats.gumbel_r.logcdf.
Array logcdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// The probability of more than x. Source: jax.scipy.stats.gumbel_r.sf.
Array sf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Its logarithm. Source: jax.scipy.stats.gumbel_r.logsf.
Array logsf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// The point up to which the probability is q; NaN outside [0, 1], in JAX also at 0 and 1. Source:
// jax.scipy.stats.gumbel_r.ppf.
Array ppf(const typing::Arg& q, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
}  // namespace gumbel_r

// The Laplace distribution: density e^-|z| / (2 scale) with z = (x - loc) / scale. Source:
// jax.scipy.stats.laplace.
namespace laplace {
// The logarithm of the density. Source: jax.scipy.stats.laplace.logpdf.
Array logpdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// The density. Source: jax.scipy.stats.laplace.pdf.
Array pdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// The probability of at most x. Source: jax.scipy.stats.laplace.cdf.
Array cdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
}  // namespace laplace

// The logistic distribution: density e^-z / (scale (1 + e^-z)^2) with z = (x - loc) / scale.
// Source: jax.scipy.stats.logistic.
namespace logistic {
// The logarithm of the density. Source: jax.scipy.stats.logistic.logpdf.
Array logpdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// The density. Source: jax.scipy.stats.logistic.pdf.
Array pdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// The probability of at most x. Source: jax.scipy.stats.logistic.cdf.
Array cdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// The probability of more than x. Source: jax.scipy.stats.logistic.sf.
Array sf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// The point up to which the probability is q; NaN outside [0, 1]. Source:
// jax.scipy.stats.logistic.ppf.
Array ppf(const typing::Arg& q, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// The point from which on the probability is q. Source: jax.scipy.stats.logistic.isf.
Array isf(const typing::Arg& q, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
}  // namespace logistic

// The normal distribution: density e^(-z^2 / 2) / (scale sqrt(2 pi)) with z = (x - loc) / scale.
// Source: jax.scipy.stats.norm.
namespace norm {
// The logarithm of the density. Source: jax.scipy.stats.norm.logpdf.
Array logpdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// The density. Source: jax.scipy.stats.norm.pdf.
Array pdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// The probability of at most x. Source: jax.scipy.stats.norm.cdf.
Array cdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Its logarithm. Source: jax.scipy.stats.norm.logcdf.
Array logcdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// The probability of more than x. Source: jax.scipy.stats.norm.sf.
Array sf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Its logarithm. Source: jax.scipy.stats.norm.logsf.
Array logsf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// The point up to which the probability is q; NaN outside [0, 1]. Source:
// jax.scipy.stats.norm.ppf.
Array ppf(const typing::Arg& q, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// The point from which on the probability is q. Source: jax.scipy.stats.norm.isf.
Array isf(const typing::Arg& q, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
}  // namespace norm

// The Pareto distribution: of z = (x - loc) / scale >= 1 the density b / z^(b + 1). Source:
// jax.scipy.stats.pareto.
namespace pareto {
// The logarithm of the density. Source: jax.scipy.stats.pareto.logpdf.
Array logpdf(const typing::Arg& x, const typing::Arg& b, const typing::Arg& loc = 0,
             const typing::Arg& scale = 1);
// The density. Source: jax.scipy.stats.pareto.pdf.
Array pdf(const typing::Arg& x, const typing::Arg& b, const typing::Arg& loc = 0,
          const typing::Arg& scale = 1);
// The probability of at most x. Source: jax.scipy.stats.pareto.cdf.
Array cdf(const typing::Arg& x, const typing::Arg& b, const typing::Arg& loc = 0,
          const typing::Arg& scale = 1);
// Its logarithm. Source: jax.scipy.stats.pareto.logcdf.
Array logcdf(const typing::Arg& x, const typing::Arg& b, const typing::Arg& loc = 0,
             const typing::Arg& scale = 1);
// The probability of more than x. Source: jax.scipy.stats.pareto.sf.
Array sf(const typing::Arg& x, const typing::Arg& b, const typing::Arg& loc = 0,
         const typing::Arg& scale = 1);
// Its logarithm. Source: jax.scipy.stats.pareto.logsf.
Array logsf(const typing::Arg& x, const typing::Arg& b, const typing::Arg& loc = 0,
            const typing::Arg& scale = 1);
// The point up to which the probability is q; NaN outside [0, 1]. Source:
// jax.scipy.stats.pareto.ppf.
Array ppf(const typing::Arg& q, const typing::Arg& b, const typing::Arg& loc = 0,
          const typing::Arg& scale = 1);
}  // namespace pareto

// Student's distribution of df degrees of freedom: density proportional to (1 + z^2 / df)^(-(df
// + 1) / 2) with z = (x - loc) / scale. Source: jax.scipy.stats.t.
namespace t {
// The logarithm of the density. Source: jax.scipy.stats.t.logpdf.
Array logpdf(const typing::Arg& x, const typing::Arg& df, const typing::Arg& loc = 0,
             const typing::Arg& scale = 1);
// The density. Source: jax.scipy.stats.t.pdf.
Array pdf(const typing::Arg& x, const typing::Arg& df, const typing::Arg& loc = 0,
          const typing::Arg& scale = 1);
}  // namespace t

// The normal distribution of z = (x - loc) / scale, cut to a <= z <= b; NaN unless a < b. Exact
// far from the middle, too. Source: jax.scipy.stats.truncnorm.
namespace truncnorm {
// The logarithm of the density. Source: jax.scipy.stats.truncnorm.logpdf.
Array logpdf(const typing::Arg& x, const typing::Arg& a, const typing::Arg& b,
             const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// The density. Source: jax.scipy.stats.truncnorm.pdf.
Array pdf(const typing::Arg& x, const typing::Arg& a, const typing::Arg& b,
          const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// The probability of at most x. Source: jax.scipy.stats.truncnorm.cdf.
Array cdf(const typing::Arg& x, const typing::Arg& a, const typing::Arg& b,
          const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Its logarithm. Source: jax.scipy.stats.truncnorm.logcdf.
Array logcdf(const typing::Arg& x, const typing::Arg& a, const typing::Arg& b,
             const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// The probability of more than x. Source: jax.scipy.stats.truncnorm.sf.
Array sf(const typing::Arg& x, const typing::Arg& a, const typing::Arg& b,
         const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// Its logarithm. Source: jax.scipy.stats.truncnorm.logsf.
Array logsf(const typing::Arg& x, const typing::Arg& a, const typing::Arg& b,
            const typing::Arg& loc = 0, const typing::Arg& scale = 1);
}  // namespace truncnorm

// The uniform distribution on [loc, loc + scale]. Source: jax.scipy.stats.uniform.
namespace uniform {
// The logarithm of the density. Source: jax.scipy.stats.uniform.logpdf.
Array logpdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// The density. Source: jax.scipy.stats.uniform.pdf.
Array pdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// The probability of at most x. Source: jax.scipy.stats.uniform.cdf.
Array cdf(const typing::Arg& x, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
// The point up to which the probability is q; NaN outside [0, 1]. Source:
// jax.scipy.stats.uniform.ppf.
Array ppf(const typing::Arg& q, const typing::Arg& loc = 0, const typing::Arg& scale = 1);
}  // namespace uniform

// The von Mises distribution of angles: density e^(kappa cos x) / (2 pi I0(kappa)); uniform for
// kappa = 0, where JAX's is NaN; NaN for kappa < 0. Source: jax.scipy.stats.vonmises.
namespace vonmises {
// The logarithm of the density. Source: jax.scipy.stats.vonmises.logpdf.
Array logpdf(const typing::Arg& x, const typing::Arg& kappa);
// The density. Source: jax.scipy.stats.vonmises.pdf.
Array pdf(const typing::Arg& x, const typing::Arg& kappa);
}  // namespace vonmises

// The wrapped Cauchy distribution of angles in [0, 2 pi]: density (1 - c^2) / (2 pi (1 + c^2 - 2
// c cos x)); NaN unless 0 < c < 1. Source: jax.scipy.stats.wrapcauchy.
namespace wrapcauchy {
// The logarithm of the density. Source: jax.scipy.stats.wrapcauchy.logpdf.
Array logpdf(const typing::Arg& x, const typing::Arg& c);
// The density. Source: jax.scipy.stats.wrapcauchy.pdf.
Array pdf(const typing::Arg& x, const typing::Arg& c);
}  // namespace wrapcauchy

// ---- of vectors

// The Dirichlet distribution of k numbers that are not negative and add up to 1 (JAX: positive):
// density
// prod x_i^(alpha_i - 1) Gamma(sum alpha) / prod Gamma(alpha_i). x (k, …) or, without the last
// number, (k - 1, …); alpha (k) -> (…). ShapeError for other shapes. Source:
// jax.scipy.stats.dirichlet.
namespace dirichlet {
// The logarithm of the density. Source: jax.scipy.stats.dirichlet.logpdf.
Array logpdf(const typing::Arg& x, const typing::Arg& alpha);
// The density. Source: jax.scipy.stats.dirichlet.pdf.
Array pdf(const typing::Arg& x, const typing::Arg& alpha);
}  // namespace dirichlet

// The normal distribution of vectors x (…, n) with the given mean (…, n) and covariance (…, n, n),
// or one number, the variance of each element; with a mean of no axes, of numbers. -> (…), the axes
// broadcast together. NaN where the covariance is not positive definite; ShapeError for other
// shapes. Source: jax.scipy.stats.multivariate_normal.
namespace multivariate_normal {
// The logarithm of the density. Source: jax.scipy.stats.multivariate_normal.logpdf.
Array logpdf(const typing::Arg& x, const typing::Arg& mean, const typing::Arg& cov);
// The density. Source: jax.scipy.stats.multivariate_normal.pdf.
Array pdf(const typing::Arg& x, const typing::Arg& mean, const typing::Arg& cov);
}  // namespace multivariate_normal

}  // namespace weft::scipy::stats
