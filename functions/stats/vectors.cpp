// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/stats/vectors.cpp: distributions of vectors.
#include <fmt/format.h>

#include <cmath>

#include "functions/stats/kit.h"
#include "weft/linalg.h"
#include "weft/numpy/products.h"
#include "weft/numpy/reduce.h"
#include "weft/numpy/shape.h"
#include "weft/scipy/stats/continuous.h"
#include "weft/special.h"

namespace weft::scipy::stats {

namespace dirichlet {
namespace {
// The logarithm of the density for parameters (k, 1…). A large parameter's power and gamma function
// nearly cancel. Then each factor is the density of a gamma distribution at A x, where A is the sum
// of all parameters. The gamma function of A is combined in the same way.
Array log_density(const Array& x, const Array& alpha, const Array& total) {
  const Array whole = sum(alpha, 0, {.keepdims = true}), joins = (whole >= 10) & isfinite(whole);
  const Array size = safe(joins, whole, 10), mean = size * x;
  const Array large = joins & (alpha >= 10) & (x > 0), y = safe(large, x, 1);
  const Array a = safe(large, alpha, 10), b = safe(!large, alpha, 1);
  const Array joined = fn::log_gamma_form(a, safe(large, mean, 1)) - log(y);
  const Array few = special::xlogy(b - 1, x) + b * log(size) - size * x - special::gammaln(b);
  const Array all_joined = sum(where(large, joined, few), 0) -
                           squeeze(fn::log_gamma_form(size, size), 0) +
                           squeeze(size, 0) * (total - 1);
  const Array plain = sum(special::xlogy(alpha - 1, x) - special::gammaln(alpha), 0) +
                      special::gammaln(squeeze(whole, 0));
  return where(squeeze(joins, 0), all_joined, plain);
}
}  // namespace
Array logpdf(const Arg& x, const Arg& alpha) {
  const SourceScope at(x.at());
  const char* const name = "dirichlet::logpdf";
  const Arrays both = fn::same_dtype({fn::real_of(name, x), fn::real_of(name, alpha)});
  Array v = both[0];
  const Array& a = both[1];
  if (a.ndim() != 1)
    fn::fail_shape(fmt::format("{}: alpha must have one axis, got {}", name, to_string(a.type())));
  const int64_t k = a.shape()[0];
  if (v.ndim() < 1 || (v.shape()[0] != k && v.shape()[0] != k - 1))
    fn::fail_shape(fmt::format("{}: x must have {} or {} numbers on its first axis, got {}", name,
                               k, k - 1, to_string(x->type())));
  if (v.shape()[0] != k) v = concatenate({v, 1 - sum(v, 0, {.keepdims = true})}, 0);
  std::vector<int64_t> column(static_cast<size_t>(v.ndim()), 1);
  column[0] = k;
  const Array total = sum(v, 0), inside = all(v >= 0, 0) & (abs(total - 1) < 1e-6);
  return where(inside, log_density(v, reshape(a, column), total), -inf);
}
WEFT_EXP_OF(pdf, logpdf, (x, alpha))
}  // namespace dirichlet

namespace multivariate_normal {
namespace {
// Solves l y = d for each d (…, n). If there is only one l, all d are solved as one system.
Array whitened(const Array& l, const Array& d) {
  const int64_t n = l.shape()[-1];
  if (l.ndim() > 2)
    return squeeze(linalg::solve_triangular(l, expand_dims(d, -1), {.lower = true}), -1);
  const Array columns = swapaxes(reshape(d, {d.size() / std::max<int64_t>(n, 1), n}), 0, 1);
  return reshape(swapaxes(linalg::solve_triangular(l, columns, {.lower = true}), 0, 1), d.shape());
}
}  // namespace
Array logpdf(const Arg& x, const Arg& mean, const Arg& cov) {
  const SourceScope at(x.at());
  const char* const name = "multivariate_normal::logpdf";
  const Arrays v =
      fn::same_dtype({fn::real_of(name, x), fn::real_of(name, mean), fn::real_of(name, cov)});
  const Array &m = v[1], &c = v[2];
  if (m.ndim() == 0) {
    fn::common_shape(name, v[0].shape(), c.shape());
    return -0.5 * (square(v[0] - m) / c + std::log(2 * pi) + log(c));
  }
  const int64_t n = m.shape()[-1];
  if (c.ndim() != 0 && (c.ndim() < 2 || c.shape()[-1] != n || c.shape()[-2] != n))
    fn::fail_shape(
        fmt::format("{}: a mean of {} needs a covariance of (…, {}, {}) or one number, got {}",
                    name, to_string(mean->type()), n, n, to_string(cov->type())));
  fn::common_shape(name, v[0].shape(), m.shape());
  const Array d = v[0] - m;
  const auto size = static_cast<double>(n);
  if (c.ndim() == 0) return -0.5 * (sum(square(d), -1) / c + size * (std::log(2 * pi) + log(c)));
  if (c.ndim() > 2)
    fn::common_shape(name, d.shape().erased(d.ndim() - 1),
                     c.shape().erased(c.ndim() - 1).erased(c.ndim() - 2));
  const Array l = linalg::cholesky(c);
  return -0.5 * (sum(square(whitened(l, d)), -1) + size * std::log(2 * pi)) -
         sum(log(linalg::diagonal(l)), -1);
}
WEFT_EXP_OF(pdf, logpdf, (x, mean, cov))
}  // namespace multivariate_normal

}  // namespace weft::scipy::stats
