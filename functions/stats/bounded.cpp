// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/stats/bounded.cpp: distributions of numbers on a half-line or an interval. Points
// outside are masked: they are replaced by a point where derivatives are finite.
#include <cmath>

#include "functions/stats/kit.h"
#include "ops/special/log_incomplete.h"
#include "weft/nn.h"
#include "weft/scipy/stats/continuous.h"
#include "weft/special.h"

namespace weft::scipy::stats {

namespace beta {
namespace {
// The logarithm of the probability up to z, or beyond z if `upper`. It is finite even where the
// probability underflows.
Array log_beta_part(const Array& z, const Array& p, const Array& q, bool upper) {
  const Array inside = (z > 0) & (z < 1), y = safe(inside, z, 0.5);
  const Arrays all = fn::broadcast_together("beta", {p, q, y});
  const Array value =
      upper ? ir::log_betaincc(all[0], all[1], all[2]) : ir::log_betainc(all[0], all[1], all[2]);
  const Array full = upper ? z <= 0 : z >= 1, valid = ~isnan(z) & (p >= 0) & (q >= 0);
  return where(valid, where(inside, value, where(full, 0, -inf)), nan);
}
}  // namespace
Array logpdf(const Arg& x, const Arg& a, const Arg& b, const Arg& loc, const Arg& scale) {
  const SourceScope at(x.at());
  const auto [v, p, q, m, s] = reals("beta::logpdf", x, a, b, loc, scale);
  const Array outside = (v < m) | (v > m + s), z = safe(!outside, (v - m) / s, 0.5);
  // With two large parameters the powers and the beta function nearly cancel.
  const Array large = (p >= 10) & (q >= 10) & isfinite(p + q) & (z > 0) & (z < 1);
  const Array y = safe(large, z, 0.5), w = 1 - y;
  const Array joined =
      fn::log_beta_form(safe(large, p, 10), safe(large, q, 10), y, w) - log(y) - log(w);
  const Array few = special::xlogy(p - 1, z) + special::xlog1py(q - 1, -z) - fn::log_beta(p, q);
  const Array value = where(large, joined, few) - log(s);
  return where((p > 0) & (q > 0) & (s > 0), where(outside, -inf, value), nan);
}
WEFT_EXP_OF(pdf, logpdf, (x, a, b, loc, scale))
WEFT_FORMULA(beta, cdf, (x, a, b, loc, scale), (v, p, q, m, s),
             special::betainc(p, q, clip((v - m) / s, 0, 1)))
WEFT_FORMULA(beta, logcdf, (x, a, b, loc, scale), (v, p, q, m, s),
             log_beta_part((v - m) / s, p, q, false))
Array sf(const Arg& x, const Arg& a, const Arg& b, const Arg& loc, const Arg& scale) {
  const SourceScope at(x.at());
  const auto [v, p, q, m, s] = reals("beta::sf", x, a, b, loc, scale);
  const Arrays all = fn::broadcast_together("beta::sf", {p, q, clip((v - m) / s, 0, 1)});
  return ir::betaincc(all[0], all[1], all[2]);
}
WEFT_FORMULA(beta, logsf, (x, a, b, loc, scale), (v, p, q, m, s),
             log_beta_part((v - m) / s, p, q, true))
}  // namespace beta

namespace {
// The logarithm of the density of s z, where z >= 0 has the gamma distribution with parameter a.
Array gamma_logpdf(const Array& z, const Array& a, const Array& s) {
  const Array inside = (z >= 0) & (z != inf), y = safe(inside, z, 1);
  // With a large parameter the power and the gamma function nearly cancel.
  const Array large = (a >= 10) & isfinite(a) & (y > 0), x = safe(large, y, 1);
  const Array joined = fn::log_gamma_form(safe(large, a, 10), x) - log(x);
  const Array few = special::xlogy(a - 1, y) - y - special::gammaln(a);
  const Array value = where(large, joined, few) - log(s);
  return where(isnan(z), nan, where(inside, value, -inf));
}
Array gamma_cdf(const Array& z, const Array& a) { return special::gammainc(a, where(z < 0, 0, z)); }
Array gamma_sf(const Array& z, const Array& a) { return special::gammaincc(a, where(z < 0, 0, z)); }
// The logarithm of the probability up to z, or beyond z if `upper`. It is finite even where the
// probability underflows.
Array log_gamma_part(const Array& z, const Array& a, bool upper) {
  const Array inside = (z > 0) & (z < inf) & (a < inf), y = safe(inside, z, 1);
  const Array p = safe(inside, a, 1);
  const Array value = upper ? ir::log_igammac(p, y) : ir::log_igamma(p, y);
  // For a = inf the entire mass is at infinity.
  const Array full = upper ? z < inf : z == inf, end = where(full, 0, -inf);
  const Array valid = ~isnan(z) & (a >= 0) & ((a > 0) | (z > 0));
  return where(valid, where(inside, value, end), nan);
}
}  // namespace

namespace gamma {
WEFT_FORMULA(gamma, logpdf, (x, a, loc, scale), (v, p, m, s), gamma_logpdf((v - m) / s, p, s))
WEFT_EXP_OF(pdf, logpdf, (x, a, loc, scale))
WEFT_FORMULA(gamma, cdf, (x, a, loc, scale), (v, p, m, s), gamma_cdf((v - m) / s, p))
WEFT_FORMULA(gamma, logcdf, (x, a, loc, scale), (v, p, m, s), log_gamma_part((v - m) / s, p, false))
WEFT_FORMULA(gamma, sf, (x, a, loc, scale), (v, p, m, s), gamma_sf((v - m) / s, p))
WEFT_FORMULA(gamma, logsf, (x, a, loc, scale), (v, p, m, s), log_gamma_part((v - m) / s, p, true))
}  // namespace gamma

// The gamma distribution with parameter df / 2, scaled by 2.
namespace chi2 {
WEFT_FORMULA(chi2, logpdf, (x, df, loc, scale), (v, n, m, s),
             gamma_logpdf((v - m) / s / 2, n / 2, 2 * s))
WEFT_EXP_OF(pdf, logpdf, (x, df, loc, scale))
WEFT_FORMULA(chi2, cdf, (x, df, loc, scale), (v, n, m, s), gamma_cdf((v - m) / s / 2, n / 2))
WEFT_FORMULA(chi2, logcdf, (x, df, loc, scale), (v, n, m, s),
             log_gamma_part((v - m) / s / 2, n / 2, false))
WEFT_FORMULA(chi2, sf, (x, df, loc, scale), (v, n, m, s), gamma_sf((v - m) / s / 2, n / 2))
WEFT_FORMULA(chi2, logsf, (x, df, loc, scale), (v, n, m, s),
             log_gamma_part((v - m) / s / 2, n / 2, true))
}  // namespace chi2

namespace expon {
WEFT_FORMULA(expon, logpdf, (x, loc, scale), (v, m, s), where(v < m, -inf, -((v - m) / s + log(s))))
WEFT_EXP_OF(pdf, logpdf, (x, loc, scale))
WEFT_FORMULA(expon, cdf, (x, loc, scale), (v, m, s), where(v < m, 0, -expm1((m - v) / s)))
Array logcdf(const Arg& x, const Arg& loc, const Arg& scale) {
  const SourceScope at(x.at());
  const auto [v, m, s] = reals("expon::logcdf", x, loc, scale);
  const Array below = v < m;
  return where(below, -inf, nn::log1mexp(safe(!below, (v - m) / s, 1)));
}
WEFT_FORMULA(expon, logsf, (x, loc, scale), (v, m, s), where(v < m, 0, (m - v) / s))
WEFT_EXP_OF(sf, logsf, (x, loc, scale))
WEFT_FORMULA(expon, ppf, (q, loc, scale), (p, m, s), of_probability(p, m - s * log1p(-p)))
}  // namespace expon

namespace pareto {
namespace {
struct Parts {
  Array below, log_z, b, scale;
};
Parts parts(const char* name, const Arg& x, const Arg& b, const Arg& loc, const Arg& scale) {
  const auto [v, n, m, s] = reals(name, x, b, loc, scale);
  const Array below = v < m + s;
  return {below, log(safe(!below, (v - m) / s, 2)), n, s};
}
}  // namespace
Array logpdf(const Arg& x, const Arg& b, const Arg& loc, const Arg& scale) {
  const SourceScope at(x.at());
  const Parts p = parts("pareto::logpdf", x, b, loc, scale);
  return where(p.below, -inf, log(p.b) - log(p.scale) - (p.b + 1) * p.log_z);
}
WEFT_EXP_OF(pdf, logpdf, (x, b, loc, scale))
Array cdf(const Arg& x, const Arg& b, const Arg& loc, const Arg& scale) {
  const SourceScope at(x.at());
  const Parts p = parts("pareto::cdf", x, b, loc, scale);
  return where(p.below, 0, -expm1(-p.b * p.log_z));
}
Array logcdf(const Arg& x, const Arg& b, const Arg& loc, const Arg& scale) {
  const SourceScope at(x.at());
  const Parts p = parts("pareto::logcdf", x, b, loc, scale);
  return where(p.below, -inf, nn::log1mexp(p.b * p.log_z));
}
Array logsf(const Arg& x, const Arg& b, const Arg& loc, const Arg& scale) {
  const SourceScope at(x.at());
  const Parts p = parts("pareto::logsf", x, b, loc, scale);
  return where(p.below, 0, -p.b * p.log_z);
}
WEFT_EXP_OF(sf, logsf, (x, b, loc, scale))
WEFT_FORMULA(pareto, ppf, (q, b, loc, scale), (p, n, m, s),
             of_probability(p, m + s * exp(-log1p(-p) / n)))
}  // namespace pareto

namespace truncnorm {
namespace {
// The logarithm of the normal distribution's mass between a <= b. In the right tail, where both
// distribution functions are nearly 1, it is computed in the left tail instead.
Array log_mass(const Array& a, const Array& b) {
  // Near 0 the mass is a difference of error functions. Farther out it is 1 minus both tails, or a
  // difference of tails.
  const Array near = (a > -1) & (b < 1) & (a < b), right = a > 0, middle = (a <= 0) & (b > 0);
  const double root = std::sqrt(0.5);
  const Array within =
      special::erf(safe(near, b, 1) * root) - special::erf(safe(near, a, 0) * root);
  const Array low = where(right, -b, a), high = where(right, -a, b);
  const Array at_low = special::log_ndtr(low), at_high = special::log_ndtr(high);
  const Array apart = ~middle & (low < high), lost = at_high == -inf;
  const Array tail = at_high + nn::log1mexp(safe(apart & ~lost & ~near, at_high - at_low, 1));
  const Array inner =
      log1p(-special::ndtr(safe(middle, a, -1)) - special::ndtr(-safe(middle, b, 1)));
  const Array far = where(lost, -inf, tail);
  const Array wide = where(middle, inner, where(apart, far, where(low == high, -inf, nan)));
  return where(near, log(0.5 * within), wide);
}
}  // namespace
Array logpdf(const Arg& x, const Arg& a, const Arg& b, const Arg& loc, const Arg& scale) {
  const SourceScope at(x.at());
  const auto [v, lo, hi, m, s] = reals("truncnorm::logpdf", x, a, b, loc, scale);
  const Array z = (v - m) / s, value = norm::logpdf(v, m, s) - log_mass(lo, hi);
  return where(lo < hi, where((z < lo) | (z > hi), -inf, value), nan);
}
WEFT_EXP_OF(pdf, logpdf, (x, a, b, loc, scale))
Array logcdf(const Arg& x, const Arg& a, const Arg& b, const Arg& loc, const Arg& scale) {
  const SourceScope at(x.at());
  const auto [v, lo, hi, m, s] = reals("truncnorm::logcdf", x, a, b, loc, scale);
  const Array z = (v - m) / s, inside = (z > lo) & (z < hi), all = log_mass(lo, hi);
  const Array y = where(inside, z, where(isfinite(lo), lo, hi));
  const Array below = log_mass(lo, y) - all;
  // For probabilities near 1 the complement is more accurate.
  const Array near = inside & (below > -0.1);
  const Array above = log_mass(where(near, y, lo), hi) - all;
  const Array value = where(near, log1p(-exp(safe(near, above, -1))), below);
  return where((lo < hi) & ~isnan(z), where(z >= hi, 0, where(z <= lo, -inf, value)), nan);
}
WEFT_EXP_OF(cdf, logcdf, (x, a, b, loc, scale))
WEFT_FORMULA(truncnorm, logsf, (x, a, b, loc, scale), (v, lo, hi, m, s),
             logcdf(-v, -hi, -lo, -m, s))
WEFT_EXP_OF(sf, logsf, (x, a, b, loc, scale))
}  // namespace truncnorm

namespace uniform {
WEFT_FORMULA(uniform, logpdf, (x, loc, scale), (v, m, s),
             where((v > m + s) | (v < m), -inf, where(isnan(v), nan, -log(s))))
WEFT_EXP_OF(pdf, logpdf, (x, loc, scale))
WEFT_FORMULA(uniform, cdf, (x, loc, scale), (v, m, s),
             where(v < m, 0, where(v > m + s, 1, (v - m) / s)))
WEFT_FORMULA(uniform, ppf, (q, loc, scale), (p, m, s), of_probability(p, m + s * p))
}  // namespace uniform

namespace wrapcauchy {
Array logpdf(const Arg& x, const Arg& c) {
  const SourceScope at(x.at());
  const auto [v, r] = reals("wrapcauchy::logpdf", x, c);
  const Array outside = (v < 0) | (v > 2 * pi), valid = (r > 0) & (r < 1), d = safe(valid, r, 0.5);
  // 1 + d^2 - 2 d cos v, in a form that does not cancel for d near 1.
  const Array gap = square(1 - d) + 4 * d * square(sin(v / 2));
  const Array value = log1p(-d) + log1p(d) - std::log(2 * pi) - log(gap);
  return where(valid, where(outside, -inf, value), nan);
}
WEFT_EXP_OF(pdf, logpdf, (x, c))
}  // namespace wrapcauchy

}  // namespace weft::scipy::stats
