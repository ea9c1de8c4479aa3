// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/stats/continuous.cpp: distributions of numbers on the whole line. What is left out by a
// mask is computed at a point where derivatives are finite.
#include "weft/functions/stats/continuous.h"

#include "weft/functions/nn.h"
#include "weft/functions/special.h"
#include "weft/functions/stats/stats_kit.h"

namespace weft::scipy::stats {

namespace cauchy {
Array logpdf(const Arg& x, const Arg& loc, const Arg& scale) {
  const Source at(x.at());
  const auto [v, m, s] = reals("cauchy::logpdf", x, loc, scale);
  const Array z = (v - m) / s;
  return -(log(pi * s) + log1p_square(z));
}
Array pdf(const Arg& x, const Arg& loc, const Arg& scale) {
  const Source at(x.at());
  return exp(logpdf(x, loc, scale));
}
Array cdf(const Arg& x, const Arg& loc, const Arg& scale) {
  const Source at(x.at());
  const auto [v, m, s] = reals("cauchy::cdf", x, loc, scale);
  return 0.5 + arctan((v - m) / s) / pi;
}
Array logcdf(const Arg& x, const Arg& loc, const Arg& scale) {
  const Source at(x.at());
  return log(cdf(x, loc, scale));
}
Array sf(const Arg& x, const Arg& loc, const Arg& scale) {
  const Source at(x.at());
  const auto [v, m, s] = reals("cauchy::sf", x, loc, scale);
  return 0.5 - arctan((v - m) / s) / pi;
}
Array logsf(const Arg& x, const Arg& loc, const Arg& scale) {
  const Source at(x.at());
  return log(sf(x, loc, scale));
}
Array ppf(const Arg& q, const Arg& loc, const Arg& scale) {
  const Source at(q.at());
  const auto [p, m, s] = reals("cauchy::ppf", q, loc, scale);
  return tan(pi * p - pi / 2) * s + m;
}
Array isf(const Arg& q, const Arg& loc, const Arg& scale) {
  const Source at(q.at());
  const auto [p, m, s] = reals("cauchy::isf", q, loc, scale);
  return tan(pi / 2 - pi * p) * s + m;
}
}  // namespace cauchy

namespace gennorm {
Array logpdf(const Arg& x, const Arg& beta) {
  const Source at(x.at());
  const auto [v, b] = reals("gennorm::logpdf", x, beta);
  return log(0.5 * b) - special::gammaln(1 / b) - pow(abs(v), b);
}
Array pdf(const Arg& x, const Arg& beta) {
  const Source at(x.at());
  return exp(logpdf(x, beta));
}
Array cdf(const Arg& x, const Arg& beta) {
  const Source at(x.at());
  const auto [v, b] = reals("gennorm::cdf", x, beta);
  return 0.5 * (1 + sign(v) * special::gammainc(1 / b, pow(abs(v), b)));
}
}  // namespace gennorm

namespace gumbel_l {
namespace {
// log(1 - e^(-e^z)): far below 0 z - e^z / 2, where e^z underflows.
Array log_of_mass(const Array& z) {
  const Array low = z < -20, far = safe(low, z, -20), near = safe(!low, z, 0);
  return where(low, far - 0.5 * exp(far), nn::log1mexp(exp(near)));
}
}  // namespace
Array logpdf(const Arg& x, const Arg& loc, const Arg& scale) {
  const Source at(x.at());
  const auto [v, m, s] = reals("gumbel_l::logpdf", x, loc, scale);
  const Array z = (v - m) / s;
  return where(s > 0, z - exp(z) - log(s), nan);
}
Array pdf(const Arg& x, const Arg& loc, const Arg& scale) {
  const Source at(x.at());
  return exp(logpdf(x, loc, scale));
}
Array logcdf(const Arg& x, const Arg& loc, const Arg& scale) {
  const Source at(x.at());
  const auto [v, m, s] = reals("gumbel_l::logcdf", x, loc, scale);
  return where(s > 0, log_of_mass((v - m) / s), nan);
}
Array cdf(const Arg& x, const Arg& loc, const Arg& scale) {
  const Source at(x.at());
  const auto [v, m, s] = reals("gumbel_l::cdf", x, loc, scale);
  return where(s > 0, -expm1(-exp((v - m) / s)), nan);
}
Array logsf(const Arg& x, const Arg& loc, const Arg& scale) {
  const Source at(x.at());
  const auto [v, m, s] = reals("gumbel_l::logsf", x, loc, scale);
  return where(s > 0, -exp((v - m) / s), nan);
}
Array sf(const Arg& x, const Arg& loc, const Arg& scale) {
  const Source at(x.at());
  return exp(logsf(x, loc, scale));
}
Array ppf(const Arg& q, const Arg& loc, const Arg& scale) {
  const Source at(q.at());
  const auto [p, m, s] = reals("gumbel_l::ppf", q, loc, scale);
  const Array inside = (p > 0) & (p < 1);
  return where(inside, m + s * log(-log1p(-safe(inside, p, 0.5))), nan);
}
}  // namespace gumbel_l

// The largest of x is the smallest of -x, turned round.
namespace gumbel_r {
Array logpdf(const Arg& x, const Arg& loc, const Arg& scale) {
  const Source at(x.at());
  const auto [v, m, s] = reals("gumbel_r::logpdf", x, loc, scale);
  return gumbel_l::logpdf(-v, -m, s);
}
Array pdf(const Arg& x, const Arg& loc, const Arg& scale) {
  const Source at(x.at());
  return exp(logpdf(x, loc, scale));
}
Array logcdf(const Arg& x, const Arg& loc, const Arg& scale) {
  const Source at(x.at());
  const auto [v, m, s] = reals("gumbel_r::logcdf", x, loc, scale);
  return gumbel_l::logsf(-v, -m, s);
}
Array cdf(const Arg& x, const Arg& loc, const Arg& scale) {
  const Source at(x.at());
  return exp(logcdf(x, loc, scale));
}
Array sf(const Arg& x, const Arg& loc, const Arg& scale) {
  const Source at(x.at());
  const auto [v, m, s] = reals("gumbel_r::sf", x, loc, scale);
  return gumbel_l::cdf(-v, -m, s);
}
Array logsf(const Arg& x, const Arg& loc, const Arg& scale) {
  const Source at(x.at());
  const auto [v, m, s] = reals("gumbel_r::logsf", x, loc, scale);
  return gumbel_l::logcdf(-v, -m, s);
}
Array ppf(const Arg& q, const Arg& loc, const Arg& scale) {
  const Source at(q.at());
  const auto [p, m, s] = reals("gumbel_r::ppf", q, loc, scale);
  const Array inside = (p > 0) & (p < 1);
  return where(inside, m - s * log(-log(safe(inside, p, 0.5))), nan);
}
}  // namespace gumbel_r

namespace laplace {
Array logpdf(const Arg& x, const Arg& loc, const Arg& scale) {
  const Source at(x.at());
  const auto [v, m, s] = reals("laplace::logpdf", x, loc, scale);
  return -(abs(v - m) / s + log(2 * s));
}
Array pdf(const Arg& x, const Arg& loc, const Arg& scale) {
  const Source at(x.at());
  return exp(logpdf(x, loc, scale));
}
Array cdf(const Arg& x, const Arg& loc, const Arg& scale) {
  const Source at(x.at());
  const auto [v, m, s] = reals("laplace::cdf", x, loc, scale);
  const Array z = (v - m) / s, below = z <= 0, tail = 0.5 * exp(where(below, z, -z));
  return where(below, tail, 1 - tail);
}
}  // namespace laplace

namespace logistic {
Array logpdf(const Arg& x, const Arg& loc, const Arg& scale) {
  const Source at(x.at());
  const auto [v, m, s] = reals("logistic::logpdf", x, loc, scale);
  // Its derivative is tanh, which two exponentials that are nearly equal would lose.
  const Array sum = fn::with_slope(
      "log_two_cosh", {(v - m) / s / 2}, [](const Arrays& h) { return logaddexp(h[0], -h[0]); },
      [](const Arrays& h, const Arrays& d) { return d[0] * tanh(h[0]); });
  return -2 * sum - log(s);
}
Array pdf(const Arg& x, const Arg& loc, const Arg& scale) {
  const Source at(x.at());
  return exp(logpdf(x, loc, scale));
}
Array cdf(const Arg& x, const Arg& loc, const Arg& scale) {
  const Source at(x.at());
  const auto [v, m, s] = reals("logistic::cdf", x, loc, scale);
  return special::expit((v - m) / s);
}
Array sf(const Arg& x, const Arg& loc, const Arg& scale) {
  const Source at(x.at());
  const auto [v, m, s] = reals("logistic::sf", x, loc, scale);
  return special::expit((m - v) / s);
}
Array ppf(const Arg& q, const Arg& loc, const Arg& scale) {
  const Source at(q.at());
  const auto [p, m, s] = reals("logistic::ppf", q, loc, scale);
  return special::logit(p) * s + m;
}
Array isf(const Arg& q, const Arg& loc, const Arg& scale) {
  const Source at(q.at());
  const auto [p, m, s] = reals("logistic::isf", q, loc, scale);
  return m - special::logit(p) * s;
}
}  // namespace logistic

namespace norm {
Array logpdf(const Arg& x, const Arg& loc, const Arg& scale) {
  const Source at(x.at());
  const auto [v, m, s] = reals("norm::logpdf", x, loc, scale);
  const Array variance = s * s;
  return (log(2 * pi * variance) + square(v - m) / variance) / -2;
}
Array pdf(const Arg& x, const Arg& loc, const Arg& scale) {
  const Source at(x.at());
  return exp(logpdf(x, loc, scale));
}
Array cdf(const Arg& x, const Arg& loc, const Arg& scale) {
  const Source at(x.at());
  const auto [v, m, s] = reals("norm::cdf", x, loc, scale);
  return special::ndtr((v - m) / s);
}
Array logcdf(const Arg& x, const Arg& loc, const Arg& scale) {
  const Source at(x.at());
  const auto [v, m, s] = reals("norm::logcdf", x, loc, scale);
  return special::log_ndtr((v - m) / s);
}
Array sf(const Arg& x, const Arg& loc, const Arg& scale) {
  const Source at(x.at());
  const auto [v, m, s] = reals("norm::sf", x, loc, scale);
  return special::ndtr((m - v) / s);
}
Array logsf(const Arg& x, const Arg& loc, const Arg& scale) {
  const Source at(x.at());
  const auto [v, m, s] = reals("norm::logsf", x, loc, scale);
  return special::log_ndtr((m - v) / s);
}
Array ppf(const Arg& q, const Arg& loc, const Arg& scale) {
  const Source at(q.at());
  const auto [p, m, s] = reals("norm::ppf", q, loc, scale);
  return special::ndtri(p) * s + m;
}
Array isf(const Arg& q, const Arg& loc, const Arg& scale) {
  const Source at(q.at());
  const auto [p, m, s] = reals("norm::isf", q, loc, scale);
  return m - special::ndtri(p) * s;
}
}  // namespace norm

namespace t {
Array logpdf(const Arg& x, const Arg& df, const Arg& loc, const Arg& scale) {
  const Source at(x.at());
  const auto [v, n, m, s] = reals("t::logpdf", x, df, loc, scale);
  const Array z = (v - m) / s, power = (n + 1) / 2;
  return special::gammaln(power) - special::gammaln(n / 2) - log(pi * n * s * s) / 2 -
         power * log1p_square(z / sqrt(n));
}
Array pdf(const Arg& x, const Arg& df, const Arg& loc, const Arg& scale) {
  const Source at(x.at());
  return exp(logpdf(x, df, loc, scale));
}
}  // namespace t

namespace vonmises {
Array logpdf(const Arg& x, const Arg& kappa) {
  const Source at(x.at());
  const auto [v, k] = reals("vonmises::logpdf", x, kappa);
  // Near 0 by I0 itself, which is smooth there.
  const Array small = k < 1, near = safe(small, k, 0), far = safe(!small, k, 1);
  const Array value = where(small, near * cos(v) - log(2 * pi * special::i0(near)),
                            far * (cos(v) - 1) - log(2 * pi * special::i0e(far)));
  return where(k >= 0, value, nan);
}
Array pdf(const Arg& x, const Arg& kappa) {
  const Source at(x.at());
  return exp(logpdf(x, kappa));
}
}  // namespace vonmises

}  // namespace weft::scipy::stats
