// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/scipy/stats_golden_test.cpp: compares distributions and statistics with
// jax.scipy.stats (make_stats.py): values, slopes, odd operands. It also tests maps, programs, and
// slopes of all operands by differences.
#include <cmath>
#include <functional>
#include <limits>

#include "functions/array_calls.h"
#include "functions/scipy/distributions.h"
#include "support/check.h"
#include "support/golden_lines.h"
#include "weft/weft.h"

using namespace weft;
using testing::Called, testing::called, testing::Golden;
using weft::test::check_error;

namespace {

const std::map<std::string, Called> distributions = {
    WEFT_TAILS(beta),         WEFT_TAILS(cauchy),         WEFT_ENTRY(cauchy, ppf),
    WEFT_ENTRY(cauchy, isf),  WEFT_TAILS(chi2),           WEFT_TAILS(expon),
    WEFT_ENTRY(expon, ppf),   WEFT_TAILS(gamma),          WEFT_DENSITY(gennorm),
    WEFT_ENTRY(gennorm, cdf), WEFT_TAILS(gumbel_l),       WEFT_ENTRY(gumbel_l, ppf),
    WEFT_TAILS(gumbel_r),     WEFT_ENTRY(gumbel_r, ppf),  WEFT_DENSITY(laplace),
    WEFT_ENTRY(laplace, cdf), WEFT_DENSITY(logistic),     WEFT_ENTRY(logistic, cdf),
    WEFT_ENTRY(logistic, sf), WEFT_ENTRY(logistic, ppf),  WEFT_ENTRY(logistic, isf),
    WEFT_TAILS(norm),         WEFT_ENTRY(norm, ppf),      WEFT_ENTRY(norm, isf),
    WEFT_TAILS(pareto),       WEFT_ENTRY(pareto, ppf),    WEFT_DENSITY(t),
    WEFT_TAILS(truncnorm),    WEFT_DENSITY(uniform),      WEFT_ENTRY(uniform, cdf),
    WEFT_ENTRY(uniform, ppf), WEFT_DENSITY(vonmises),     WEFT_DENSITY(wrapcauchy),
    WEFT_MASS(bernoulli),     WEFT_ENTRY(bernoulli, cdf), WEFT_ENTRY(bernoulli, ppf),
    WEFT_MASS(betabinom),     WEFT_MASS(binom),           WEFT_MASS(geom),
    WEFT_MASS(nbinom),        WEFT_MASS(poisson),         WEFT_ENTRY(poisson, cdf),
};

Array from(const testing::GoldenLine& line) {
  return array(line.values).astype(line.dtype == "f64" ? F64 : F32);
}
Arrays operands(const Golden& lines, const std::string& prefix) {
  Arrays all;
  for (int i = 0; lines.count(prefix + std::to_string(i)); ++i)
    all.push_back(from(lines.at(prefix + std::to_string(i))));
  return all;
}
Array slope(const Called& f, const Arrays& x, size_t i) {
  return grad([&](Array v) {
    Arrays y = x;
    y[i] = v;
    return sum(f(y));
  })(x[i]);
}
// JAX's logarithm of the beta function has only the accuracy of F32 in places.
double tolerance(const std::string& name, const std::string& d) {
  return d == "f64" && !name.starts_with("betabinom") ? 1e-11 : 2e-5;
}
// Corrects JAX's values. NaN stays NaN, although JAX's masks treat it as a number outside of the
// support. Angles with concentration 0 are uniform.
testing::GoldenLine with_nan(testing::GoldenLine line, const Arrays& x, const std::string& name) {
  const std::vector<double> at = x[0].to_vector<double>();
  for (size_t i = 0; name.starts_with("vonmises") && i < at.size(); ++i)
    if (x[1].to_vector<double>()[i] == 0)
      line.values[i] = name.ends_with("logpdf") ? -std::log(2 * M_PI) : 0.5 / M_PI;
  for (size_t i = 0; i < at.size(); ++i)
    if (std::isnan(at[i]) && name.find("pmf") == std::string::npos) line.values[i] = at[i];
  return line;
}
// Corrects values of JAX that are not those of the distribution. They are masses of fractions,
// densities at infinity, and quantiles at the ends of distributions on all real numbers.
testing::GoldenLine as_is(testing::GoldenLine line, const Arrays& x, const std::string& name) {
  const bool logarithm = name.find(".log") != std::string::npos;
  const auto numbers = [](const Array& v) { return v.to_vector<double>(); };
  const std::vector<double> first = numbers(x[0]), loc = numbers(x.back());
  for (size_t i = 0; i < first.size(); ++i) {
    const double k = first[i] - loc[i];
    const bool mass = name.find("pmf") != std::string::npos;
    const bool density =
        name.ends_with("pdf") &&
        (name.starts_with("gamma.") || name.starts_with("chi2.") || name.starts_with("gumbel_"));
    if ((mass && k != std::floor(k) && !std::isnan(line.values[i])) ||
        (density && std::isinf(first[i])))
      line.values[i] = logarithm ? -std::numeric_limits<double>::infinity() : 0;
    if (name.starts_with("gumbel_") && name.ends_with("ppf") && (first[i] == 0 || first[i] == 1))
      line.values[i] = (first[i] == 0 ? -1 : 1) * std::numeric_limits<double>::infinity();
  }
  return line;
}
// Where JAX's slope is NaN, Weft's may be a number. Differences check it.
void check_slope(const Array& got, testing::GoldenLine want, double tolerance) {
  const std::vector<double> numbers = got.to_vector<double>();
  for (size_t i = 0; i < numbers.size() && i < want.values.size(); ++i)
    if (std::isnan(want.values[i])) want.values[i] = numbers[i];
  testing::check_line(got, want, tolerance);
}

}  // namespace

TEST_CASE("distributions give what JAX gives", "[functions][stats]") {
  const Golden lines = testing::golden_lines("stats.txt");
  for (const auto& [name, f] : distributions)
    for (const std::string d : {"f32", "f64"}) {
      INFO(name << " " << d);
      const std::string at = name + "." + d;
      const Arrays x = operands(lines, at + ".in");
      REQUIRE(!x.empty());
      testing::check_line(f(x), lines.at(at), tolerance(name, d));
      const Arrays odd = operands(lines, at + ".odd_in");
      const auto want_odd = as_is(with_nan(lines.at(at + ".odd"), odd, name), odd, name);
      testing::check_line(f(odd), want_odd, tolerance(name, d));
      for (size_t i = 0; i < x.size(); ++i) {
        INFO("by operand " << i);
        const auto want = lines.find(at + ".slope" + std::to_string(i));
        if (want != lines.end()) check_slope(slope(f, x, i), want->second, 10 * tolerance(name, d));
      }
    }
}

TEST_CASE("slopes of distributions are those of differences", "[functions][stats]") {
  const Golden lines = testing::golden_lines("stats.txt");
  for (const auto& [name, f] : distributions) {
    const Arrays x = operands(lines, name + ".f64.in");
    const bool whole = name.find("pmf") != std::string::npos || name.starts_with("poisson") ||
                       name.starts_with("bernoulli");
    const bool incomplete = name.starts_with("beta.") && name.find("pdf") == std::string::npos;
    for (size_t i = whole ? 1 : 0; i < x.size(); ++i) {
      if ((whole && i + 1 == x.size()) || (incomplete && (i == 1 || i == 2))) continue;
      if (name.starts_with("bernoulli") || (name.find("binom") != std::string::npos && i == 1))
        continue;  // steps
      INFO(name << " by operand " << i);
      Arrays low = x, high = x;
      low[i] = x[i] - 1e-6;
      high[i] = x[i] + 1e-6;
      const Array wanted = (f(high) - f(low)) / 2e-6, got = slope(f, x, i);
      INFO(got << " against " << wanted);
      CHECK(allclose(got, wanted, 1e-6, 1e-7).item<bool>());
    }
  }
}

TEST_CASE("no slope of a distribution is NaN where its logarithm is -inf", "[functions][stats]") {
  const auto finite = [](const Called& f, double x, std::vector<double> rest) {
    Arrays all = {array({x}).astype(F64)};
    for (double r : rest) all.push_back(array({r}).astype(F64));
    for (size_t i = 0; i < all.size(); ++i) CHECK(isfinite(slope(f, all, i)).item<bool>());
  };
  finite(called(scipy::stats::expon::logcdf), -1, {0, 1});
  finite(called(scipy::stats::gamma::logpdf), -1, {2, 0, 1});
  finite(called(scipy::stats::chi2::logpdf), -1, {2, 0, 1});
  finite(called(scipy::stats::beta::logpdf), -1, {2, 3, 0, 1});
  finite(called(scipy::stats::pareto::logcdf), -1, {2, 0, 1});
  finite(called(scipy::stats::binom::logpmf), -1, {4, 0.5, 0});
  finite(called(scipy::stats::nbinom::logpmf), -1, {4, 0.5, 0});
  finite(called(scipy::stats::betabinom::logpmf), -1, {4, 1, 2, 0});
  finite(called(scipy::stats::truncnorm::logpdf), 0.5, {-40, -30, 0, 1});
}

TEST_CASE("distributions are mapped, compiled and broadcast", "[functions][stats]") {
  const Golden lines = testing::golden_lines("stats.txt");
  for (const auto& [name, f] : distributions) {
    INFO(name);
    const Arrays x = operands(lines, name + ".f64.in");
    const Array whole = f(x), all = stack(x, 0);
    const auto lanes = [&](Array v) {
      Arrays y;
      for (size_t i = 0; i < x.size(); ++i) y.push_back(v[static_cast<int64_t>(i)]);
      return f(y);
    };
    CHECK(allclose(vmap(lanes, 1)(all), whole, 1e-12, 1e-13).item<bool>());
    // Scalars are combined with a vector.
    Arrays some = x, spread = x;
    for (size_t i = 1; i < x.size(); ++i) {
      some[i] = x[i][3];
      spread[i] = broadcast_to(x[i][3], x[0].shape());
    }
    CHECK(allclose(f(some), f(spread), 1e-13, 0, true).item<bool>());
    Arrays narrow;
    for (const Array& v : x) narrow.push_back(v.astype(F16));
    CHECK(f(narrow).dtype() == F16);
    Arrays whole_numbers;
    for (const Array& v : x) whole_numbers.push_back(v.astype(I32));
    CHECK(f(whole_numbers).dtype() == F32);
  }
}

TEST_CASE("distributions of one number and their defaults", "[functions][stats]") {
  namespace st = scipy::stats;
  const Array x = array({0.2, 0.7, 1.5});
  const auto same = [](const Array& a, const Array& b) {
    CHECK(array_equal(a, b, true).item<bool>());
  };
  same(st::norm::logpdf(x), st::norm::logpdf(x, 0, 1));
  same(st::norm::cdf(x, 0.5), st::norm::cdf(x, 0.5, 1));
  same(st::norm::ppf(x / 2), st::norm::ppf(x / 2, 0, 1));
  same(st::beta::cdf(x, 2, 3), st::beta::cdf(x, 2, 3, 0, 1));
  same(st::gamma::sf(x, 2), st::gamma::sf(x, 2, 0, 1));
  same(st::t::pdf(x, 3), st::t::pdf(x, 3, 0, 1));
  same(st::truncnorm::logsf(x, -1, 1), st::truncnorm::logsf(x, -1, 1, 0, 1));
  same(st::poisson::pmf(arange(3), 2.5), st::poisson::pmf(arange(3), 2.5, 0));
  same(st::binom::logpmf(arange(3), 4, 0.3), st::binom::logpmf(arange(3), 4, 0.3, 0));
  same(st::bernoulli::pmf(array({0, 1}), 0.25), array({0.75, 0.25}));
}

TEST_CASE("errors of distributions name operands that do not fit", "[functions][stats][errors]") {
  const Array a = zeros({2}), b = zeros({3}), c = ones({2}, C64);
  check_error<ShapeError>([&] { scipy::stats::norm::logpdf(a, b); },
                          "norm::logpdf: incompatible shapes");
  check_error<ShapeError>([&] { scipy::stats::norm::pdf(a, b); }, "stats_golden_test.cpp:");
  check_error<DTypeError>([&] { scipy::stats::gamma::cdf(c, 1); },
                          "gamma::cdf: takes real numbers, got c64[2]");
  check_error<DTypeError>([&] { scipy::stats::poisson::pmf(c, 1); }, "stats_golden_test.cpp:");
  check_error<ShapeError>([&] { scipy::stats::dirichlet::logpdf(a, zeros({2, 2})); },
                          "dirichlet::logpdf: alpha must have one axis, got f32[2,2]");
  check_error<ShapeError>([&] { scipy::stats::dirichlet::logpdf(zeros({5}), b); },
                          "x must have 3 or 2 numbers on its first axis, got f32[5]");
  check_error<ShapeError>(
      [&] { scipy::stats::multivariate_normal::logpdf(b, b, zeros({2, 2})); },
      "a mean of f32[3] needs a covariance of (…, 3, 3) or one number, got f32[2,2]");
  check_error<DTypeError>([&] { scipy::stats::multinomial::pmf(b, 3, b); },
                          "multinomial::logpmf: x and n must be integers, got f32[3] and i32[]");
}
