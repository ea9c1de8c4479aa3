// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/solve/problems.h: helpers that the tests of solvers share, and the numbers that
// make_solvers.py also makes.
#pragma once
#include "support/check.h"
#include "support/golden_lines.h"

namespace weft::test {

inline Array quarters(const Shape& s, int64_t m = 7, int64_t k = 11) {
  std::vector<double> v;
  for (int64_t i = 0; i < s.elements(); ++i)
    v.push_back(static_cast<double>(i * m % k - k / 2) / 4);
  return array(v, s);
}
inline bool close(const Array& a, const Array& b, double tolerance = 1e-8) {
  return allclose(a, b, tolerance, tolerance).item<bool>();
}
inline const testing::GoldenLine& solver_line(const std::string& name) {
  static const auto lines = testing::golden_lines("solvers.txt");
  return lines.at(name);
}
inline void check_golden(const std::string& name, const Array& got, double tolerance = 1e-9) {
  INFO(name);
  testing::check_line(got, solver_line(name), tolerance);
}

}  // namespace weft::test
