// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/scipy/stats.h: statistics and distributions, as in jax.scipy.stats.
#pragma once
#include <string>
#include <string_view>

#include "weft/axis.h"
#include "weft/scipy/stats/continuous.h"
#include "weft/scipy/stats/discrete.h"
#include "weft/tree.h"

namespace weft::scipy::stats {

struct ModeOptions {
  bool keepdims = false;  // the axis stays in the result, with size 1
};
// The results of mode.
struct ModeResult {
  Array mode, count;
};
// Returns the most frequent element along an axis and its count; of equally frequent elements, the
// smallest. NaNs count as equal. a (…, n, …) -> mode (…) in the dtype of a, count (…) in I32. With
// the axis none, all elements are used. Without any elements the results are NaN and 0 as floats.
// Raises IndexError for an axis that a does not have. Source: jax.scipy.stats.mode.
ModeResult mode(const typing::Arg& a, typing::OneAxis axis = 0, const ModeOptions& options = {});

struct RankOptions {
  typing::OneAxis axis = none;  // none: all elements, flattened
};
// Returns the ranks of the elements in sorted order, counted from 1. The result is F64 for 64-bit
// dtypes and F32 for all others.
//
// The method sets the ranks of equal elements. "average" gives the mean of their ranks, "min" the
// first and "max" the last. "dense" is like "min", but the next larger element gets the next
// number. "ordinal" numbers them in order. The result is NaN along an axis that has a NaN. Raises
// IndexError for another method or for an axis that a does not have, and DTypeError for complex
// numbers. Source: jax.scipy.stats.rankdata.
Array rankdata(const typing::Arg& a, std::string_view method = "average",
               const RankOptions& options = {});

struct SemOptions {
  std::string nan_policy = "propagate";  // "omit": ignore NaNs
  bool keepdims = false;                 // the axis stays in the result, with size 1
};
// Returns the standard error of the mean along an axis, or of all elements (none). It is the
// standard deviation with the divisor n - ddof, divided by sqrt(n). Integers are converted
// to floats. Raises IndexError for another nan_policy or for an axis that a does not have. Source:
// jax.scipy.stats.sem.
Array sem(const typing::Arg& a, typing::OneAxis axis = 0, int64_t ddof = 1,
          const SemOptions& options = {});

// The bandwidth of gaussian_kde's kernels: a rule, "scott" or "silverman", or a factor of the
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
// The options of gaussian_kde.
struct KdeOptions {
  // The bandwidth of the kernels.
  Bandwidth bw_method = {};
  std::optional<Array> weights = {};  // weights of the points; by default equal
};
// Estimates a density from n points in d dimensions as a sum of normal densities around the points.
// dataset is (d, n) or (n). The weights (n) are divided by their sum. For narrow floats all fields
// but dataset are F32, and results are rounded once. The object is a tree of its fields. Raises
// DTypeError for complex numbers, ShapeError for fewer than two elements or weights of another
// shape, and IndexError for another rule. Source: jax.scipy.stats.gaussian_kde.
class gaussian_kde {
 public:
  Array neff;                 // the effective number of points: 1 / sum of the squared weights
  Array dataset, weights;     // (d, n), (n)
  Array covariance, inv_cov;  // covariance of one kernel, and its inverse: (d, d)

  gaussian_kde() = default;
  explicit gaussian_kde(const typing::Arg& dataset, const KdeOptions& options = {});

  // Returns the density at points (d, m) as (m). Points may also be (d), one point, or (m) if d
  // is 1. Raises ShapeError for another number of dimensions. Source:
  // jax.scipy.stats.gaussian_kde.evaluate.
  Array evaluate(const typing::Arg& points) const;
  // Returns evaluate(points). Source: jax.scipy.stats.gaussian_kde.evaluate.
  Array operator()(const typing::Arg& points) const { return evaluate(points); }
  // Returns evaluate(points). Source: jax.scipy.stats.gaussian_kde.pdf.
  Array pdf(const typing::Arg& points) const { return evaluate(points); }
  // Returns the logarithm of the density at points, also where the density is tiny. Source:
  // jax.scipy.stats.gaussian_kde.logpdf.
  Array logpdf(const typing::Arg& points) const;
  // Returns the integral of the density times a normal density with mean (d) and covariance (d, d).
  // Raises ShapeError for other shapes. Source: jax.scipy.stats.gaussian_kde.integrate_gaussian.
  Array integrate_gaussian(const typing::Arg& mean, const typing::Arg& cov) const;
  // Returns the integral of a one-dimensional density from low to high. Raises ShapeError for more
  // dimensions. Source: jax.scipy.stats.gaussian_kde.integrate_box_1d.
  Array integrate_box_1d(const typing::Arg& low, const typing::Arg& high) const;
  // Returns the integral of the product of two densities. Raises ShapeError unless they have the
  // same number of dimensions. Source: jax.scipy.stats.gaussian_kde.integrate_kde.
  Array integrate_kde(const gaussian_kde& other,
                      typing::Location at = typing::Location::here()) const;
  // Returns points (d, shape) drawn from the density, the same as JAX's for the same key. Source:
  // jax.scipy.stats.gaussian_kde.resample.
  Array resample(const typing::Arg& key, const Shape& shape = {}) const;

  WEFT_TREE(gaussian_kde, neff, dataset, weights, covariance, inv_cov);
};

WEFT_TREE(ModeResult, mode, count);

}  // namespace weft::scipy::stats
