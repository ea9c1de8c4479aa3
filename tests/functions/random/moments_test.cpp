// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/random/moments_test.cpp: a law of all distributions of random. Mean and variance
// are within standard errors of the true values, at usual and extreme parameters, in F32 and F64.
// No number of any dtype is outside of the support. Keys are fixed, so that the samples are always
// the same.
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <sstream>

#include "support/check.h"

using namespace weft;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity(), pi = M_PI;
constexpr int64_t draws = 20000;
// A mean or a variance may be off by this many standard errors.
constexpr double errors = 5;

using Draw = std::function<Array(const Array& key, const Shape& n, DType d)>;
struct Law {
  std::string name;
  Draw draw;
  // The standard error of the variance depends on the excess kurtosis.
  double mean, variance, kurtosis;
  std::optional<DType> only = {};
};

// Computes moments about the mean of a density on [a, b], by Simpson's rule.
Law of_density(const std::string& name, const Draw& draw, double a, double b,
               const std::function<double(double)>& density) {
  const int n = 20000;
  const auto integral = [&](const std::function<double(double)>& f) {
    double sum = 0;
    for (int i = 0; i <= n; ++i) {
      const double x = a + (b - a) * i / n;
      sum += (i == 0 || i == n ? 1 : i % 2 ? 4 : 2) * f(x) * density(x);
    }
    return sum;
  };
  const double mass = integral([](double) { return 1; });
  const double mean = integral([](double x) { return x; }) / mass;
  const auto moment = [&](int k) {
    return integral([&](double x) { return std::pow(x - mean, k); }) / mass;
  };
  return {name, draw, mean, moment(2), moment(4) / std::pow(moment(2), 2) - 3};
}
// Computes the law from the moments E x^k.
Law of_moments(const std::string& name, const Draw& draw, const std::function<double(int)>& e) {
  const double m = e(1), v = e(2) - m * m;
  const double fourth = e(4) - 4 * m * e(3) + 6 * m * m * e(2) - 3 * m * m * m * m;
  return {name, draw, m, v, fourth / (v * v) - 3};
}
std::string numbered(const std::string& name, std::initializer_list<double> p) {
  std::ostringstream text;
  text << name;
  for (double v : p) text << " " << v;
  return text.str();
}

void add_plain(std::vector<Law>& t) {
  using namespace random;
  for (const auto& [lo, hi] : std::vector<std::pair<double, double>>{
           {0, 1}, {-3e38, 3e38}, {-1e-30, 1e-30}, {1e6, 1e6 + 4}, {-1, 0}})
    t.push_back({numbered("uniform", {lo, hi}),
                 [lo = lo, hi = hi](const Array& k, const Shape& s, DType d) {
                   return uniform(k, s, {.dtype = d, .lo = lo, .hi = hi});
                 },
                 lo / 2 + hi / 2, std::pow(hi / 2 - lo / 2, 2) / 3, -1.2});
  const auto plain = [&](const char* name, auto f, double mean, double variance, double kurtosis) {
    t.push_back({name, [f](const Array& k, const Shape& s, DType d) { return f(k, s, d); }, mean,
                 variance, kurtosis});
  };
  using A = const Array&;
  using S = const Shape&;
  plain("normal", [](A k, S s, DType d) { return normal(k, s, {d}); }, 0, 1, 0);
  plain("exponential", [](A k, S s, DType d) { return exponential(k, s, {d}); }, 1, 1, 6);
  plain(
      "gumbel", [](A k, S s, DType d) { return gumbel(k, s, {d}); }, 0.5772156649015329,
      pi * pi / 6, 2.4);
  plain("laplace", [](A k, S s, DType d) { return laplace(k, s, {d}); }, 0, 2, 3);
  plain("logistic", [](A k, S s, DType d) { return logistic(k, s, {d}); }, 0, pi * pi / 3, 1.2);
  plain(
      "maxwell", [](A k, S s, DType d) { return maxwell(k, s, {d}); }, 2 * std::sqrt(2 / pi),
      3 - 8 / pi, 0.108);
  plain("rademacher", [](A k, S s, DType d) { return rademacher(k, s, {d}); }, 0, 1, -2);
  plain(
      "double_sided_maxwell",
      [](A k, S s, DType d) { return double_sided_maxwell(k, 1e3, 1e-2, s, {d}); }, 1e3, 3e-4,
      -1.33);
  for (const auto& [a, b] : std::vector<std::pair<double, double>>{{-2, 2},
                                                                   {8, 9},
                                                                   {-9, -8},
                                                                   {5.25, 1e6},
                                                                   {30, 31},
                                                                   {3.1, inf},
                                                                   {-inf, -6.5},
                                                                   {-1e-3, 2e-3},
                                                                   {2.9, 3.2},
                                                                   {1e3, inf}}) {
    const double near = a > 0 ? a : b < 0 ? b : 0, width = 40 / std::max(1., std::abs(near));
    const double from = a > 0 ? a : std::max(a, b < 0 ? b - width : -9.),
                 to = b < 0 ? b : std::min(b, a > 0 ? a + width : 9.);
    t.push_back(of_density(
        numbered("truncated_normal", {a, b}),
        [a = a, b = b](const Array& k, const Shape& s, DType d) {
          return truncated_normal(k, a, b, s, {d});
        },
        from, to, [near](double x) { return std::exp(-(x - near) * (x + near) / 2); }));
  }
}

void add_shaped(std::vector<Law>& t) {
  using namespace random;
  for (double b : {20., 1e4})
    t.push_back(of_moments(
        numbered("pareto", {b}),
        [b](const Array& k, const Shape& s, DType d) { return pareto(k, b, s, {d}); },
        [b](int k) { return b / (b - k); }));
  for (double c : {1., 1e30, 1e-30})
    t.push_back({numbered("rayleigh", {c}),
                 [c](const Array& k, const Shape& s, DType d) { return rayleigh(k, c, s, {d}); },
                 c * std::sqrt(pi / 2), c * c * (2 - pi / 2), 0.2451});
  for (double c : {1.5, 100.})
    t.push_back(of_moments(
        numbered("weibull_min", {c}),
        [c](const Array& k, const Shape& s, DType d) { return weibull_min(k, 2., c, s, {d}); },
        [c](int k) { return std::pow(2, k) * std::tgamma(1 + k / c); }));
  for (double c : {0.5, 1e-2})
    t.push_back(of_moments(
        numbered("lognormal", {c}),
        [c](const Array& k, const Shape& s, DType d) { return lognormal(k, c, s, {d}); },
        [c](int k) { return std::exp(k * k * c * c / 2); }));
  t.push_back(
      {"triangular 0 1 4",
       [](const Array& k, const Shape& s, DType d) { return triangular(k, 0., 1., 4., s, {d}); },
       5. / 3, (16 + 1 - 4.) / 18, -0.6});
  for (double p : {0.5, 1., 2., 10., 100., 1e4})
    t.push_back(
        {numbered("generalized_normal", {p}),
         [p](const Array& k, const Shape& s, DType d) { return generalized_normal(k, p, s, {d}); },
         0, std::exp(std::lgamma(3 / p) - std::lgamma(1 / p)),
         std::exp(std::lgamma(5 / p) + std::lgamma(1 / p) - 2 * std::lgamma(3 / p)) - 3});
  for (double m : {0.1, 1., 4.})
    t.push_back({numbered("wald", {m}),
                 [m](const Array& k, const Shape& s, DType d) { return wald(k, m, s, {d}); }, m,
                 m * m * m, 15 * m});
  // 1 / x has smaller moments than x.
  for (double m : {30., 1e6, 1e12, 1e25})
    t.push_back({numbered("inverse of wald", {m}),
                 [m](const Array& k, const Shape& s, DType d) { return 1 / wald(k, m, s, {d}); },
                 1 / m + 1, 1 / m + 2, 12});
}

void add_gamma(std::vector<Law>& t) {
  using namespace random;
  for (double a : {1e-2, 0.5, 3., 1e3, 1e6, 1e8, 1e10}) {
    t.push_back({numbered("gamma", {a}),
                 [a](const Array& k, const Shape& s, DType d) { return gamma(k, a, s, {d}); }, a, a,
                 6 / a});
    t.push_back(
        {numbered("chisquare", {2 * a}),
         [a](const Array& k, const Shape& s, DType d) { return chisquare(k, 2 * a, s, {d}); },
         2 * a, 4 * a, 6 / a});
  }
  t.push_back({"loggamma 1e-30",
               [](const Array& k, const Shape& s, DType d) { return loggamma(k, 1e-30, s, {d}); },
               -1e30, 1e60, 6});
  for (const auto& [a, b] : std::vector<std::pair<double, double>>{
           {1e-3, 1e-3}, {0.5, 2}, {1e3, 1e3}, {1e6, 1e6}, {1e10, 1e10}, {3, 1e9}}) {
    const double n = a + b;
    const double kurtosis =
        6 * (std::pow(a - b, 2) * (n + 1) - a * b * (n + 2)) / (a * b * (n + 2) * (n + 3));
    t.push_back(
        {numbered("beta", {a, b}),
         [a = a, b = b](const Array& k, const Shape& s, DType d) { return beta(k, a, b, s, {d}); },
         a / n, a * b / (n * n * (n + 1)), kurtosis});
    t.push_back({numbered("dirichlet", {a, b}),
                 [a = a, b = b](const Array& k, const Shape& s, DType d) {
                   return take(dirichlet(k, array({a, b}, d), s, {d}), 0, -1);
                 },
                 a / n, a * b / (n * n * (n + 1)), kurtosis});
  }
  for (double n : {3., 1e8, 1e10}) {
    const double m = 1e4;
    t.push_back({numbered("f", {n, m}),
                 [n, m](const Array& k, const Shape& s, DType d) { return f(k, n, m, s, {d}); },
                 m / (m - 2), 2 * m * m * (n + m - 2) / (n * std::pow(m - 2, 2) * (m - 4)),
                 12 / n});
  }
  for (double n : {12., 1e4, 1e8, 1e15})
    t.push_back({numbered("t", {n}),
                 [n](const Array& k, const Shape& s, DType d) { return random::t(k, n, s, {d}); },
                 0, n / (n - 2), 6 / (n - 4)});
  t.push_back(
      {"ball 3",
       [](const Array& k, const Shape& s, DType d) { return take(ball(k, 3, 2, s, {d}), 0, -1); },
       0, 0.2, -0.857});
}

void add_counts(std::vector<Law>& t) {
  using namespace random;
  const auto counts = [&](const std::string& name, const Draw& draw, double mean, double variance,
                          double kurtosis, std::optional<DType> only = {}) {
    t.push_back({name, draw, mean, variance, kurtosis, only});
  };
  const auto of = [](double p, DType d) { return full({}, p, d); };
  for (double p : {1e-6, 0.3, 0.999})
    counts(
        numbered("geometric", {p}),
        [p, of](const Array& k, const Shape& s, DType d) {
          return geometric(k, of(p, d), s, {I64});
        },
        1 / p, (1 - p) / (p * p), 6 + p * p / (1 - p));
  for (double m : {0.1, 9.9, 10.1, 1e3, 5e3, 1e4, 1e6, 1e8, 1e12})
    counts(
        numbered("poisson", {m}),
        [m, of](const Array& k, const Shape& s, DType d) { return poisson(k, of(m, d), s, {I64}); },
        m, m, 1 / m, m > 1e9 ? std::optional(F64) : std::nullopt);
  for (const auto& [n, p] : std::vector<std::pair<double, double>>{{5, 0.3},
                                                                   {1e3, 0.01},
                                                                   {5e3, 0.4},
                                                                   {1e4, 0.5},
                                                                   {1e6, 0.5},
                                                                   {1e6, 0.9999},
                                                                   {1e9, 0.5},
                                                                   {1e9, 1e-8},
                                                                   {1e15, 0.25}})
    counts(
        numbered("binomial", {n, p}),
        [n = n, p = p, of](const Array& k, const Shape& s, DType d) {
          return binomial(k, of(n, d), of(p, d), s, {d});
        },
        n * p, n * p * (1 - p), (1 - 6 * p * (1 - p)) / (n * p * (1 - p)),
        n > 1e12 ? std::optional(F64) : std::nullopt);
  counts(
      "multinomial 1e6",
      [](const Array& k, const Shape& s, DType d) {
        const Array p = broadcast_to(array({0.2, 0.5, 0.3}, d), s.inserted(1, 3));
        return take(multinomial(k, 1e6, p, {.dtype = d}), 1, -1);
      },
      5e5, 2.5e5, 0);
  counts(
      "bernoulli 1e-3",
      [of](const Array& k, const Shape& s, DType d) { return bernoulli(k, of(1e-3, d), s); }, 1e-3,
      1e-3 * 0.999, 1 / 1e-3);
  counts(
      "randint of all I32",
      [](const Array& k, const Shape& s, DType) {
        return randint(k, s, INT32_MIN, Array(int64_t{1} << 31), {I32});
      },
      -0.5, std::pow(2., 64) / 12, -1.2);
  counts(
      "randint of all I64",
      [](const Array& k, const Shape& s, DType) {
        return randint(k, s, full({}, INT64_MIN, I64), full({}, INT64_MAX, I64), {I64});
      },
      0, std::pow(2., 128) / 12, -1.2);
  counts(
      "randint of U8",
      [](const Array& k, const Shape& s, DType) { return randint(k, s, 0, 256, {U8}); }, 127.5,
      65535. / 12, -1.2);
}

// The sums are in long double: the variance of numbers of about 1e38 is beyond the dtypes.
void check_moments(const Law& law, DType d) {
  INFO(law.name << " " << short_name(d));
  const auto x = law.draw(random::key(11), {draws}, d).to_vector<double>();
  long double sum = 0, squares = 0;
  for (double v : x) sum += v;
  const long double mean = sum / x.size();
  for (double v : x) squares += (v - mean) * (v - mean);
  const double variance = static_cast<double>(squares / (x.size() - 1));
  const double n = static_cast<double>(x.size());
  // F32 results are rounded. The error of the mean is at most about that of one number.
  const double rounding = (d == F64 ? 0x1p-52 : 0x1p-23) * std::abs(law.mean);
  const double room = errors * std::sqrt(law.variance / n) + rounding;
  INFO("mean " << static_cast<double>(mean) << ", wanted " << law.mean << " up to " << room);
  CHECK(std::abs(static_cast<double>(mean) - law.mean) <= room);
  const double share = errors * std::sqrt((law.kurtosis + 2) / n + 2 / (n * n));
  INFO("variance " << variance << ", wanted " << law.variance << " up to a share of " << share);
  CHECK(std::abs(variance / law.variance - 1) <= share + 1e-3);
}

}  // namespace

TEST_CASE("mean and variance of every distribution are within standard errors", "[random][laws]") {
  std::vector<Law> laws;
  add_plain(laws);
  add_shaped(laws);
  add_gamma(laws);
  add_counts(laws);
  for (const Law& law : laws)
    for (DType d : {F32, F64})
      if (!law.only || *law.only == d) check_moments(law, d);
}

namespace {
struct Range {
  std::string name;
  Draw draw;
  double lo, hi;
  bool open_lo = false, open_hi = false;
};
std::vector<Range> ranges() {
  using namespace random;
  using A = const Array&;
  using S = const Shape&;
  std::vector<Range> t;
  const auto add = [&](const char* name, double lo, double hi, const Draw& f, bool open_lo = false,
                       bool open_hi = false) { t.push_back({name, f, lo, hi, open_lo, open_hi}); };
  const double most = std::numeric_limits<double>::max();
  add("uniform", 0, 1, [](A k, S s, DType d) { return uniform(k, s, {.dtype = d}); }, false, true);
  add(
      "uniform 1 1.0625", 1, 1.0625,
      [](A k, S s, DType d) { return uniform(k, s, {.dtype = d, .lo = 1., .hi = 1.0625}); }, false,
      true);
  add(
      "uniform 100 104", 100, 104,
      [](A k, S s, DType d) { return uniform(k, s, {.dtype = d, .lo = 100., .hi = 104.}); }, false,
      true);
  add("uniform of one number", 3, 3,
      [](A k, S s, DType d) { return uniform(k, s, {.dtype = d, .lo = 3., .hi = 3.}); });
  add("normal", -most, most, [](A k, S s, DType d) { return normal(k, s, {d}); });
  add(
      "truncated_normal 1 2", 1, 2,
      [](A k, S s, DType d) { return truncated_normal(k, 1., 2., s, {d}); }, true, true);
  add(
      "truncated_normal 8 9", 8, 9,
      [](A k, S s, DType d) { return truncated_normal(k, 8., 9., s, {d}); }, true, true);
  add(
      "truncated_normal below -4", -most, -4,
      [](A k, S s, DType d) { return truncated_normal(k, -inf, -4., s, {d}); }, false, true);
  add("exponential", 0, most, [](A k, S s, DType d) { return exponential(k, s, {d}); });
  add("gumbel", -most, most, [](A k, S s, DType d) { return gumbel(k, s, {d}); });
  add("gumbel high", -most, most, [](A k, S s, DType d) { return gumbel(k, s, {d, "high"}); });
  add("laplace", -most, most, [](A k, S s, DType d) { return laplace(k, s, {d}); });
  add("logistic", -most, most, [](A k, S s, DType d) { return logistic(k, s, {d}); });
  add("cauchy", -most, most, [](A k, S s, DType d) { return cauchy(k, s, {d}); });
  add("pareto", 1, most, [](A k, S s, DType d) { return pareto(k, 2., s, {d}); });
  add("rayleigh", 0, most, [](A k, S s, DType d) { return rayleigh(k, 2., s, {d}); });
  add("weibull_min", 0, most, [](A k, S s, DType d) { return weibull_min(k, 2., 3., s, {d}); });
  add("lognormal", 0, most, [](A k, S s, DType d) { return lognormal(k, 1., s, {d}); }, true);
  add("triangular", -1, 2, [](A k, S s, DType d) { return triangular(k, -1., 0., 2., s, {d}); });
  add("maxwell", 0, most, [](A k, S s, DType d) { return maxwell(k, s, {d}); });
  add("wald", 0, most, [](A k, S s, DType d) { return wald(k, 10., s, {d}); });
  add("gamma", 0, most, [](A k, S s, DType d) { return gamma(k, 3., s, {d}); }, true);
  add(
      "gamma of a large parameter", 0, most,
      [](A k, S s, DType d) { return gamma(k, 1e4, s, {d}); }, true);
  add("beta", 0, 1, [](A k, S s, DType d) { return beta(k, 0.5, 0.5, s, {d}); });
  add("beta of large parameters", 0, 1,
      [](A k, S s, DType d) { return beta(k, 1e4, 2e4, s, {d}); });
  add("chisquare", 0, most, [](A k, S s, DType d) { return chisquare(k, 3., s, {d}); }, true);
  add("generalized_normal", -1.1, 1.1,
      [](A k, S s, DType d) { return generalized_normal(k, 200., s, {d}); });
  add("ball", -1, 1, [](A k, S s, DType d) { return ball(k, 2, 2, s, {d}); });
  add("dirichlet", 0, 1,
      [](A k, S s, DType d) { return dirichlet(k, array({1e4, 2., 0.1}, d), s, {d}); });
  add("binomial", 0, 1000, [](A k, S s, DType d) { return binomial(k, 1000., 0.3, s, {d}); });
  return t;
}
}  // namespace

TEST_CASE("no number of any dtype leaves the support", "[random][laws]") {
  for (const Range& r : ranges())
    for (DType d : {BF16, F16, F32, F64}) {
      INFO(r.name << " " << short_name(d));
      const Array x = r.draw(random::key(5), {draws}, d);
      CHECK(x.dtype() == d);
      const Array y = x.astype(F64);
      CHECK(all(r.open_lo ? y > r.lo : y >= r.lo).item<bool>());
      CHECK(all(r.open_hi ? y < r.hi : y <= r.hi).item<bool>());
    }
}

TEST_CASE("integers of randint lie in the range", "[random][laws]") {
  const Array k = random::key(5);
  for (DType d : {I8, U8, I16, U16, I32, U32, I64, U64}) {
    INFO(short_name(d));
    const Array x = random::randint(k, {draws}, 3, 7, {d});
    CHECK(all((x >= 3) & (x < 7)).item<bool>());
    CHECK(array_equal(random::randint(k, {9}, 5, 5, {d}), full({9}, 5, d)).item<bool>());
    CHECK(array_equal(random::randint(k, {9}, 5, 2, {d}), full({9}, 5, d)).item<bool>());
  }
}
