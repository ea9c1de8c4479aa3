// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/stats/kde.cpp: kernel density estimates.
#include <fmt/format.h>

#include <cmath>

#include "functions/lax/sums.h"
#include "functions/random/kit.h"
#include "functions/stats/kit.h"
#include "weft/linalg.h"
#include "weft/numpy/create.h"
#include "weft/numpy/index.h"
#include "weft/numpy/products.h"
#include "weft/numpy/reduce.h"
#include "weft/numpy/shape.h"
#include "weft/random.h"
#include "weft/scipy/stats.h"
#include "weft/special.h"

namespace weft::scipy::stats {

namespace {

Array factor_of(const Bandwidth& b, const Array& neff, double d) {
  if (b.factor) {
    if (b.factor->ndim() != 0)
      fn::fail_shape("gaussian_kde: .bw_method must be a scalar, got " +
                     to_string(b.factor->type()));
    return fn::as_dtype(*b.factor, neff.dtype());
  }
  if (b.rule == "scott") return pow(neff, -1 / (d + 4));
  if (b.rule == "silverman") return pow(neff * (d + 2) / 4, -1 / (d + 4));
  fn::fail_index(fmt::format(
      "gaussian_kde: .bw_method must be \"scott\", \"silverman\" or a number, not \"{}\"", b.rule));
}
// An unbiased estimate of the covariance of weighted points.
Array covariance_of(const Array& x, const Array& weights) {
  const Array centred = x - sum(x * weights, 1, {.keepdims = true});
  return matmul(centred * weights, swapaxes(centred, 0, 1)) / (1 - sum(square(weights)));
}
// The logarithm of the normal density with the given covariance and mean 0, at columns (d, n).
Array log_normal(const Array& covariance, const Array& columns) {
  const Array l = linalg::cholesky(covariance);
  const auto d = static_cast<double>(columns.shape()[0]);
  const Array y = linalg::solve_triangular(l, columns, {.lower = true});
  return -0.5 * sum(square(y), 0) - sum(log(linalg::diagonal(l))) - 0.5 * d * std::log(2 * pi);
}
Array points_of(const char* name, const Array& points, int64_t d) {
  fn::need_real(name, points);
  const Array x = atleast_2d(points);
  if (x.shape()[0] == d && x.ndim() == 2) return x;
  if (x.ndim() == 2 && x.shape()[0] == 1 && x.shape()[1] == d) return reshape(x, {d, 1});
  fn::fail_shape(fmt::format("gaussian_kde::{}: the data have {} dimensions, the points are {}",
                             name, d, to_string(points.type())));
}
// The logarithms of the kernels, (m, n), at points (d, m).
Array kernels(const gaussian_kde& kde, const Array& points) {
  // The points are rounded to the dtype of the data.
  const Array data = fn::for_sums(kde.dataset);
  const Array x = fn::for_sums(fn::as_dtype(points, kde.dataset.dtype()));
  const Array w = linalg::cholesky(kde.inv_cov);
  const Array at = matmul(swapaxes(x, 0, 1), w), from = matmul(swapaxes(data, 0, 1), w);
  const Array apart = expand_dims(at, 1) - expand_dims(from, 0);
  const auto d = static_cast<double>(kde.dataset.shape()[0]);
  return sum(log(linalg::diagonal(w))) - 0.5 * d * std::log(2 * pi) - 0.5 * sum(square(apart), -1);
}

// Converts a result, which was computed in F32 for narrow data, to the dtype to which the operands
// promote.
Array rounded(const Array& x, const Arrays& from) {
  return fn::as_dtype(x, fn::same_dtype(from)[0].dtype());
}

}  // namespace

gaussian_kde::gaussian_kde(const Arg& data, const KdeOptions& options) {
  const SourceScope at(data.at());
  dataset = atleast_2d(fn::real_of("gaussian_kde", data));
  if (dataset.ndim() != 2 || dataset.size() < 2)
    fn::fail_shape("gaussian_kde: the data must be (d, n) with more than one element, got " +
                   to_string(data->type()));
  const int64_t n = dataset.shape()[1];
  if (options.weights) {
    const Arrays both = fn::same_dtype({dataset, fn::real_of("gaussian_kde", *options.weights)});
    dataset = both[0];
    const Array given = fn::for_sums(both[1]);
    weights = given / sum(given);
    if (weights.shape() != Shape{n})
      fn::fail_shape(fmt::format("gaussian_kde: .weights must be {} numbers, got {}", n,
                                 to_string(options.weights->type())));
  } else {
    weights = full(Shape{n}, 1 / static_cast<double>(n), ir::accumulator_dtype(dataset.dtype()));
  }
  neff = 1 / sum(square(weights));
  const Array factor = factor_of(options.bw_method, neff, static_cast<double>(dataset.shape()[0]));
  const Array whole = covariance_of(fn::for_sums(dataset), weights);
  covariance = whole * square(factor);
  inv_cov = linalg::inv(whole) / square(factor);
}

Array gaussian_kde::evaluate(const Arg& points) const {
  const SourceScope at(points.at());
  const Array x = points_of("evaluate", points, dataset.shape()[0]);
  return rounded(sum(weights * exp(kernels(*this, x)), -1), {dataset});
}
Array gaussian_kde::logpdf(const Arg& points) const {
  const SourceScope at(points.at());
  const Array x = points_of("logpdf", points, dataset.shape()[0]);
  return rounded(special::logsumexp(log(weights) + kernels(*this, x), -1), {dataset});
}
Array gaussian_kde::integrate_gaussian(const Arg& mean, const Arg& cov) const {
  const SourceScope at(mean.at());
  const int64_t d = dataset.shape()[0];
  const Array m = atleast_1d(squeeze(fn::real_of("integrate_gaussian", mean)));
  const Array c = atleast_2d(fn::real_of("integrate_gaussian", cov));
  if (m.shape() != Shape{d} || c.shape() != Shape{d, d})
    fn::fail_shape(
        fmt::format("gaussian_kde::integrate_gaussian: needs a mean of {} numbers and a covariance "
                    "of {} by {}, got {} and {}",
                    d, d, d, to_string(mean->type()), to_string(cov->type())));
  const Array apart = fn::for_sums(dataset) - fn::for_sums(expand_dims(m, 1));
  return rounded(sum(exp(log_normal(covariance + fn::for_sums(c), apart)) * weights),
                 {dataset, m, c});
}
Array gaussian_kde::integrate_box_1d(const Arg& low, const Arg& high) const {
  const SourceScope at(low.at());
  if (dataset.shape()[0] != 1)
    fn::fail_shape(fmt::format("gaussian_kde::integrate_box_1d: the data have {} dimensions, not 1",
                               dataset.shape()[0]));
  if (low->ndim() != 0 || high->ndim() != 0)
    fn::fail_shape(
        fmt::format("gaussian_kde::integrate_box_1d: the limits must be scalars, got {} "
                    "and {}",
                    to_string(low->type()), to_string(high->type())));
  const Array sigma = sqrt(squeeze(covariance)), x = fn::for_sums(squeeze(dataset, 0));
  const auto below = [&](const Array& end) {
    return special::ndtr((fn::for_sums(fn::inexact(end)) - x) / sigma);
  };
  return rounded(sum(weights * (below(high) - below(low))), {dataset, low, high});
}
Array gaussian_kde::integrate_kde(const gaussian_kde& other, Location at) const {
  const SourceScope s(at);
  const int64_t d = dataset.shape()[0];
  if (other.dataset.shape()[0] != d)
    fn::fail_shape(fmt::format("gaussian_kde::integrate_kde: one has {} dimensions, the other {}",
                               d, other.dataset.shape()[0]));
  const Array apart =
      expand_dims(fn::for_sums(dataset), 2) - expand_dims(fn::for_sums(other.dataset), 1);
  const Array pairs = expand_dims(weights, 1) * expand_dims(other.weights, 0);
  const Array logs =
      log_normal(covariance + other.covariance, reshape(apart, {d, apart.size() / d}));
  return rounded(sum(exp(logs) * ravel(pairs)), {dataset, other.dataset});
}
Array gaussian_kde::resample(const Arg& key, const Shape& shape) const {
  const SourceScope at(key.at());
  const Array keys = random::split(random::one_key("resample", key));
  const int64_t d = dataset.shape()[0], n = dataset.shape()[1];
  const Array i = random::choice(random::key_at(keys, 0), arange(n), shape, {.p = weights});
  const Array noise = random::multivariate_normal(
      random::key_at(keys, 1), zeros({d}, covariance.dtype()), covariance, shape);
  return rounded(take(fn::for_sums(dataset), i, 1, {.mode = "clip"}) + moveaxis(noise, -1, 0),
                 {dataset});
}

}  // namespace weft::scipy::stats
