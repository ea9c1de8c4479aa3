// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/core/ulps.h: the error of a number in units of the last place.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

namespace weft::math_test {

// Returns |got - want| in units of the last place of T at `want`. The result is huge if the values
// differ in kind (finite, infinite, NaN) or in the sign of zero.
template <class T>
double ulps(T got, long double want) {
  using L = std::numeric_limits<T>;
  constexpr double wrong = 1e9;
  const bool signs = std::signbit(got) == std::signbit(want);
  if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got) ? 0 : wrong;
  if (std::isinf(want) || want == 0)
    return static_cast<long double>(got) == want && signs ? 0 : wrong;
  if (std::isinf(got)) return std::fabs(want) >= L::max() && signs ? 0 : wrong;
  int e = 0;
  std::frexp(want, &e);
  const int unit = std::max(e - L::digits, L::min_exponent - L::digits);
  return static_cast<double>(std::fabs(std::ldexp(static_cast<long double>(got) - want, -unit)));
}

}  // namespace weft::math_test
