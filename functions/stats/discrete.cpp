// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/stats/discrete.cpp: distributions of whole numbers. Masked elements are computed at a
// point where derivatives are finite.
#include "weft/scipy/stats/discrete.h"

#include <fmt/format.h>

#include <cmath>

#include "functions/stats/kit.h"
#include "ops/structure/structure.h"
#include "weft/lax/rounding.h"
#include "weft/numpy/create.h"
#include "weft/numpy/reduce.h"
#include "weft/numpy/shape.h"
#include "weft/special.h"

namespace weft::scipy::stats {

namespace {
// True if a count is a whole number of at least `least`. NaN is not.
Array is_count(const Array& k, double least = 0) {
  return (k >= least) & (k < inf) & (floor(k) == k);
}
// The value inside, -inf outside, and NaN where an operand is NaN.
Array masked(const Array& inside, const Array& value, const Arrays& operands) {
  Array lost = isnan(operands[0]);
  for (size_t i = 1; i < operands.size(); ++i) lost = lost | isnan(operands[i]);
  return where(lost, nan, where(inside, value, -inf));
}
// The logarithm of (k + rest choose k), for a small k or rest.
Array log_choose(const Array& k, const Array& rest) {
  return -log1p(k + rest) - fn::log_beta(rest + 1, k + 1);
}
// The logarithm of p^x q^y for p + q = 1. The logarithm of a number near 1 is computed from its
// complement.
Array log_powers(const Array& x, const Array& y, const Array& p, const Array& q) {
  const Array low = p < 0.5, of_p = safe(low, p, 0.5), of_q = safe(!low, q, 0.5);
  return where(low, special::xlogy(x, of_p) + special::xlog1py(y, -of_p),
               special::xlog1py(x, -of_q) + special::xlogy(y, of_q));
}
// The logarithm of p^a q^b / B(a, b) for p + q = 1. With two large parameters the terms that cancel
// are left out.
Array log_beta_powers(const Array& a, const Array& b, const Array& p, const Array& q) {
  const Array large = (a >= 10) & (b >= 10) & isfinite(a + b) & (p > 0) & (q > 0);
  const Array joined = fn::log_beta_form(safe(large, a, 10), safe(large, b, 10),
                                         safe(large, p, 0.5), safe(large, q, 0.5));
  const Array x = safe(!large, a, 1), y = safe(!large, b, 1);
  return where(large, joined, log_powers(x, y, p, q) - fn::log_beta(x, y));
}
}  // namespace

namespace bernoulli {
Array logpmf(const Arg& k, const Arg& p, const Arg& loc) {
  const SourceScope at(k.at());
  const auto [v, q, m] = reals("bernoulli::logpmf", k, p, loc);
  const Array y = v - m, inside = (y == 0) | (y == 1), k0 = safe(inside, y, 0);
  const Array value = special::xlogy(k0, q) + special::xlog1py(1 - k0, -q);
  return masked(inside, value, {y, q});
}
WEFT_EXP_OF(pmf, logpmf, (k, p, loc))
Array cdf(const Arg& k, const Arg& p) {
  const SourceScope at(k.at());
  const auto [v, q] = reals("bernoulli::cdf", k, p);
  const Array value = where(v < 0, 0, where(v < 1, 1 - q, where(v >= 1, 1., v)));
  return of_probability(q, value);
}
WEFT_FORMULA(bernoulli, ppf, (q, p), (u, r),
             of_probability(r, of_probability(u, fn::as_dtype(u > 1 - r, u.dtype()))))
}  // namespace bernoulli

namespace betabinom {
Array logpmf(const Arg& k, const Arg& n, const Arg& a, const Arg& b, const Arg& loc) {
  const SourceScope at(k.at());
  const auto [v, m, p, q, l] = reals("betabinom::logpmf", k, n, a, b, loc);
  const Array valid = (m >= 0) & (p > 0) & (q > 0) & !isnan(v - l);
  const Array k0 = v - l, inside = valid & is_count(k0) & (k0 <= m), y = safe(inside, k0, 0);
  // Combines three beta functions, each with powers of one probability r. The powers r^y (1 - r)^(m
  // - y) and r^p (1 - r)^q cancel against r^(y + p) (1 - r)^(m - y + q). The last of these products
  // is largest at r.
  const Array left = y + safe(inside, p, 1), right = safe(inside, m, 0) - y + safe(inside, q, 1),
              r = left / (left + right), rest_of_r = right / (left + right);
  const Array left_over = safe(inside, m - y, 0), some = inside & (y >= 10) & (left_over >= 10);
  const Array k1 = safe(some, y, 10), rest = safe(some, left_over, 10);
  const Array choose = log_beta_powers(k1, rest, r, rest_of_r) + log(1 / k1 + 1 / rest);
  const Array few = safe(!some, y, 0), others = safe(!some, left_over, 0);
  const Array at_end = log_choose(few, others) + log_powers(few, others, r, rest_of_r);
  const Array value = where(some, choose, at_end) +
                      log_beta_powers(safe(inside, p, 1), safe(inside, q, 1), r, rest_of_r) -
                      log_beta_powers(left, right, r, rest_of_r);
  return where(valid, where(inside, value, -inf), nan);
}
WEFT_EXP_OF(pmf, logpmf, (k, n, a, b, loc))
}  // namespace betabinom

namespace binom {
Array logpmf(const Arg& k, const Arg& n, const Arg& p, const Arg& loc) {
  const SourceScope at(k.at());
  const auto [v, m, q, l] = reals("binom::logpmf", k, n, p, loc);
  const Array k0 = v - l, inside = is_count(k0) & (k0 <= m), y = safe(inside, k0, 0);
  const Array all = safe(inside, m, 0);
  const Array some = inside & (y >= 10) & (all - y >= 10) & (q > 0) & (q < 1);
  // (n choose y) = (1 / y + 1 / (n - y)) / B(y, n - y).
  const Array k1 = safe(some, y, 10), rest = safe(some, all - y, 10);
  const Array z = safe(some, q, 0.5);
  const Array middle = fn::log_beta_form(k1, rest, z, 1 - z) + log(1 / k1 + 1 / rest);
  const Array few = safe(!some, y, 0), left = safe(!some, all - y, 0);
  // (n choose 0) and (n choose n) are 1, but the logarithm of the latter still has a derivative in
  // n.
  const Array some_ways = log_choose(few, left), one_way = (few == 0) | (left == 0);
  const Array ways = some_ways - where(one_way, lax::stop_gradient(some_ways), 0);
  // Without successes the power of q is the constant 1, even where 1 / q^2 overflows.
  const Array successes = special::xlogy(few, safe(few > 0, q, 1));
  const Array end = ways + successes + special::xlog1py(left, -q);
  return masked(inside, where(some, middle, end), {k0, m, q});
}
WEFT_EXP_OF(pmf, logpmf, (k, n, p, loc))
}  // namespace binom

namespace geom {
Array logpmf(const Arg& k, const Arg& p, const Arg& loc) {
  const SourceScope at(k.at());
  const auto [v, q, l] = reals("geom::logpmf", k, p, loc);
  const Array y = v - l, inside = is_count(y, 1);
  return masked(inside, special::xlog1py(safe(inside, y, 1) - 1, -q) + log(q), {y, q});
}
WEFT_EXP_OF(pmf, logpmf, (k, p, loc))
}  // namespace geom

namespace nbinom {
Array logpmf(const Arg& k, const Arg& n, const Arg& p, const Arg& loc) {
  const SourceScope at(k.at());
  const auto [v, m, q, l] = reals("nbinom::logpmf", k, n, p, loc);
  const Array k0 = v - l, inside = is_count(k0), y = safe(inside, k0, 0), some = inside & (y > 0);
  const Array k1 = safe(some, y, 1);
  // Each branch has its own operands, so that the derivatives of the branch that is not selected
  // are finite.
  const Array p1 = safe(some, q, 0.5);
  const Array value = log_beta_powers(safe(some, m, 1), k1, p1, 1 - p1) - log(k1);
  const Array none_failed = special::xlogy(safe(!some, m, 1), safe(!some, q, 0.5));
  return masked(inside, where(some, value, none_failed), {k0, m, q});
}
WEFT_EXP_OF(pmf, logpmf, (k, n, p, loc))
}  // namespace nbinom

namespace poisson {
namespace {
// The logarithm of the probability of a whole number k >= 0. For a large k the gamma function and
// the power nearly cancel.
Array log_mass(const Array& k, const Array& mean) {
  const Array large = (k >= 10) & isfinite(k) & (mean > 0) & isfinite(mean);
  const Array y = safe(large, k, 10), few = safe(!large, k, 0);
  const Array joined = fn::log_gamma_form(y, safe(large, mean, 1)) - log(y);
  return where(large, joined, special::xlogy(few, mean) - special::gammaln(few + 1) - mean);
}
}  // namespace
Array logpmf(const Arg& k, const Arg& mu, const Arg& loc) {
  const SourceScope at(k.at());
  const auto [v, m, l] = reals("poisson::logpmf", k, mu, loc);
  const Array k0 = v - l, inside = is_count(k0);
  return masked(inside, log_mass(safe(inside, k0, 0), m), {k0, m});
}
WEFT_EXP_OF(pmf, logpmf, (k, mu, loc))
Array cdf(const Arg& k, const Arg& mu, const Arg& loc) {
  const SourceScope at(k.at());
  const auto [v, m, l] = reals("poisson::cdf", k, mu, loc);
  const Array below = v < l, y = safe(!below, v - l, 0);
  return where(below, 0, special::gammaincc(floor(y + 1), m));
}
Array entropy(const Arg& mu, const Arg& loc) {
  const SourceScope at(mu.at());
  const auto [m, l] = reals("poisson::entropy", mu, loc);
  // Where the mean is below 100, the probabilities beyond 250 are negligible.
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
  const SourceScope at(x.at());
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
  // The counts are Poisson counts of the means n p, given that their sum is n. So the logarithm of
  // the Poisson probability of n is subtracted. The last term corrects for probabilities whose sum
  // is not 1.
  const Array& counts = xp[0];
  const Array mean = expand_dims(trials, -1) * xp[1];
  const Array each = sum(poisson::log_mass(counts, mean), -1);
  const Array whole = poisson::log_mass(trials, trials);
  const Array inside = (sum(counts, -1) == trials) & all(counts >= 0, -1);
  return where(inside, each - whole + trials * (sum(xp[1], -1) - 1), -inf);
}
WEFT_EXP_OF(pmf, logpmf, (x, n, p))
}  // namespace multinomial

}  // namespace weft::scipy::stats
