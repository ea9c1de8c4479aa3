// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// benchmarks/laws/statistics.h: the median of a sample with its 95 % interval.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace weft::speed {

struct Interval {
  double low = -std::numeric_limits<double>::infinity(), middle = 0,
         high = std::numeric_limits<double>::infinity();
};

// The fewest numbers whose range is a 95 % interval of the median.
constexpr size_t fewest_numbers = 6;

// The interval between two order statistics. It holds for every distribution: the count of numbers
// below the true median is binomial. It has no bounds for fewer than six numbers. The sample has at
// most 1000 numbers, because the probability of an extreme count must not underflow.
inline Interval median_interval(std::vector<double> x) {
  Interval r;
  const size_t n = x.size();
  if (n == 0) return r;
  std::sort(x.begin(), x.end());
  r.middle = n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
  size_t k = 0;  // the largest number with P(count < k) <= 2.5 %
  double term = std::pow(0.5, static_cast<double>(n)), below = 0;
  while (k < n / 2 && below + term <= 0.025) {
    below += term;
    term *= static_cast<double>(n - k) / static_cast<double>(k + 1);
    ++k;
  }
  if (k == 0) return r;
  r.low = x[k - 1];
  r.high = x[n - k];
  return r;
}

// The geometric mean; 1 without numbers.
inline double geometric_mean(const std::vector<double>& x) {
  double sum = 0;
  for (double v : x) sum += std::log(v);
  return x.empty() ? 1 : std::exp(sum / static_cast<double>(x.size()));
}

}  // namespace weft::speed
