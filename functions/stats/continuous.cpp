// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/stats/continuous.cpp: distributions of numbers on the whole line. Masked elements are
// computed at a point where derivatives are finite.
#include "weft/scipy/stats/continuous.h"

#include <cmath>

#include "functions/stats/kit.h"
#include "weft/nn.h"
#include "weft/special.h"

namespace weft::scipy::stats {

namespace cauchy {
namespace {
// The probability beyond z. An angle divided by pi keeps its digits in the tail.
Array beyond(const Array& z) { return arctan2(1, z) / pi; }
// The logarithm of the probability beyond z = d / s. For large z it is log(1 / (pi z)), even where
// z overflows.
Array log_beyond(const Array& d, const Array& s) {
  const Array z = d / s, tail = z > 0, far = z > 1e10;
  const Array angle = log(beyond(safe(tail & !far, z, 1)));
  const Array flat = -log_of_quotient(safe(far, d, 1), where(far, s, 1)) - std::log(pi);
  return where(far, flat, where(tail, angle, log1p(-beyond(-safe(!tail, z, -1)))));
}
// The point beyond which the probability is q in [0, 1]. It is cot(pi q), written as a tangent near
// the middle.
Array point_of(const Array& q) {
  const Array low = q < 0.25, high = q > 0.75, middle = !(low | high);
  const Array tail = 1 / tan(pi * where(low, q, where(high, 1 - q, 0.25)));
  const Array value =
      where(middle, tan(pi * (0.5 - safe(middle, q, 0.5))), where(low, tail, -tail));
  return where(q == 0, inf, where(q == 1, -inf, of_probability(q, value)));
}
}  // namespace
WEFT_FORMULA(cauchy, logpdf, (x, loc, scale), (v, m, s),
             -(std::log(pi) + log(s) + log1p_square_of(v - m, s)))
WEFT_EXP_OF(pdf, logpdf, (x, loc, scale))
WEFT_FORMULA(cauchy, cdf, (x, loc, scale), (v, m, s), beyond((m - v) / s))
WEFT_FORMULA(cauchy, logcdf, (x, loc, scale), (v, m, s), log_beyond(m - v, s))
WEFT_FORMULA(cauchy, sf, (x, loc, scale), (v, m, s), beyond((v - m) / s))
WEFT_FORMULA(cauchy, logsf, (x, loc, scale), (v, m, s), log_beyond(v - m, s))
WEFT_FORMULA(cauchy, ppf, (q, loc, scale), (p, m, s), m - point_of(p) * s)
WEFT_FORMULA(cauchy, isf, (q, loc, scale), (p, m, s), m + point_of(p) * s)
}  // namespace cauchy

namespace gennorm {
WEFT_FORMULA(gennorm, logpdf, (x, beta), (v, b),
             log(0.5 * b) - special::gammaln(1 / b) - pow(abs(v), b))
WEFT_EXP_OF(pdf, logpdf, (x, beta))
Array cdf(const Arg& x, const Arg& beta) {
  const SourceScope at(x.at());
  const auto [v, b] = reals("gennorm::cdf", x, beta);
  // Below 0 the upper tail is used, which does not cancel.
  const Array zero = v == 0, size = where(zero, 0, pow(safe(!zero, abs(v), 1), b));
  // The power of a small number may underflow while |v| does not, so P(a, x) ~ x^a / Gamma(a + 1)
  // is used there.
  const Array tiny = size < (itemsize(v.dtype()) > 4 ? 0x1p-54 : 0x1p-26);
  const Array tail = 0.5 * special::gammaincc(1 / b, safe(!tiny, size, 1));
  const Array near = 0.5 * abs(v) * exp(-special::gammaln(1 + 1 / b));
  const Array inner = where(tiny, near, 0.5 * special::gammainc(1 / b, safe(!tiny, size, 1)));
  return where(v < 0, where(tiny, 0.5 - near, tail), 0.5 + inner);
}
}  // namespace gennorm

namespace gumbel_l {
namespace {
// e^z for formulas that contain e^(-e^z). From z = 10 on that is 0, and where e^z overflows, its
// derivative would be 0 times infinity.
Array exp_within(const Array& z) { return exp(minimum(z, 10)); }
// log(1 - e^(-e^z)). Far below 0, where e^z underflows, it is z - e^z / 2.
Array log_of_mass(const Array& z) {
  const Array low = z < -20, far = safe(low, z, -20), near = safe(!low, z, 0);
  return where(low, far - 0.5 * exp(far), nn::log1mexp(exp_within(near)));
}
}  // namespace
Array logpdf(const Arg& x, const Arg& loc, const Arg& scale) {
  const SourceScope at(x.at());
  const auto [v, m, s] = reals("gumbel_l::logpdf", x, loc, scale);
  const Array z = (v - m) / s, ends = z == inf;
  return where(s > 0, where(ends, -inf, safe(!ends, z, 0) - exp(z) - log(s)), nan);
}
WEFT_EXP_OF(pdf, logpdf, (x, loc, scale))
WEFT_FORMULA(gumbel_l, logcdf, (x, loc, scale), (v, m, s),
             where(s > 0, log_of_mass((v - m) / s), nan))
WEFT_FORMULA(gumbel_l, cdf, (x, loc, scale), (v, m, s),
             where(s > 0, -expm1(-exp_within((v - m) / s)), nan))
WEFT_FORMULA(gumbel_l, logsf, (x, loc, scale), (v, m, s), where(s > 0, -exp((v - m) / s), nan))
WEFT_EXP_OF(sf, logsf, (x, loc, scale))
Array ppf(const Arg& q, const Arg& loc, const Arg& scale) {
  const SourceScope at(q.at());
  const auto [p, m, s] = reals("gumbel_l::ppf", q, loc, scale);
  const Array inside = (p > 0) & (p < 1);
  const Array value = m + s * log(-log1p(-safe(inside, p, 0.5)));
  return where(inside, value, end_of(p));
}
}  // namespace gumbel_l

// The largest of the numbers x is minus the smallest of -x.
namespace gumbel_r {
WEFT_FORMULA(gumbel_r, logpdf, (x, loc, scale), (v, m, s), gumbel_l::logpdf(-v, -m, s))
WEFT_EXP_OF(pdf, logpdf, (x, loc, scale))
WEFT_FORMULA(gumbel_r, logcdf, (x, loc, scale), (v, m, s), gumbel_l::logsf(-v, -m, s))
WEFT_EXP_OF(cdf, logcdf, (x, loc, scale))
WEFT_FORMULA(gumbel_r, sf, (x, loc, scale), (v, m, s), gumbel_l::cdf(-v, -m, s))
WEFT_FORMULA(gumbel_r, logsf, (x, loc, scale), (v, m, s), gumbel_l::logcdf(-v, -m, s))
Array ppf(const Arg& q, const Arg& loc, const Arg& scale) {
  const SourceScope at(q.at());
  const auto [p, m, s] = reals("gumbel_r::ppf", q, loc, scale);
  const Array inside = (p > 0) & (p < 1);
  const Array value = m - s * log(-log(safe(inside, p, 0.5)));
  return where(inside, value, end_of(p));
}
}  // namespace gumbel_r

namespace laplace {
WEFT_FORMULA(laplace, logpdf, (x, loc, scale), (v, m, s), -(abs(v - m) / s + log(s) + std::log(2.)))
WEFT_EXP_OF(pdf, logpdf, (x, loc, scale))
Array cdf(const Arg& x, const Arg& loc, const Arg& scale) {
  const SourceScope at(x.at());
  const auto [v, m, s] = reals("laplace::cdf", x, loc, scale);
  const Array z = (v - m) / s, below = z <= 0, tail = 0.5 * exp(where(below, z, -z));
  return where(below, tail, 1 - tail);
}
}  // namespace laplace

namespace logistic {
Array logpdf(const Arg& x, const Arg& loc, const Arg& scale) {
  const SourceScope at(x.at());
  const auto [v, m, s] = reals("logistic::logpdf", x, loc, scale);
  // The derivative is tanh. The derivative of logaddexp would be a difference of two nearly equal
  // exponentials.
  const Array sum = fn::with_slope(
      "log_two_cosh", {(v - m) / s / 2}, [](const Arrays& h) { return logaddexp(h[0], -h[0]); },
      [](const Arrays& h, const Arrays& d) { return d[0] * tanh(h[0]); });
  return -2 * sum - log(s);
}
WEFT_EXP_OF(pdf, logpdf, (x, loc, scale))
WEFT_FORMULA(logistic, cdf, (x, loc, scale), (v, m, s), special::expit((v - m) / s))
WEFT_FORMULA(logistic, sf, (x, loc, scale), (v, m, s), special::expit((m - v) / s))
WEFT_FORMULA(logistic, ppf, (q, loc, scale), (p, m, s), special::logit(p) * s + m)
WEFT_FORMULA(logistic, isf, (q, loc, scale), (p, m, s), m - special::logit(p) * s)
}  // namespace logistic

namespace norm {
WEFT_FORMULA(norm, logpdf, (x, loc, scale), (v, m, s),
             -0.5 * square((v - m) / s) - log(s) - 0.5 * std::log(2 * pi))
WEFT_EXP_OF(pdf, logpdf, (x, loc, scale))
WEFT_FORMULA(norm, cdf, (x, loc, scale), (v, m, s), special::ndtr((v - m) / s))
WEFT_FORMULA(norm, logcdf, (x, loc, scale), (v, m, s), special::log_ndtr((v - m) / s))
WEFT_FORMULA(norm, sf, (x, loc, scale), (v, m, s), special::ndtr((m - v) / s))
WEFT_FORMULA(norm, logsf, (x, loc, scale), (v, m, s), special::log_ndtr((m - v) / s))
WEFT_FORMULA(norm, ppf, (q, loc, scale), (p, m, s), special::ndtri(p) * s + m)
WEFT_FORMULA(norm, isf, (q, loc, scale), (p, m, s), m - special::ndtri(p) * s)
}  // namespace norm

namespace t {
namespace {
// log Gamma(n / 2 + 1/2) - log Gamma(n / 2) - log(n / 2) / 2, which is small for large n.
Array log_gamma_step(const Array& n) {
  const Array large = n >= 20, h = 0.5 * safe(large, n, 20), few = 0.5 * safe(!large, n, 1);
  const Array far = h * log1p(0.5 / h) - 0.5 + fn::stirling_rest(h + 0.5) - fn::stirling_rest(h);
  const Array plain = special::gammaln(few + 0.5) - special::gammaln(few) - 0.5 * log(few);
  return where(large, where(n == inf, 0, far), plain);
}
}  // namespace
Array logpdf(const Arg& x, const Arg& df, const Arg& loc, const Arg& scale) {
  const SourceScope at(x.at());
  const auto [v, n, m, s] = reals("t::logpdf", x, df, loc, scale);
  // With infinite degrees of freedom it is the normal distribution.
  const Array z = (v - m) / s, normal = n == inf, d = safe(!normal, n, 1);
  const Array power =
      where(normal, 0.5 * square(z), 0.5 * (d + 1) * log1p_square_of((v - m) / sqrt(d), s));
  return log_gamma_step(n) - 0.5 * std::log(2 * pi) - log(s) - power;
}
WEFT_EXP_OF(pdf, logpdf, (x, df, loc, scale))
}  // namespace t

namespace vonmises {
Array logpdf(const Arg& x, const Arg& kappa) {
  const SourceScope at(x.at());
  const auto [v, k] = reals("vonmises::logpdf", x, kappa);
  // Near 0 this uses I0 itself, which is smooth there.
  const Array small = k < 1, near = safe(small, k, 0), far = safe(!small, k, 1);
  const Array value = where(small, near * cos(v) - log(2 * pi * special::i0(near)),
                            -2 * far * square(sin(v / 2)) - log(2 * pi * special::i0e(far)));
  return where(k >= 0, value, nan);
}
WEFT_EXP_OF(pdf, logpdf, (x, kappa))
}  // namespace vonmises

}  // namespace weft::scipy::stats
