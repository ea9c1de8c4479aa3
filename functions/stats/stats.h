// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/stats/stats.h: statistics and distributions, as jax.scipy.stats has them.
#pragma once
#include <string>
#include <string_view>

#include "weft/functions/axis.h"
#include "weft/functions/stats/continuous.h"
#include "weft/functions/stats/discrete.h"
#include "weft/tracer/tree.h"

namespace weft::scipy::stats {

struct ModeOptions {
  bool keepdims = false;  // the axis stays, with one place
};
// What mode gives.
struct ModeResult {
  Array mode, count;
};
// The most frequent element along an axis and how often it is there; the smallest where several
// are. NaNs count as equal. a (…, n, …) -> mode (…) of the dtype of a, count (…) I32; none: of all
// elements; NaN and 0, floats, where there are none. IndexError for an axis that a has not. Source:
// jax.scipy.stats.mode.
ModeResult mode(const typing::Arg& a, typing::OneAxis axis = 0, const ModeOptions& options = {});

struct RankOptions {
  typing::OneAxis axis = none;  // none: of a flattened
};
// The places that the elements would have if they were sorted, from 1 on, as floats of 32 bits (64
// for those of 64 bits). Of equal ones: their mean place ("average"), the first ("min"), the last
// ("max"), the same and the next number for those after ("dense"), or one after another
// ("ordinal"). NaN everywhere on an axis with a NaN. IndexError for another method or an axis that
// a has not, DTypeError for complex numbers. Source: jax.scipy.stats.rankdata.
Array rankdata(const typing::Arg& a, std::string_view method = "average",
               const RankOptions& options = {});

struct SemOptions {
  std::string nan_policy = "propagate";  // "omit": without the NaNs
  bool keepdims = false;                 // the axis stays, with one place
};
// The standard error of the mean: the standard deviation with n - ddof over sqrt(n), along an axis
// or (none) of all elements. Integers become floats. IndexError for another nan_policy or an axis
// that a has not. Source: jax.scipy.stats.sem.
Array sem(const typing::Arg& a, typing::OneAxis axis = 0, int64_t ddof = 1,
          const SemOptions& options = {});

// How wide the kernels of gaussian_kde are: a rule, "scott" or "silverman", or a factor of the
// standard deviation.
struct Bandwidth {
  std::string rule = "scott";
  typing::MaybeArray factor = none;
  Bandwidth() = default;
  Bandwidth(const char* name) : rule(name) {}
  Bandwidth(const Array& x) : factor(x) {}
  template <ir::Number T>
  Bandwidth(T x) : factor(Array(x)) {}
};
struct KdeOptions {
  // How wide the kernels are.
  Bandwidth bw_method = {};
  std::optional<Array> weights = {};  // of the points; equal ones
};
// A density estimated from n points in d dimensions: a sum of normal densities around them. dataset
// (d, n) or (n); weights (n) are divided by their sum. Of narrow floats all but the dataset is F32,
// and results are rounded once. A tree of its fields. DTypeError for complex
// numbers, ShapeError for fewer than two elements or other weights, IndexError for another rule.
// Source: jax.scipy.stats.gaussian_kde.
class gaussian_kde {
 public:
  Array neff;                 // the number of points that count: 1 / sum of squared weights
  Array dataset, weights;     // (d, n), (n)
  Array covariance, inv_cov;  // of one kernel, and its inverse: (d, d)

  gaussian_kde() = default;
  explicit gaussian_kde(const typing::Arg& dataset, const KdeOptions& options = {});

  // The density at points (d, m), or (d) for one; of one dimension (m) -> (m). ShapeError for
  // another number of dimensions. Source: jax.scipy.stats.gaussian_kde.evaluate.
  Array evaluate(const typing::Arg& points) const;
  // The same. Source: jax.scipy.stats.gaussian_kde.evaluate.
  Array operator()(const typing::Arg& points) const { return evaluate(points); }
  // The same. Source: jax.scipy.stats.gaussian_kde.pdf.
  Array pdf(const typing::Arg& points) const { return evaluate(points); }
  // Its logarithm, also where the density is tiny. Source: jax.scipy.stats.gaussian_kde.logpdf.
  Array logpdf(const typing::Arg& points) const;
  // The integral of the density times that of a normal distribution with a mean (d) and a
  // covariance (d, d). ShapeError for other shapes. Source:
  // jax.scipy.stats.gaussian_kde.integrate_gaussian.
  Array integrate_gaussian(const typing::Arg& mean, const typing::Arg& cov) const;
  // The integral from one number to another, of one dimension. ShapeError else. Source:
  // jax.scipy.stats.gaussian_kde.integrate_box_1d.
  Array integrate_box_1d(const typing::Arg& low, const typing::Arg& high) const;
  // The integral of the product of two densities. ShapeError unless they have the same number of
  // dimensions. Source: jax.scipy.stats.gaussian_kde.integrate_kde.
  Array integrate_kde(const gaussian_kde& other,
                      typing::Location at = typing::Location::here()) const;
  // Points (d, shape) drawn from the density, JAX's for the same key. Source:
  // jax.scipy.stats.gaussian_kde.resample.
  Array resample(const typing::Arg& key, const Shape& shape = {}) const;

  WEFT_TREE(gaussian_kde, neff, dataset, weights, covariance, inv_cov);
};

WEFT_TREE(ModeResult, mode, count);

}  // namespace weft::scipy::stats
