// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/stats/discrete.cpp: distributions of whole numbers. What is left out by a mask is
// computed at a point where derivatives are finite.
#include "weft/functions/stats/discrete.h"

#include <fmt/format.h>

#include <cmath>

#include "weft/functions/numpy/create.h"
#include "weft/functions/numpy/reduce.h"
#include "weft/functions/numpy/shape.h"
#include "weft/functions/special.h"
#include "weft/functions/stats/stats_kit.h"
#include "weft/ops/structure/structure.h"

namespace weft::scipy::stats {

namespace {
// (n choose k), as a logarithm.
Array log_choose(const Array& n, const Array& k) {
  return special::gammaln(n + 1) - special::gammaln(k + 1) - special::gammaln(n - k + 1);
}
}  // namespace

namespace bernoulli {
Array logpmf(const Arg& k, const Arg& p, const Arg& loc) {
  const Source at(k.at());
  const auto [v, q, m] = reals("bernoulli::logpmf", k, p, loc);
  const Array y = v - m;
  const Array value = special::xlogy(y, q) + special::xlog1py(1 - y, -q);
  return where((y < 0) | (y > 1), -inf, value);
}
Array pmf(const Arg& k, const Arg& p, const Arg& loc) {
  const Source at(k.at());
  return exp(logpmf(k, p, loc));
}
Array cdf(const Arg& k, const Arg& p) {
  const Source at(k.at());
  const auto [v, q] = reals("bernoulli::cdf", k, p);
  const Array value = where(v < 0, 0, where(v < 1, 1 - q, where(v >= 1, 1., v)));
  return of_probability(q, value);
}
Array ppf(const Arg& q, const Arg& p) {
  const Source at(q.at());
  const auto [u, r] = reals("bernoulli::ppf", q, p);
  return of_probability(r, of_probability(u, fn::as_dtype(u > 1 - r, u.dtype())));
}
}  // namespace bernoulli

namespace betabinom {
Array logpmf(const Arg& k, const Arg& n, const Arg& a, const Arg& b, const Arg& loc) {
  const Source at(k.at());
  const auto [v, m, p, q, l] = reals("betabinom::logpmf", k, n, a, b, loc);
  const Array k0 = floor(v) - l, inside = (k0 >= 0) & (k0 <= m), y = safe(inside, k0, 0);
  const Array choose = -log1p(m) - special::betaln(m - y + 1, y + 1);
  const Array value = choose + special::betaln(y + p, m - y + q) - special::betaln(p, q);
  return where((m >= 0) & (p > 0) & (q > 0), where(inside, value, -inf), nan);
}
Array pmf(const Arg& k, const Arg& n, const Arg& a, const Arg& b, const Arg& loc) {
  const Source at(k.at());
  return exp(logpmf(k, n, a, b, loc));
}
}  // namespace betabinom

namespace binom {
Array logpmf(const Arg& k, const Arg& n, const Arg& p, const Arg& loc) {
  const Source at(k.at());
  const auto [v, m, q, l] = reals("binom::logpmf", k, n, p, loc);
  const Array k0 = v - l, inside = (k0 >= 0) & (k0 < m + 1), y = safe(inside, k0, 0);
  const Array value = log_choose(m, y) + special::xlogy(y, q) + special::xlog1py(m - y, -q);
  return where(inside, value, -inf);
}
Array pmf(const Arg& k, const Arg& n, const Arg& p, const Arg& loc) {
  const Source at(k.at());
  return exp(logpmf(k, n, p, loc));
}
}  // namespace binom

namespace geom {
Array logpmf(const Arg& k, const Arg& p, const Arg& loc) {
  const Source at(k.at());
  const auto [v, q, l] = reals("geom::logpmf", k, p, loc);
  const Array y = v - l;
  return where(y <= 0, -inf, special::xlog1py(y - 1, -q) + log(q));
}
Array pmf(const Arg& k, const Arg& p, const Arg& loc) {
  const Source at(k.at());
  return exp(logpmf(k, p, loc));
}
}  // namespace geom

namespace nbinom {
Array logpmf(const Arg& k, const Arg& n, const Arg& p, const Arg& loc) {
  const Source at(k.at());
  const auto [v, m, q, l] = reals("nbinom::logpmf", k, n, p, loc);
  const Array below = v < l, y = safe(!below, v - l, 0);
  const Array choose = special::gammaln(y + m) - special::gammaln(m) - special::gammaln(y + 1);
  return where(below, -inf, choose + special::xlogy(m, q) + special::xlog1py(y, -q));
}
Array pmf(const Arg& k, const Arg& n, const Arg& p, const Arg& loc) {
  const Source at(k.at());
  return exp(logpmf(k, n, p, loc));
}
}  // namespace nbinom

namespace poisson {
Array logpmf(const Arg& k, const Arg& mu, const Arg& loc) {
  const Source at(k.at());
  const auto [v, m, l] = reals("poisson::logpmf", k, mu, loc);
  const Array inside = (v >= l) & (round(v) == v), y = safe(inside, v - l, 0);
  return where(inside, special::xlogy(y, m) - special::gammaln(y + 1) - m, -inf);
}
Array pmf(const Arg& k, const Arg& mu, const Arg& loc) {
  const Source at(k.at());
  return exp(logpmf(k, mu, loc));
}
Array cdf(const Arg& k, const Arg& mu, const Arg& loc) {
  const Source at(k.at());
  const auto [v, m, l] = reals("poisson::cdf", k, mu, loc);
  const Array below = v < l, y = safe(!below, v - l, 0);
  return where(below, 0, special::gammaincc(floor(y + 1), m));
}
Array entropy(const Arg& mu, const Arg& loc) {
  const Source at(mu.at());
  const auto [m, l] = reals("poisson::entropy", mu, loc);
  // Beyond 250 nothing is left where the mean is below 100.
  const Array few = (m > 0) & (m < 100), mean = safe(few, m, 1), many = safe(m >= 100, m, 100);
  std::vector<int64_t> sizes(static_cast<size_t>(m.ndim() + 1), 1);
  sizes[0] = 250;
  const Array logs = logpmf(iota(m.dtype(), Shape(sizes), 0), mean);
  const Array summed = -sum(exp(logs) * logs, 0), r = 1 / many;
  const Array rest = r * (1. / 12 + r * (1. / 24 + r * (19. / 360 + r * 9 / 80)));
  const Array series = 0.5 * log(2 * pi * M_E * many) - rest;
  return where(few, summed, where(m >= 100, series, where(m == 0, 0, nan)));
}
}  // namespace poisson

namespace multinomial {
Array logpmf(const Arg& x, const Arg& n, const Arg& p) {
  const Source at(x.at());
  const char* const name = "multinomial::logpmf";
  const Array q = fn::real_of(name, p);
  if (!is_integer(x->dtype()) || !is_integer(n->dtype()))
    fn::fail_dtype(fmt::format("{}: x and n must be integers, got {} and {}", name,
                               to_string(x->type()), to_string(n->type())));
  if (x->ndim() < 1 || q.ndim() < 1)
    fn::fail_shape(fmt::format("{}: x and p must have an axis of outcomes, got {} and {}", name,
                               to_string(x->type()), to_string(p->type())));
  const Array trials = fn::as_dtype(n, q.dtype());
  const Arrays xp = fn::broadcast_together(name, {fn::as_dtype(x, q.dtype()), q});
  fn::common_shape(name, xp[0].shape().erased(xp[0].ndim() - 1), trials.shape());
  const Array each = sum(special::xlogy(xp[0], xp[1]) - special::gammaln(xp[0] + 1), -1);
  return where(sum(xp[0], -1) == trials, special::gammaln(trials + 1) + each, -inf);
}
Array pmf(const Arg& x, const Arg& n, const Arg& p) {
  const Source at(x.at());
  return exp(logpmf(x, n, p));
}
}  // namespace multinomial

}  // namespace weft::scipy::stats
