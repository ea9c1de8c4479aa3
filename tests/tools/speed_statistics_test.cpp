// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/tools/speed_statistics_test.cpp: the interval of a median, by which a law of speed is
// decided.
#include <cmath>
#include <random>

#include "benchmarks/laws/statistics.h"
#include "support/catch.h"

using namespace weft::speed;

TEST_CASE("a median has an interval from six numbers on", "[tools][speed]") {
  const Interval five = median_interval({5, 1, 4, 2, 3});
  CHECK(five.middle == 3);
  CHECK(std::isinf(five.low));
  CHECK(std::isinf(five.high));
  const Interval six = median_interval({6, 1, 5, 2, 4, 3});
  CHECK(six.low == 1);
  CHECK(six.middle == 3.5);
  CHECK(six.high == 6);
  CHECK(std::isinf(median_interval({}).high));
}

TEST_CASE("the ranks of the interval are those of tables", "[tools][speed]") {
  const auto low = [](int n) {
    std::vector<double> x;
    for (int i = 1; i <= n; ++i) x.push_back(i);
    const Interval r = median_interval(x);
    CHECK(r.low + r.high == n + 1);
    return r.low;
  };
  CHECK(low(10) == 2);
  CHECK(low(20) == 6);
  CHECK(low(30) == 10);
  CHECK(low(60) == 22);
  CHECK(low(100) == 40);
}

TEST_CASE("the interval contains the median in nearly all samples", "[tools][speed]") {
  std::mt19937 generator(1);
  std::exponential_distribution<double> draw;
  int inside = 0;
  for (int sample = 0; sample < 1000; ++sample) {
    std::vector<double> x;
    for (int i = 0; i < 40; ++i) x.push_back(draw(generator));
    const Interval r = median_interval(x);
    inside += r.low <= std::log(2.) && std::log(2.) <= r.high;
  }
  CHECK(inside >= 935);
}

TEST_CASE("the geometric mean of ratios", "[tools][speed]") {
  CHECK(geometric_mean({}) == 1);
  CHECK(std::fabs(geometric_mean({0.5, 2, 4}) - std::cbrt(4.)) < 1e-12);
}
