// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/scipy/extreme_values_test.cpp: values at extreme arguments, where formulas
// cancel, overflow or become infinite. The functions are interpolation, exponentials of matrices,
// functions of the gamma function, the order of NaNs, and random numbers in far tails.
#include <cmath>
#include <limits>

#include "support/check.h"

using namespace weft;

namespace {
constexpr double inf = std::numeric_limits<double>::infinity(),
                 not_a_number = std::numeric_limits<double>::quiet_NaN();
void same(const Array& got, const Array& want) {
  INFO("got " << got << ", wanted " << want);
  CHECK(array_equal(got, want, true).item<bool>());
}
void close(const Array& got, const Array& want, double rtol) {
  INFO("got " << got << ", wanted " << want);
  CHECK(allclose(got, want, rtol, 0, true).item<bool>());
}
// Returns a NaN with the sign bit, without arithmetic that could change it.
Array negative_nan(DType d) { return copysign(full({1}, not_a_number, d), full({1}, -1, d)); }
}  // namespace

TEST_CASE("interp keeps close points apart and knows infinite neighbours") {
  const Array x = array({0.5e-15, 1.5e-15}), places = array({0., 1e-15, 2e-15});
  close(interp(x, places, array({0., 1., 2.})), array({0.5, 1.5}), 1e-6);
  const Array subnormal = array({0., 1e-310}, F64);
  close(interp(array({5e-311}, F64), subnormal, array({0., 4.}, F64)), array({2.}, F64), 1e-12);
  const Array knots = array({0., 1., 2., 3.}), ends = array({0., 1., inf, 5.});
  same(interp(array({1., 1.5, 2., 2.5, 3.}), knots, ends), array({1., inf, inf, inf, 5.}));
  same(interp(array({0.5}), array({0., 1.}), array({-inf, -inf})), array({-inf}));
  same(interp(array({0.5}), array({0., 1.}), array({-inf, inf})), array({not_a_number}));
  // The difference of two numbers may overflow.
  close(interp(array({0.25}), array({0., 1.}), array({-3e38, 3e38})), array({-1.5e38}), 1e-6);
  same(interp(array({1.}), knots, ends, {.period = 4.}), array({1.}));
  same(interp(array({-1., 9.}), knots, ends, {.left = 7., .right = 8.}), array({7., 8.}));
  const auto slope = [&](const Array& at, const Array& f) {
    return grad([&](Array v) { return sum(interp(v, knots, f)); })(at);
  };
  same(slope(array({0.5, 1.5}), array({0., 1., 3., 4.})), array({1., 2.}));
  const Array by_values = grad([&](Array f) { return sum(interp(array({1.}), knots, f)); })(ends);
  same(by_values, array({0., 1., 0., 0.}));
}

TEST_CASE("expm takes matrices of any finite norm") {
  for (DType d : {F32, F64}) {
    INFO(short_name(d));
    const double far = d == F64 ? 1e200 : 1e30;
    same(linalg::expm(diag(array({-1e6, -2e6}, d))), zeros({2, 2}, d));
    same(linalg::expm(diag(array({-far, 1.}, d)))[0], zeros({2}, d));
    const Array shear = array({{0., 1e8}, {0., 0.}}, d);
    const Array want = array({{1., 1e8}, {0., 1.}}, d);
    close(linalg::expm(shear), want, 1e-6);
    // Each matrix of a batch takes as many steps as it needs.
    const Array small = array({{0., 1.}, {-1., 0.}}, d), both = stack({shear, small});
    same(linalg::expm(both)[0], linalg::expm(shear));
    same(linalg::expm(both)[1], linalg::expm(small));
    const auto f = [](Array a) { return linalg::expm(a); };
    same(vmap(f)(both), linalg::expm(both));
    same(jit(f)(both), linalg::expm(both));
    // The slope of the trace is the transpose of e^a.
    const auto slope = grad([](Array a) { return trace(linalg::expm(a)); });
    close(slope(shear), want.T(), 1e-5);
    close(jit(slope)(shear), want.T(), 1e-5);
    close(slope(small), linalg::expm(small).T(), 1e-5);
    const auto [value, tangent] = linalg::expm_frechet(shear, eye(2, 2, 0, d));
    same(value, linalg::expm(shear));
    close(tangent, want, 1e-5);
    CHECK(all(isnan(linalg::expm(full({2, 2}, inf, d)))).item<bool>());
    CHECK(all(isnan(linalg::expm(full({2, 2}, not_a_number, d)))).item<bool>());
  }
}

TEST_CASE("counts of choices are whole, of large numbers too") {
  same(special::comb(365., 2.), array(66430.F));
  same(special::comb(array({365., 52., 30.}), array({2., 5., 15.})),
       array({66430., 2598960., 155117520.}));
  same(special::comb(array({52., 30., 60.}, F64), array({5., 15., 8.}, F64)),
       array({2598960., 155117520., 2558620845.}, F64));
  close(special::comb(1e5, 3.), array(1.666616667e14), 1e-6);
  close(special::comb(array({1e6}, F64), array({5e5}, F64)) / inf, array({not_a_number}, F64), 1);
  same(special::poch(40., 1.), array(40.F));
  same(special::poch(array({200., -3., -3.}, F64), array({1., 2., 5.}, F64)),
       array({200., 6., 0.}, F64));
  same(special::factorial(array({5., 10.})), array({120., 3628800.}));
  close(special::betaln(array({-3.}, F64), 2.), array({-std::log(6.)}, F64), 1e-14);
  // The slopes of comb are those of the gamma functions.
  const auto slope = grad([](Array n) { return special::comb(n, 2.); });
  close(slope(array(365., F64)), array(364.5, F64), 1e-9);
}

TEST_CASE("functions at infinities and poles have the values of scipy") {
  same(special::gammainc(inf, 2.), array(0.F));
  same(special::gammaincc(inf, 2.), array(1.F));
  same(special::digamma(array({0., -0., -1.})), array({-inf, inf, not_a_number}));
  same(special::polygamma(array({1, 2, 1}), array({0., 0., inf})), array({inf, -inf, 0.}));
  same(special::zeta(array({2., inf, inf, inf}), array({inf, 2., 1., 0.5})),
       array({0., 0., 1., inf}));
}

TEST_CASE("betainc of large parameters has its digits") {
  // The expected values are from scipy.
  const Array a = array({1e3, 1e6, 1e6, 1e8}, F64), b = array({1e3, 1e6, 2e6, 1e8}, F64);
  const Array x = array({0.49, 0.4995, 0.333, 0.49999}, F64);
  const Array want = array(
      {0.1855526594315119, 0.07864957758091215, 0.11032283951662562, 0.3886487055190716}, F64);
  close(special::betainc(a, b, x), want, 1e-11);
  close(jit([](Array p, Array q, Array z) { return special::betainc(p, q, z); })(a, b, x), want,
        1e-11);
  close(scipy::stats::beta::sf(1 - x, b, a), want, 1e-11);
}

TEST_CASE("distributions have the values that floats can hold") {
  namespace st = scipy::stats;
  close(st::t::logpdf(1., 1e8), array(-1.4189385F), 1e-6);
  close(st::poisson::pmf(1e6, 1e6), array(0.00039894225F), 1e-5);
  close(st::norm::logpdf(0., 0., 1e30), array(-69.99649F), 1e-6);
  close(st::cauchy::sf(1e10), array(3.183099e-11F), 1e-6);
  same(st::gamma::logpdf(inf, 3.), array(float(-inf)));
  same(st::cauchy::ppf(array({0., 1., 1.5, -0.1})), array({-inf, inf, not_a_number, not_a_number}));
  // At the border the density has a limit if the parameter is 1.
  close(st::dirichlet::logpdf(array({0., .5, .5}), ones({3})), array(std::log(2.F)), 1e-6);
  same(st::dirichlet::logpdf(array({0., 1.}), array({2., 1.})), array(float(-inf)));
  same(st::dirichlet::logpdf(array({0., 1.}), array({0.5, 1.})), array(float(inf)));
  // In F32 the difference of lgamma of 4e6 and 3e6 and of 1e6 has no correct digits. The expected
  // values are from mpmath.
  close(st::dirichlet::logpdf(array({0.25, 0.75}), array({1e6, 3e6})), array(7.5189528F), 1e-4);
  close(st::multinomial::logpmf(array({500000, 500000}), 1000000, array({0.5, 0.5})),
        array(-7.1335469F), 1e-4);
  for (const Array& p : {st::binom::pmf(2.5, 5., .3), st::bernoulli::pmf(.5, .3),
                         st::geom::pmf(1.5, .3), st::nbinom::pmf(1.5, 3., .3),
                         st::poisson::pmf(1.5, 3.), st::betabinom::pmf(1.5, 4., 1., 2.)})
    same(p, array(0.F));
}

TEST_CASE("NaN of either sign counts as largest") {
  for (DType d : {BF16, F16, F32, F64}) {
    INFO(short_name(d));
    const Array x =
        concatenate({array({1., 3.}, d), negative_nan(d), array({-inf, not_a_number, 2.}, d)});
    const Array many = concatenate({x, full({600}, 0.5, d)});
    const auto places = [](Array v) { return top_k(v, 3).second; };
    for (const Array& v : {x, many}) {
      same(places(v), array({2, 4, 1}));
      same(jit(places)(v), array({2, 4, 1}));
      same(vmap(places)(stack({v, v}))[1], array({2, 4, 1}));
    }
    same(top_k(x, 6).second, array({2, 4, 1, 5, 0, 3}));
    same(argsort(x), array({3, 0, 5, 1, 2, 4}));
    same(sort(x), array({-inf, 1., 2., 3., not_a_number, not_a_number}, d));
    same(argmax(x), array(2));
    same(argmin(x), array(2));
    same(nanargmax(x), array(1));
    same(nanargmin(x), array(3));
    same(unique(x), array({-inf, 1., 2., 3., not_a_number}, d));
    same(median(x), full({}, not_a_number, d));
    same(searchsorted(sort(x), negative_nan(d)), array({4}));
    // Zeros are distinguished by sign, as in JAX.
    same(top_k(array({-0., 0., -0., 0.}, d), 4).second, array({1, 3, 0, 2}));
    same(argsort(array({0., -0., 0.}, d)), array({0, 1, 2}));
    same(argmax(array({-0., 0.}, d)), array(0));
  }
}

TEST_CASE("places without NaN are those of numbers, infinite ones too") {
  same(nanargmax(array({not_a_number, -inf})), array(1));
  same(nanargmin(array({not_a_number, inf})), array(1));
  same(nanargmax(array({not_a_number, -inf, not_a_number, -inf})), array(1));
  same(nanargmax(array({-inf, -inf})), array(0));
  same(nanargmax(array({not_a_number, -inf, 2., 2.})), array(2));
  same(nanargmax(array({not_a_number, not_a_number})), array(-1));
  const Array rows =
      array({{not_a_number, inf}, {inf, not_a_number}, {not_a_number, not_a_number}});
  same(nanargmin(rows, 1), array({1, 0, -1}));
  same(jit([](Array v) { return nanargmin(v, 1, {.keepdims = true}); })(rows),
       array({{1}, {0}, {-1}}));
}

TEST_CASE("random numbers in the tails have the right frequency") {
  const Array k = random::key(5);
  close(mean(random::truncated_normal(k, 8., 9., {20000})), array(8.12193F), 1e-3);
  close(mean(random::truncated_normal(k, 5.25, 1e6, {20000})), array(5.4288F), 1e-3);
  // Samples are the same for constant and traced bounds, and for tails and the middle together.
  const auto draw = [&](Array lo, Array hi) { return random::truncated_normal(k, lo, hi, {3}); };
  const Array lo = array({8., -1., -9.}), hi = array({9., 1., -8.});
  same(jit(draw)(lo, hi), draw(lo, hi));
  same(draw(lo, hi)[1], draw(full({3}, -1.), full({3}, 1.))[1]);
  const auto slope = grad([&](Array a) { return sum(draw(a, hi)); })(lo);
  CHECK(all(isfinite(slope)).item<bool>());
  // A sample beyond a moves together with a. The expected tangent is a difference.
  const auto tail = [&](double a) {
    return random::truncated_normal(k, full({}, a, F64), full({}, 9, F64), {4}, {F64});
  };
  const Array moved =
      jvp([&](Array a) { return random::truncated_normal(k, a, full({}, 9, F64), {4}, {F64}); },
          std::tuple(full({}, 8, F64)), std::tuple(full({}, 1, F64)))
          .second;
  close(moved, (tail(8 + 1e-6) - tail(8 - 1e-6)) / 2e-6, 1e-5);
  const Array x = random::binomial(k, 1e9, .5, {50000}, {.dtype = F64});
  close(var(x) / 2.5e8, array(1., F64), 0.03);
  // A C++ number has all digits of the requested dtype.
  same(random::binomial(k, 1e6, 0.1, {20}, {F64}),
       random::binomial(k, full({}, 1e6, F64), full({}, 0.1, F64), {20}, {F64}));
  same(
      random::uniform(k, {20}, {.dtype = F64, .lo = 0.1, .hi = 0.7}),
      random::uniform(k, {20}, {.dtype = F64, .lo = full({}, 0.1, F64), .hi = full({}, 0.7, F64)}));
  const Array wide = random::uniform(k, {1000}, -3e38, 3e38);
  CHECK(all(isfinite(wide)).item<bool>());
  const Array u = random::uniform(k, {100000}, {.dtype = BF16, .lo = 1., .hi = 1.0625});
  CHECK(all(u.astype(F32) < 1.0625).item<bool>());
}

TEST_CASE("numbers of few degrees of freedom are finite where gamma numbers underflow") {
  const Array key = random::key(3);
  // Half of the gamma samples with parameter 1/50 are below 2^-50, and some are below the smallest
  // F32. The samples of t and F are finite if their logarithms fit.
  const Array t = random::t(key, 0.06, Shape{4000}, {.dtype = F32});
  const Array wide = random::t(key, 0.06, Shape{4000}, {.dtype = F64});
  CHECK(sum(isnan(t)).item<int32_t>() == 0);
  // The fraction that overflows is that of a distribution with tails of |t|^-0.06.
  const double beyond = mean(isinf(t)).item<float>();
  const double expected = mean((abs(wide) > 3.4e38).astype(F64)).item<double>();
  CHECK(std::abs(beyond - expected) < 0.02);
  const Array f = random::f(key, 0.02, 0.02, Shape{4000}, {.dtype = F32});
  CHECK(sum(isnan(f)).item<int32_t>() == 0);
  // F with equal degrees of freedom has the same distribution as its inverse.
  const double above = mean((f > 1).astype(F32)).item<float>();
  CHECK(std::abs(above - 0.5) < 0.04);
}
