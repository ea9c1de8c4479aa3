// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/support/ill_conditioned_sum.h: random normal numbers, whose sum rounds differently in every
// order.
#pragma once
#include <weft/weft.h>

#include <random>

namespace weft::test {

inline Array ill_conditioned(const std::vector<int64_t>& sizes) {
  std::mt19937 g(7);
  std::normal_distribution<float> d;
  std::vector<float> x(static_cast<size_t>(Shape(sizes).elements()));
  for (float& v : x) v = d(g);
  return array(x, Shape(sizes));
}

}  // namespace weft::test
