// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/special/large_gamma_test.cpp: incomplete gamma functions of large parameters, for
// which sums of terms would take arbitrarily long. The expected values are from mpmath, integrals
// and sums with 40 digits.
#include <cmath>

#include "support/catch.h"
#include "weft/weft.h"

using namespace weft;

namespace {
struct Value {
  double a, x, lower, upper, sample_slope;
};
const Value values[] = {
    {20000, 20000, 0.50094031623374932, 0.49905968376625068, 1.0000083333749988},
    {20000, 20400, 0.99753935405635432, 0.0024606459436456765, 1.0099424081542509},
    {1e6, 998000, 0.022696114006736803, 0.9773038859932632, 0.99899949916574877},
    {1e12, 1000001000000.0, 0.84134474606858328, 0.15865525393141672, 1.0000005},
    {16385, 14746.5, 2.2200266156733026e-40, 1.0, 0.94825428286304389}};

double number(const Array& x) { return x.item<double>(); }
Array f64(double x) { return full({}, x, F64); }
}  // namespace

TEST_CASE("incomplete gamma functions of large parameters are as exact as of small ones") {
  for (const Value& v : values) {
    INFO("a = " << v.a << ", x = " << v.x);
    const Array a = f64(v.a), x = f64(v.x);
    const auto compiled = jit([](const Array& a, const Array& x) {
      return Arrays{lax::igamma(a, x), lax::igammac(a, x), lax::random_gamma_grad(a, x)};
    })(a, x);
    // One rounding of x changes the smaller result relatively by an amount that grows with the root
    // of a.
    CHECK(number(compiled[0]) == Approx(v.lower).epsilon(1e-13).margin(0));
    CHECK(number(compiled[1]) == Approx(v.upper).epsilon(1e-13).margin(0));
    CHECK(number(compiled[2]) == Approx(v.sample_slope).epsilon(1e-14).margin(0));
    CHECK(number(lax::igamma(a, x)) == Approx(v.lower).epsilon(1e-13).margin(0));
    // The slope of P with respect to a is that of its samples times the density.
    const double h = v.a * 1e-9;
    const auto low = [&](double p) { return number(lax::igamma(f64(p), x)); };
    CHECK(number(lax::igamma_grad_a(a, x)) ==
          Approx((low(v.a + h) - low(v.a - h)) / (2 * h)).epsilon(1e-3).margin(0));
  }
}

TEST_CASE("incomplete gamma functions join where the way to compute them changes") {
  for (double at : {0.7, 0.9, 1.0, 1.1, 1.3})
    for (double a : {16384.0, 16385.0, 1e7}) {
      // The logarithm of the smaller function has a slope of about the root of a, so that 1e-13
      // changes it by less than the tolerance.
      const double x = a * at;
      for (const auto f : {lax::igamma, lax::igammac, lax::random_gamma_grad}) {
        const double below = number(f(f64(a), f64(x * (1 - 1e-13)))),
                     above = number(f(f64(a), f64(x * (1 + 1e-13))));
        INFO("a = " << a << ", x / a = " << at);
        CHECK(below == Approx(above).epsilon(1e-6).margin(1e-300));
      }
      const double before = number(lax::igammac(f64(16384), f64(16384 * at))),
                   after = number(lax::igammac(f64(16384 * (1 + 1e-15)), f64(16384 * at)));
      CHECK(before == Approx(after).epsilon(1e-9).margin(1e-300));
    }
}

TEST_CASE("no parameter keeps the incomplete functions busy for long") {
  const std::vector<double> numbers = {1e-300, 1e-5, 1,    1e5,   1e15,
                                       9e15,   1e17, 1e20, 1e100, 1.7e308};
  for (double a : numbers)
    for (double x : numbers) {
      INFO("a = " << a << ", x = " << x);
      const double p = number(lax::igamma(f64(a), f64(x))),
                   q = number(lax::igammac(f64(a), f64(x)));
      CHECK(p >= 0);
      CHECK(q >= 0);
      CHECK(p + q == Approx(1).epsilon(1e-12));
      CHECK(!std::isnan(number(lax::igamma_grad_a(f64(a), f64(x)))));
      CHECK(number(lax::random_gamma_grad(f64(a), f64(x))) >= 0);
    }
}
