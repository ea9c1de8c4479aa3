// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/special/special.cpp: special functions made of elementwise ops. A derivative rule
// replaces the derivative of a formula that would be NaN or inexact at points where the function
// has a derivative.
#include "weft/special.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "functions/kit.h"
#include "functions/special/kit.h"
#include "ops/elementwise/removable.h"
#include "weft/lax/elementary.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/incomplete.h"
#include "weft/lax/special.h"
#include "weft/nn.h"
#include "weft/numpy/create.h"
#include "weft/numpy/math.h"
#include "weft/numpy/shape.h"

namespace weft::special {
namespace {

using fn::need_real, fn::pair_of, fn::real_of, fn::reals_of, fn::with_slope;

constexpr double inf = std::numeric_limits<double>::infinity(),
                 nan = std::numeric_limits<double>::quiet_NaN();

// Evaluates the polynomial by Horner's rule. The highest coefficient is first.
Array polynomial(const Array& x, std::initializer_list<double> c) {
  Array r = fn::number_like(x, 0);
  for (double k : c) r = r * x + k;
  return r;
}

}  // namespace

// ---- error functions

Array erf(const Arg& x) {
  const ApiNameScope s("erf", x.at());
  return lax::erf(real_of("erf", x));
}
Array erfc(const Arg& x) {
  const ApiNameScope s("erfc", x.at());
  return lax::erfc(real_of("erfc", x));
}
Array erfinv(const Arg& x) {
  const ApiNameScope s("erfinv", x.at());
  return lax::erf_inv(real_of("erfinv", x));
}
Array ndtr(const Arg& x) {
  const ApiNameScope s("ndtr", x.at());
  const Array w = real_of("ndtr", x) * std::sqrt(0.5);
  return lax::erfc(lax::neg(w)) * 0.5;
}
// From Cephes, ndtri.c. The approximation is an odd function of p - 1/2 for p > e^-2, and a
// function of z = sqrt(-2 log p) otherwise.
Array ndtri(const Arg& p) {
  const ApiNameScope s("ndtri", p.at());
  const Array v = real_of("ndtri", p), upper = v > -std::expm1(-2.0);
  const Array small = where(upper, 1 - v, v);
  const Array inside = logical_and(small > 0, v < 1);
  const Array q = where(inside, small, 0.5);
  const Array w = q - 0.5, ww = lax::square(w);
  const Array middle =
      (w + w * ww *
               (polynomial(ww, {-5.99633501014107895267E1, 9.80010754185999661536E1,
                                -5.66762857469070293439E1, 1.39312609387279679503E1,
                                -1.23916583867381258016E0}) /
                polynomial(ww, {1.0, 1.95448858338141759834E0, 4.67627912898881538453E0,
                                8.63602421390890590575E1, -2.25462687854119370527E2,
                                2.00260212380060660359E2, -8.20372256168333339912E1,
                                1.59056225126211695515E1, -1.18331621121330003142E0}))) *
      -std::sqrt(2 * M_PI);
  const Array z = sqrt(-2 * log(q)), i = 1 / z;
  const Array near =
      i *
      polynomial(
          i, {4.05544892305962419923E0, 3.15251094599893866154E1, 5.71628192246421288162E1,
              4.40805073893200834700E1, 1.46849561928858024014E1, 2.18663306850790267539E0,
              -1.40256079171354495875E-1, -3.50424626827848203418E-2, -8.57456785154685413611E-4}) /
      polynomial(i,
                 {1.0, 1.57799883256466749731E1, 4.53907635128879210584E1, 4.13172038254672030440E1,
                  1.50425385692907503408E1, 2.50464946208309415979E0, -1.42182922854787788574E-1,
                  -3.80806407691578277194E-2, -9.33259480895457427372E-4});
  const Array far =
      i *
      polynomial(
          i, {3.23774891776946035970E0, 6.91522889068984211695E0, 3.93881025292474443415E0,
              1.33303460815807542389E0, 2.01485389549179081538E-1, 1.23716634817820021358E-2,
              3.01581553508235416007E-4, 2.65806974686737550832E-6, 6.23974539184983293730E-9}) /
      polynomial(i,
                 {1.0, 6.02427039364742014255E0, 3.67983563856160859403E0, 1.37702099489081330271E0,
                  2.16236993594496635890E-1, 1.34204006088543189037E-2, 3.28014464682127739104E-4,
                  2.89247864745380683936E-6, 6.79019408009981274425E-9});
  const Array tail = z - log(z) / z - where(z >= 8, far, near);
  const Array size = where(q > std::exp(-2.0), middle, tail);
  const Array end = where(v == 0, -inf, where(v == 1, inf, nan));
  return fn::as_dtype(where(inside, where(upper, size, lax::neg(size)), end), v.dtype());
}
// Far below 0 this uses the asymptotic series of ndtr.
Array log_ndtr(const Arg& x) {
  const ApiNameScope s("log_ndtr", x.at());
  const Array v = reals_of("log_ndtr", {x})[0];
  const auto value = [](const Arrays& in) {
    const Array& y = in[0];
    const bool wide = y.dtype() == F64;
    const double lower = wide ? -20 : -10;
    const Array above = y > 0;
    const Array p = ndtr(where(above, lax::neg(y), maximum(y, lower)));
    // log(1 - p), plus a correction for the rounding error of 1 - p. For a small p that error is
    // all of p.
    const Array rest = 1 - p, lost = where(above, (1 - rest) - p, 0);
    const Array inside = log(where(above, rest, p)) + lost / rest;
    const Array far = minimum(y, lower), i = 1 / lax::square(far);
    const Array series = polynomial(i, {10395, -945, 105, -15, 3, -1, 1});
    const Array low =
        lax::square(far) * -0.5 - log(lax::neg(far)) - 0.5 * std::log(2 * M_PI) + log(series);
    return fn::as_dtype(where(y > lower, inside, low), y.dtype());
  };
  // The derivative is the density divided by ndtr. Let t = erfcx(|x| / sqrt 2) and g = exp(-x^2 /
  // 2). ndtr(x) is t g / 2 below 0, where g cancels in the quotient, and 1 - t g / 2 above. Where x
  // is so far below 0 that x^2 could overflow, the derivative is -x.
  return with_slope("log_ndtr", {v}, value, [](const Arrays& in, const Arrays& d) {
    const Array &y = in[0], below = y < 0, end = y < -1e6, size = where(end, 1, abs(y));
    const Array t = lax::erfcx(size * std::sqrt(0.5));
    const Array g = exp(lax::square(where(below, 0, minimum(size, 100))) * -0.5);
    const Array ratio = std::sqrt(2 / M_PI) * g / where(below, t, 2 - t * g);
    return d[0] * where(end, lax::neg(y), ratio);
  });
}

// ---- gamma functions

Array gammaln(const Arg& x) {
  const ApiNameScope s("gammaln", x.at());
  return lax::lgamma(real_of("gammaln", x));
}
Array loggamma(const Arg& x) {
  const ApiNameScope s("loggamma", x.at());
  if (is_complex(x->dtype())) return fn::complex_loggamma(x);
  const Array v = real_of("loggamma", x);
  return fn::as_dtype(where(v > 0, lax::lgamma(v), nan), v.dtype());
}
Array gammasgn(const Arg& x) {
  const ApiNameScope s("gammasgn", x.at());
  const Array v = real_of("gammasgn", x), whole = floor(v), below = v < 0;
  const Array pole = logical_or(logical_and(below, v == whole), isnan(v));
  const Array odd = logical_and(below, remainder(whole, 2) != 0);
  const Array negative = logical_or(odd, logical_and(v == 0, signbit(v)));
  return fn::as_dtype(where(pole, nan, where(negative, -1., 1.)), v.dtype());
}
namespace {
// Computes f in F64 and rounds once. An exponential of logarithms of gamma functions would lose one
// digit of a narrow float for each digit of the exponent.
Array through_f64(const Arrays& v, FunctionRef<Array(const Arrays&)> f) {
  Arrays wide;
  for (const Array& x : v) wide.push_back(fn::as_dtype(x, F64));
  return fn::as_dtype(f(wide), v[0].dtype(), v[0].weak_type());
}
Array is_whole(const Array& x) { return floor(x) == x; }
// log |sin(pi x)|, which is -inf at whole numbers.
Array log_sine(const Array& x) {
  const Array rest = x - round(x), whole = rest == 0;
  return where(whole, -inf, log(abs(sin(M_PI * where(whole, 0.5, rest)))));
}
}  // namespace
namespace {
// Gamma(a) for a > 0 in F64. Below 3 it is the exponential of its logarithm, which is small. Up to
// 10 the recurrence is used, whose differences are exact. Beyond 10 it is Stirling's formula with
// the power itself, because an exponential would lose the digits of a large logarithm. The power is
// computed as the square of its root, which does not overflow.
Array gamma_above(const Array& a) {
  const Array far = a >= 10, small = a < 1;
  Array y = where(far, 2, a), product = fn::number_like(a, 1);
  for (int k = 0; k < 7; ++k) {
    const Array step = y >= 3;
    y = where(step, y - 1, y);
    product = where(step, product * y, product);
  }
  const Array near = exp(lax::lgamma(where(small, 1 + a, y)));
  const Array b = where(far, minimum(a, 180), 10), half = pow(b, 0.5 * b - 0.25);
  const Array large = std::sqrt(2 * M_PI) * half * exp(-b) * exp(fn::stirling_rest(b)) * half;
  return where(far, where(a > 172, where(isnan(a), nan, inf), large),
               where(small, near / where(small, a, 1), near * product));
}
Array gamma_of(const Array& x) {
  const Array size = abs(x), value = gamma_above(size), below = x < 0;
  // Gamma(x) Gamma(-x) = -pi / (x sin(pi x)). Whole numbers are poles. Where Gamma(-x) overflows,
  // the division by it is done in two steps.
  const Array rest = x - round(x), pole = below & (rest == 0);
  const Array sine = sin(M_PI * where(below & ~pole, rest, 0.5));
  const Array odd = where(remainder(round(x), 2) != 0, -1., 1.);
  const Array product = where(below, x, 1) * (sine * odd);
  const Array mirrored = -M_PI / product / value;
  const Array at_zero = copysign(inf, x);
  return where(x == 0, at_zero, where(pole | (x == -inf), nan, where(below, mirrored, value)));
}
// f = Gamma(at(x)), with the derivative f digamma(at(x)).
Array with_gamma_slope(const char* name, const Array& x, FunctionRef<Array(const Array&)> f,
                       FunctionRef<Array(const Array&)> at) {
  const Array v = real_of(name, x);
  const auto value = [&](const Arrays& in) {
    return through_f64(in, [&](const Arrays& w) { return f(w[0]); });
  };
  const auto slope = [&](const Arrays& in, const Arrays& d) {
    return d[0] * (value(in) * lax::digamma(at(in[0])));
  };
  return fn::as_dtype(with_slope(name, reals_of(name, {v}), value, slope), v.dtype(),
                      v.weak_type());
}
}  // namespace
Array gamma(const Arg& x) {
  const ApiNameScope s("gamma", x.at());
  if (is_complex(x->dtype())) return exp(fn::complex_loggamma(x));
  const auto at = [](const Array& v) { return v; };
  return with_gamma_slope("gamma", x, [](const Array& v) { return gamma_of(v); }, at);
}
Array factorial(const Arg& n) {
  const ApiNameScope s("factorial", n.at());
  const auto value = [](const Array& v) {
    const Array below = v < 0;
    return where(below, 0, gamma_above(where(below, 0, v) + 1));
  };
  return with_gamma_slope("factorial", n, value,
                          [](const Array& v) { return where(v < 0, 0, v) + 1; });
}
namespace {
// log |Gamma(z + m) / Gamma(z)|. For positive z and z + m it is computed by a beta function, in
// which their common part does not occur. Negative ones are reflected.
Array log_rising(const Array& z, const Array& m) {
  // The quotient is Gamma(m) / B(z, m) for m > 0. For m < 0 it is the inverse of the quotient that
  // starts at z + m.
  const auto above = [](const Array& a, const Array& n) {
    const Array up = n > 0, from = where(up, a, a + n), by = abs(n);
    const Array l = lax::lgamma(by) - betaln(from, by);
    return where(up, l, lax::neg(l));
  };
  const Array end = z + m, right = (z > 0) & (end > 0), left = (z < 0) & (end < 0);
  const Array inside = (right | left) & (m != 0) & isfinite(end);
  const Array from = where(inside, where(right, z, 1 - z), 1), by = where(inside, m, 1);
  const Array l = above(from, where(right, by, lax::neg(by)));
  // Gamma(z) Gamma(1 - z) = pi / sin(pi z).
  const Array turned = log_sine(where(left, z, 0.5)) - log_sine(where(left, end, 0.5)) - l;
  const Array apart = lax::lgamma(end) - lax::lgamma(z);
  return where(inside & right, l, where(inside & left, turned, apart));
}
// The value of a function of z, and its derivative.
struct Sloped {
  Array value, slope;
};
// z (z + 1) … (z + m - 1), for few factors. For negative m it is 1 / ((z - 1) … (z + m)).
constexpr int64_t few_factors = 20;
Sloped rising_product(const Array& z, const Array& m) {
  const Array one = fn::number_like(z, 1), below = m < 0, count = abs(m);
  Sloped p{one, fn::number_like(z, 0)};
  for (int64_t i = 0; i < few_factors; ++i) {
    const auto k = static_cast<double>(i);
    const Array factor = where(below, z - (k + 1), z + k), more = count > k;
    p = {where(more, p.value * factor, p.value), where(more, p.slope * factor + p.value, p.slope)};
  }
  const Array inverse = 1 / where(below, p.value, one);
  return {where(below, inverse, p.value),
          where(below, lax::neg(p.slope * inverse * inverse), p.slope)};
}
Array off_poles(const Array& x) { return where((x <= 0) & is_whole(x), 1., x); }
Array is_few(const Array& m) { return is_whole(m) & (abs(m) <= static_cast<double>(few_factors)); }
Array poch_of(const Array& z, const Array& m) {
  const Array few = is_few(m);
  // Gamma is infinite at 0, -1, …. If both z and z + m are such points, the quotient has a finite
  // limit.
  const Array end = z + m, pole = (z <= 0) & is_whole(z), end_pole = (end <= 0) & is_whole(end);
  const Array sign =
      where(pole | end_pole, 1., gammasgn(where(pole, 1., z)) * gammasgn(where(end_pole, 1., end)));
  const Array both = pole & end_pole, odd = remainder(m, 2) != 0, off = pole | end_pole | few;
  const Array l = log_rising(where(both, 1 - z, where(off, 1., z)),
                             where(both, lax::neg(m), where(off, 1., m)));
  const Array mirrored = where(odd, -1., 1.) * exp(lax::neg(where(both, l, 0.)));
  const Array at_poles = where(both, mirrored, where(pole, 0., inf));
  const Array value = sign * exp(where(both, 0., l));
  return where(few, rising_product(z, where(few, m, 0.)).value,
               where(pole | end_pole, at_poles, value));
}
}  // namespace
Array poch(const Arg& z, const Arg& m) {
  const ApiNameScope s("poch", z.at());
  const auto value = [](const Arrays& v) {
    return through_f64(v, [](const Arrays& w) { return poch_of(w[0], w[1]); });
  };
  return with_slope("poch", reals_of("poch", {z, m}), value, [&](const Arrays& v, const Arrays& d) {
    // Poles of the gamma functions are replaced by another number, so that no derivative is NaN
    // there.
    const Array start = off_poles(v[0]), end = off_poles(v[0] + v[1]), up = digamma(end);
    const Array p = fn::with_log_derivatives(value(v), lax::lgamma(end) - lax::lgamma(start));
    // For few factors, the slope in z is that of the product itself, which also holds where the
    // product is 0.
    const Array few = is_few(v[1]), product = rising_product(v[0], where(few, v[1], 0.)).slope;
    return d[0] * where(few, product, (up - digamma(start)) * p) + d[1] * (up * p);
  });
}
Array multigammaln(const Arg& a, int64_t d) {
  const ApiNameScope s("multigammaln", a.at());
  const Array v = real_of("multigammaln", a);
  if (d < 0) fn::fail_index(fmt::format("multigammaln: {} is not a dimension", d));
  const auto n = static_cast<double>(d);
  Array sum = fn::number_like(v, 0.25 * n * (n - 1) * std::log(M_PI));
  for (int64_t k = 0; k < d; ++k) sum = sum + lax::lgamma(v - 0.5 * static_cast<double>(k));
  return fn::broadcast(sum, v.shape());
}
Array digamma(const Arg& x) {
  const ApiNameScope s("digamma", x.at());
  const Array v = real_of("digamma", x), zero = v == 0;
  return where(zero, where(signbit(v), inf, -inf), lax::digamma(v));
}
Array polygamma(const Arg& n, const Arg& x) {
  const ApiNameScope s("polygamma", n.at());
  if (!is_integer(n->dtype()))
    fn::fail_dtype(
        fmt::format("polygamma: the order must be an integer, got {}", to_string(n->type())));
  const auto [m, v] = pair_of("polygamma", n, real_of("polygamma", x));
  const Array even = remainder(m, 2) == 0, zeroth = m == 0;
  const Array at_zero = where(zeroth & signbit(v), inf, where(even, -inf, inf));
  const Array at_end = where(zeroth, inf, 0);
  return where(v == 0, at_zero, where(v == inf, at_end, lax::polygamma(m, v)));
}
Array zeta(const Arg& x, const Arg& q) {
  const ApiNameScope s("zeta", x.at());
  const auto [a, b] = pair_of("zeta", x, q);
  // For an infinite exponent only the first term remains. For an infinite q the sum is 0.
  const Array first = where(b > 1, 0, where(b == 1, 1, where(b > 0, inf, nan)));
  const Array none = (b == inf) & (a > 1);
  return where(none, 0, where(a == inf, first, lax::zeta(a, b)));
}
Array gammainc(const Arg& a, const Arg& x) {
  const ApiNameScope s("gammainc", a.at());
  const auto [p, v] = pair_of("gammainc", a, x);
  return where((p == inf) & (v >= 0) & (v < inf), 0, lax::igamma(p, v));
}
Array gammaincc(const Arg& a, const Arg& x) {
  const ApiNameScope s("gammaincc", a.at());
  const auto [p, v] = pair_of("gammaincc", a, x);
  return where((p == inf) & (v >= 0) & (v < inf), 1, lax::igammac(p, v));
}

// ---- beta functions

// A negative operand is reflected by Gamma(x) Gamma(1 - x) = pi / sin(pi x).
Array betaln(const Arg& a, const Arg& b) {
  const ApiNameScope s("betaln", a.at());
  const auto [p, q] = pair_of("betaln", a, b);
  const Array turned = p > q, low = where(turned, q, p), high = where(turned, p, q);
  const Array sum = low + high, below = low < 0, opposed = below & (high > 0);
  const Array falls = opposed & (sum <= 0), rises = opposed & (sum > 0), left = below & (high < 0);
  const Array u = where(falls, high, where(below, 1 - low, low)),
              v = where(falls, 1 - sum, where(rises, sum, where(left, 1 - high, high)));
  const Array l = fn::log_beta(u, v);
  const Array of_sum = log_sine(where(below, sum, 0.5)), of_low = log_sine(where(below, low, 0.5)),
              of_high = log_sine(where(left, high, 0.5));
  // If two of the gamma functions are infinite, their quotient is finite. If all three are, the
  // result is infinite.
  const Array whole = is_whole(low) & is_whole(high);
  const Array falling = l + where(whole, 0, where(whole, 0, of_sum) - where(whole, 0, of_low));
  const Array rising = std::log(M_PI) - of_low - log(where(rises, high, 1)) - l;
  const Array of_left = where(whole, 0, of_sum - of_low) - of_high - log(1 - where(left, sum, 0));
  const Array leftmost = where(whole, inf, std::log(M_PI) + of_left - l);
  const Array pole = below & (high == 0);
  return where(pole, inf, where(falls, falling, where(rises, rising, where(left, leftmost, l))));
}
Array beta(const Arg& a, const Arg& b) {
  const ApiNameScope s("beta", a.at());
  const auto [x, y] = pair_of("beta", a, b);
  return through_f64({x, y}, [](const Arrays& v) {
    const Array &p = v[0], &q = v[1];
    const auto sign_of = [](const Array& z) {
      return where((z <= 0) & is_whole(z), 1., gammasgn(z));
    };
    const Array low = minimum(p, q), high = maximum(p, q);
    const Array falls = is_whole(p) & is_whole(q) & (low < 0) & (high > 0) & (p + q <= 0);
    // The sign of an infinity is undefined, so it is taken as positive.
    const Array pole = (low <= 0) & is_whole(low);
    const Array sign = where(falls, where(remainder(high, 2) == 0, 1., -1.),
                             where(pole, 1., sign_of(p) * sign_of(q) * sign_of(p + q)));
    return sign * exp(betaln(p, q));
  });
}
Array betainc(const Arg& a, const Arg& b, const Arg& x) {
  const ApiNameScope s("betainc", a.at());
  const Arrays v = reals_of("betainc", {a, b, x});
  return lax::betainc(v[0], v[1], v[2]);
}

// ---- logarithms and exponentials

Array expit(const Arg& x) {
  const ApiNameScope s("expit", x.at());
  return lax::logistic(real_of("expit", x));
}
Array logit(const Arg& p) {
  const ApiNameScope s("logit", p.at());
  return with_slope(
      "logit", reals_of("logit", {p}), [](const Arrays& v) { return log(v[0] / (1 - v[0])); },
      [](const Arrays& v, const Arrays& d) { return d[0] / v[0] + d[0] / (1 - v[0]); });
}
namespace {
// x l, or 0 where x is 0 and y is not NaN.
Array product_or_zero(const Array& x, const Array& y, const Array& l) {
  return fn::as_dtype(where(logical_or(x != 0, isnan(y)), x * l, 0), x.dtype());
}
// x / y, or 0 where both are 0. A term that is 0 has no derivative, even at the pole of the
// logarithm.
Array quotient_or_zero(const Array& x, const Array& y) {
  return x / fn::as_dtype(where(logical_and(x == 0, y == 0), 1, y), x.dtype());
}
Array xlogx(const Array& x) {
  return with_slope(
      "xlogx", {x}, [](const Arrays& v) { return product_or_zero(v[0], v[0], log(v[0])); },
      [](const Arrays& v, const Arrays& d) { return d[0] * (log(v[0]) + 1); });
}
}  // namespace
Array xlogy(const Arg& x, const Arg& y) {
  const ApiNameScope s("xlogy", x.at());
  return with_slope(
      "xlogy", reals_of("xlogy", {x, y}),
      [](const Arrays& v) { return product_or_zero(v[0], v[1], log(v[1])); },
      [](const Arrays& v, const Arrays& d) {
        return d[0] * log(v[1]) + d[1] * quotient_or_zero(v[0], v[1]);
      });
}
Array xlog1py(const Arg& x, const Arg& y) {
  const ApiNameScope s("xlog1py", x.at());
  return with_slope(
      "xlog1py", reals_of("xlog1py", {x, y}),
      [](const Arrays& v) { return product_or_zero(v[0], v[1], log1p(v[1])); },
      [](const Arrays& v, const Arrays& d) {
        return d[0] * log1p(v[1]) + d[1] * quotient_or_zero(v[0], 1 + v[1]);
      });
}
Array entr(const Arg& x) {
  const ApiNameScope s("entr", x.at());
  const Array v = reals_of("entr", {x})[0];
  return fn::as_dtype(where(v < 0, -inf, lax::neg(xlogx(v))), v.dtype());
}
Array rel_entr(const Arg& p, const Arg& q) {
  const ApiNameScope s("rel_entr", p.at());
  const Arrays v = reals_of("rel_entr", {p, q});
  const Array positive = logical_and(v[0] > 0, v[1] > 0),
              none_of_p = logical_and(v[0] == 0, v[1] >= 0);
  const DType d = v[0].dtype();
  const Array a = fn::as_dtype(where(positive, v[0], 1), d),
              b = fn::as_dtype(where(positive, v[1], 1), d);
  return fn::as_dtype(where(positive, xlogx(a) - xlogy(a, b), where(none_of_p, 0., inf)), d);
}
Array kl_div(const Arg& p, const Arg& q) {
  const ApiNameScope s("kl_div", p.at());
  const Arrays v = reals_of("kl_div", {p, q});
  return rel_entr(v[0], v[1]) - v[0] + v[1];
}
namespace {
// (e^(l log_of(x)) - 1) / l, or log_of(x) for l = 0, where log_of is log or log1p. `v` holds x and
// l.
Array power_less_one(const char* name, const Arrays& v, Array (*log_of)(const Arg&)) {
  const auto value = [&](const Arrays& in) {
    const Array log_x = log_of(in[0]), t = in[1] * log_x;
    const Array flat = logical_or(in[1] == 0, abs(t) < 1e-18), l = where(flat, 1, in[1]);
    return fn::as_dtype(where(flat, log_x, expm1(l * log_x) / l), log_x.dtype());
  };
  // The derivative in x is e^((l - 1) log_x). The derivative in l is log_x^2 times the derivative
  // of (e^t - 1) / t at t = l log_x. Where log_x is infinite, the latter is 1 / l^2 or infinite.
  return with_slope(name, v, value, [&](const Arrays& in, const Arrays& d) {
    const Array &l = in[1], log_x = log_of(in[0]), end = isinf(log_x);
    const Array less = l - 1, power = where(less == 0, 0, less * log_x);
    const Array inside = where(end, 0, log_x), below = logical_and(end, l * log_x < 0);
    const Array square = lax::square(where(below, l, 1));
    const Array slope = lax::square(inside) * ir::expm1_over_slope(l * inside);
    return d[0] * exp(power) + d[1] * where(end, where(below, 1 / square, inf), slope);
  });
}
}  // namespace
Array boxcox(const Arg& x, const Arg& lmbda) {
  const ApiNameScope s("boxcox", x.at());
  return power_less_one("boxcox", reals_of("boxcox", {x, lmbda}), lax::log);
}
Array boxcox1p(const Arg& x, const Arg& lmbda) {
  const ApiNameScope s("boxcox1p", x.at());
  return power_less_one("boxcox1p", reals_of("boxcox1p", {x, lmbda}), lax::log1p);
}
Array softmax(const Arg& x, const AxisList& axis) { return nn::softmax(x, axis); }
Array log_softmax(const Arg& x, const AxisList& axis) { return nn::log_softmax(x, axis); }

// ---- Bessel functions

Array i0e(const Arg& x) {
  const ApiNameScope s("i0e", x.at());
  return lax::bessel_i0e(real_of("i0e", x));
}
namespace {
Array unscaled(const Array& x, Array (*f)(const Arg&)) {
  return lax::mul(lax::exp(lax::abs(x)), f(x));
}
// I0(x) for n = 0, and I1(x) / x for n = 1. Near 0 it is a series in x^2, because |x| has no
// derivative there.
Array smooth_bessel(const Array& x, int n) {
  const auto c = [n](int k) {
    return std::pow(0.25, k) / (std::tgamma(k + 1.) * std::tgamma(k + n + 1.)) / (n + 1);
  };
  return ir::by_radius(
      x, 1, [&](const Array& v) { return ir::power_series(lax::square(v), c, 11); },
      [n](const Array& v) {
        return n == 0 ? unscaled(v, lax::bessel_i0e) : unscaled(v, lax::bessel_i1e) / v;
      });
}
}  // namespace
Array i0(const Arg& x) {
  const ApiNameScope s("i0", x.at());
  return with_slope(
      "i0", reals_of("i0", {x}), [](const Arrays& v) { return unscaled(v[0], lax::bessel_i0e); },
      [](const Arrays& v, const Arrays& d) { return d[0] * i1(v[0]); });
}
Array i1e(const Arg& x) {
  const ApiNameScope s("i1e", x.at());
  return lax::bessel_i1e(real_of("i1e", x));
}
Array i1(const Arg& x) {
  const ApiNameScope s("i1", x.at());
  return with_slope(
      "i1", reals_of("i1", {x}), [](const Arrays& v) { return unscaled(v[0], lax::bessel_i1e); },
      [](const Arrays& v, const Arrays& d) {
        return d[0] * (smooth_bessel(v[0], 0) - smooth_bessel(v[0], 1));
      });
}

// B(2k) = (-1)^(k+1) 2 (2k)! zeta(2k) / (2 pi)^(2k).
Array bernoulli(int64_t n, Location at) {
  const ApiNameScope s("bernoulli", at);
  if (n < 0) fn::fail_index(fmt::format("bernoulli: {} is not a number of terms", n));
  std::vector<float> b(static_cast<size_t>(n + 1), 0.F);
  double factor = 2;  // 2 (2k)! / (2 pi)^(2k)
  for (int64_t m = 0; m <= n; ++m) {
    if (m > 0) factor *= static_cast<double>(m) / (2 * M_PI);
    if (m % 2 != 0) continue;
    double zeta = 1;
    for (int j = 2; j < 64; ++j) zeta += std::pow(j, -static_cast<double>(m));
    if (m == 2) zeta = M_PI * M_PI / 6;
    if (m == 4) zeta = std::pow(M_PI, 4) / 90;
    b[static_cast<size_t>(m)] = static_cast<float>((m % 4 == 0 ? -1 : 1) * factor * zeta);
  }
  b[0] = 1;
  if (n > 0) b[1] = -0.5F;
  return array(b, Shape{n + 1});
}

}  // namespace weft::special
