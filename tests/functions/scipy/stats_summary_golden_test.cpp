// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/scipy/stats_summary_golden_test.cpp: compares distributions of vectors, the mode,
// ranks, standard errors and gaussian_kde with jax.scipy.stats (make_stats.py).
#include <functional>

#include "functions/array_calls.h"
#include "support/check.h"
#include "support/golden_lines.h"
#include "weft/weft.h"

using namespace weft;
using testing::steps;
using weft::test::check_error;

namespace {

using Golden = std::map<std::string, testing::GoldenLine>;
const double not_a_number = std::numeric_limits<double>::quiet_NaN();

struct Checked {
  Golden lines = testing::golden_lines("stats.txt");
  DType d;
  std::string suffix = d == F64 ? ".f64" : ".f32";
  double tolerance;
  explicit Checked(DType d) : Checked(d, d == F64 ? 1e-11 : 3e-5) {}
  Checked(DType d, double tolerance) : d(d), tolerance(tolerance) {}
  void operator()(const std::string& name, const Array& got) const {
    INFO(name << suffix);
    REQUIRE(lines.count(name + suffix) == 1);
    testing::check_line(got, lines.at(name + suffix), tolerance);
  }
  // Also compares the slopes of the sum of squares.
  void all(const std::string& name, const std::function<Array(const Arrays&)>& f,
           const Arrays& x) const {
    (*this)(name, f(x));
    const auto run = [&](const std::string& line, size_t i, const Array& v) {
      INFO(line);
      testing::check_line(grad([&](Array w) {
                            Arrays y = x;
                            y[i] = w;
                            return sum(square(f(y)));
                          })(v),
                          lines.at(line), 10 * tolerance);
    };
    for (size_t i = 0; i < x.size(); ++i) {
      const std::string line = name + suffix + ".slope" + std::to_string(i);
      if (lines.count(line)) run(line, i, x[i]);
    }
  }
};

}  // namespace

TEST_CASE("distributions of vectors give what JAX gives", "[functions][stats]") {
  for (const DType d : {F32, F64}) {
    const Checked same(d);
    const auto dirichlet = [](const Arrays& v) {
      return scipy::stats::dirichlet::logpdf(v[0], v[1]);
    };
    const auto normal = [](const Arrays& v) {
      return scipy::stats::multivariate_normal::logpdf(v[0], v[1], v[2]);
    };
    const Array three =
                    array(std::vector<double>{0.2, 0.1, 0.6, 0.3, 0.4, 0.1, 0.5, 0.5, 0.3}, {3, 3})
                        .astype(d),
                alpha = array({1.5, 0.7, 3.0}, d);
    same.all("dirichlet.logpdf", dirichlet, {three, alpha});
    same.all("dirichlet.pdf",
             [](const Arrays& v) { return scipy::stats::dirichlet::pdf(v[0], v[1]); },
             {three, alpha});
    same.all("dirichlet.short", dirichlet, {three[slice(0, 2)], alpha});
    same("dirichlet.outside",
         scipy::stats::dirichlet::logpdf(array({{0.5, 0.}, {0.5, 0.5}, {0.5, 0.5}}, d), alpha));
    const Array points = steps({4, 3}).astype(d), mean = steps({3}, 5, 7).astype(d);
    const Array cov =
        array(std::vector<double>{2, 0.3, -0.2, 0.3, 1.5, 0.4, -0.2, 0.4, 1}, {3, 3}).astype(d);
    same.all("mvn.logpdf", normal, {points, mean, cov});
    same.all(
        "mvn.pdf",
        [](const Arrays& v) { return scipy::stats::multivariate_normal::pdf(v[0], v[1], v[2]); },
        {points, mean, cov});
    same.all("mvn.many", normal, {points, mean, stack({cov, 2 * cov, cov + 1, 3 * cov})});
    same.all("mvn.one", normal, {points[0], mean, cov});
    same.all("mvn.number", normal, {points, mean, full({}, 2.5, d)});
    same.all("mvn.scalar", normal, {points, full({}, 0.5, d), full({}, 2.5, d)});
    same("mvn.indefinite", normal({points, mean, -cov}));
    const Array outcomes = array({{1, 2, 3}, {0, 4, 2}, {6, 0, 0}}), p = array({0.2, 0.3, 0.5}, d);
    same("multinomial.logpmf", scipy::stats::multinomial::logpmf(outcomes, 6, p));
    same("multinomial.pmf", scipy::stats::multinomial::pmf(outcomes, 6, p));
    same("multinomial.other", scipy::stats::multinomial::logpmf(outcomes, array({5, 5, 5}), p));
    same("multinomial.slope",
         grad([&](Array q) { return scipy::stats::multinomial::logpmf(outcomes[0], 6, q); })(p));
    // JAX leaves out terms beyond 20 or 10 standard deviations.
    const Checked nearly(d, 2e-5);
    nearly("poisson.entropy",
           scipy::stats::poisson::entropy(array({0., 0.1, 3., 9.9, 10.5, 50., 99.}, d)));
    // JAX's F32 slope is NaN where powers of a small mean are 0.
    const Array slope = grad([](Array m) { return sum(scipy::stats::poisson::entropy(m)); })(
        array({0.1, 3., 9.9, 10.5, 50.}, d));
    testing::GoldenLine line = nearly.lines.at("poisson.entropy_slope" + nearly.suffix);
    if (std::isnan(line.values[0])) line.values[0] = slope[0].item<double>();
    testing::check_line(slope, line, nearly.tolerance);
  }
  // The sum and the series agree where one replaces the other.
  const Array around =
      scipy::stats::poisson::entropy(array({100 - 1e-9, 100., 400.}, F64), zeros({3}));
  CHECK(std::abs(around[0].item<double>() - around[1].item<double>()) < 1e-9);
  CHECK(around.shape() == Shape{3});
  // The expected value is the sum itself, computed in C++.
  for (const double mu : {0.01, 3., 9.9, 60., 99.9, 100.1, 170.}) {
    double entropy = 0;
    for (int k = 0; k < 600; ++k) {
      const double l = k * std::log(mu) - mu - std::lgamma(k + 1.);
      entropy -= l * std::exp(l);
    }
    INFO(mu);
    CHECK(std::abs(scipy::stats::poisson::entropy(full({}, mu, F64)).item<double>() - entropy) <
          1e-9);
  }
}

TEST_CASE("modes, ranks and standard errors are JAX's", "[functions][stats]") {
  for (const DType d : {F32, F64}) {
    const Checked same(d);
    const Array few = array({{1., 3., 1., 2., 3.},
                             {2., 2., not_a_number, not_a_number, not_a_number},
                             {0., 4., -1., 4., 0.5},
                             {5., 5., 5., 5., 5.}},
                            d),
                whole = few[array({0, 2, 3})];
    const std::vector<std::pair<std::string, OneAxis>> axes = {{"0", 0}, {"1", 1}, {"none", none}};
    for (const auto& [at, axis] : axes) {
      for (const bool keep : {false, true}) {
        const std::string name = "mode." + at + (keep ? ".keep" : "");
        const auto [mode, count] = scipy::stats::mode(few, axis, {.keepdims = keep});
        same(name, mode);
        same(name + ".count", count);
      }
      same("sem." + at, scipy::stats::sem(few, axis));
      same("sem." + at + ".keep", scipy::stats::sem(few, axis, 0, {.keepdims = true}));
      same("sem." + at + ".omit", scipy::stats::sem(few, axis, 1, {.nan_policy = "omit"}));
      for (const std::string method : {"average", "min", "max", "dense", "ordinal"}) {
        same("rankdata." + method + "." + at, scipy::stats::rankdata(few, method, {.axis = axis}));
        same("rankdata." + method + ".whole." + at,
             scipy::stats::rankdata(whole, method, {.axis = axis}));
      }
    }
    same("mode.int", scipy::stats::mode(array({3, 1, 3, 1, 2})).mode);
    same("sem.slope",
         grad([](Array v) { return sum(scipy::stats::sem(v, 1)); })(steps({3, 4}).astype(d)));
    const Array lanes = jit(vmap([](Array v) { return scipy::stats::rankdata(v); }))(whole);
    CHECK(array_equal(lanes, scipy::stats::rankdata(whole, "average", {.axis = 1})).item<bool>());
  }
  CHECK(isnan(scipy::stats::mode(zeros({0, 2})).mode).to_vector<int>() == std::vector<int>{1, 1});
  check_error<IndexError>([] { scipy::stats::rankdata(zeros({2}), "best"); },
                          "method must be \"average\", \"min\", \"max\", \"dense\" or \"ordinal\", "
                          "not \"best\"");
  check_error<IndexError>([] { scipy::stats::mode(zeros({2}), 1); },
                          "mode: axis 1 is out of bounds");
  check_error<IndexError>([] { scipy::stats::sem(zeros({2}), 0, 1, {.nan_policy = "raise"}); },
                          "nan_policy must be \"propagate\" or \"omit\", not \"raise\"");
  check_error<IndexError>([] { scipy::stats::sem(zeros({2}), 3); },
                          "stats_summary_golden_test.cpp:");
}

TEST_CASE("gaussian_kde gives what JAX gives", "[functions][stats]") {
  for (const DType d : {F32, F64}) {
    const Checked same(d);
    const Array data = steps({2, 7}, 5, 13).astype(d), weights = arange(1., 8.).astype(d),
                at = steps({2, 5}, 3, 7).astype(d);
    const std::map<std::string, scipy::stats::KdeOptions> all = {
        {"plain", {}},
        {"silverman", {.bw_method = "silverman"}},
        {"factor", {.bw_method = 0.4}},
        {"weights", {.weights = weights}}};
    for (const auto& [name, options] : all) {
      const scipy::stats::gaussian_kde kde(data, options);
      const std::string n = "kde." + name;
      same(n + ".evaluate", kde(at));
      same(n + ".evaluate", kde.pdf(at));
      same(n + ".logpdf", kde.logpdf(at));
      same(n + ".covariance", kde.covariance);
      same(n + ".inv_cov", kde.inv_cov);
      same(n + ".neff", kde.neff);
      same(n + ".gaussian",
           kde.integrate_gaussian(array({0.2, -0.3}, d), array({{1., 0.2}, {0.2, 0.5}}, d)));
      same(n + ".kde", kde.integrate_kde(scipy::stats::gaussian_kde(at, {.bw_method = 0.5})));
      same(n + ".resample", kde.resample(random::key(3), {4}));
      same(n + ".slope", grad([&, o = options](Array v) {
             return sum(scipy::stats::gaussian_kde(v, o).logpdf(at));
           })(data));
      same(n + ".one", kde.evaluate(array({0.1, 0.3}, d)));
      const scipy::stats::gaussian_kde line(data[0], options);
      same(n + ".box", line.integrate_box_1d(-0.5, 1.25));
      same(n + ".line", line(at[1]));
      // The object is a tree, and can be an argument of programs.
      const auto density = [](scipy::stats::gaussian_kde k, Array x) { return k.evaluate(x); };
      CHECK(allclose(jit(density)(kde, at), kde(at), 1e-6).item<bool>());
    }
  }
  const Array data = steps({2, 7}), at = zeros({3, 4});
  const scipy::stats::gaussian_kde kde(data);
  check_error<ShapeError>(
      [&] { kde(at); },
      "gaussian_kde::evaluate: the data have 2 dimensions, the points are f32[3,4]");
  check_error<ShapeError>([&] { kde(at); }, "stats_summary_golden_test.cpp:");
  check_error<ShapeError>([&] { kde.integrate_box_1d(0, 1); }, "have 2 dimensions, not 1");
  check_error<IndexError>([&] { scipy::stats::gaussian_kde(data, {.bw_method = "wide"}); },
                          "must be \"scott\", \"silverman\" or a number, not \"wide\"");
  check_error<ShapeError>([&] { scipy::stats::gaussian_kde(data, {.weights = ones({3})}); },
                          ".weights must be 7 numbers, got f32[3]");
  check_error<ShapeError>([&] { kde.integrate_kde(scipy::stats::gaussian_kde(data[0])); },
                          "one has 2 dimensions, the other 1");
}
