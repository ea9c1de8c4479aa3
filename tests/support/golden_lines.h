// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/support/golden_lines.h: reads golden files of arrays and compares results with them. Each
// line holds one array, "name dtype shape values…", with floats in hexadecimal.
#pragma once
#include <cmath>
#include <map>
#include <sstream>

#include "support/catch.h"
#include "support/golden.h"
#include "weft/lax/convert.h"
#include "weft/numpy/create.h"

namespace weft::testing {

struct GoldenLine {
  std::string dtype, shape;
  std::vector<double> values;  // a complex number takes two: its real and its imaginary part
};
inline std::map<std::string, GoldenLine> golden_lines(const std::string& file) {
  std::map<std::string, GoldenLine> all;
  std::istringstream in(golden(file));
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string name, word;
    words >> name;
    GoldenLine& e = all[name];
    words >> e.dtype >> e.shape;
    while (words >> word) e.values.push_back(std::strtod(word.c_str(), nullptr));
  }
  return all;
}

inline std::string shape_words(const Shape& s) {
  std::string text;
  for (int64_t n : s.sizes()) text += (text.empty() ? "" : "x") + std::to_string(n);
  return text.empty() ? "scalar" : text;
}
inline std::vector<double> parts(const Array& x) {
  if (!is_complex(x.dtype())) return x.to_vector<double>();
  const auto re = lax::real(x).to_vector<double>(), im = lax::imag(x).to_vector<double>();
  std::vector<double> all;
  for (size_t k = 0; k < re.size(); ++k) all.insert(all.end(), {re[k], im[k]});
  return all;
}
// Checks that the values agree up to `tolerance` times the larger of 1 and the largest expected
// absolute value. Values that are not finite have to be equal.
inline void check_line(const Array& got, const GoldenLine& want, double tolerance) {
  CHECK(std::string(short_name(got.dtype())) == want.dtype);
  REQUIRE(shape_words(got.shape()) == want.shape);
  double largest = 1;
  for (double v : want.values)
    if (std::isfinite(v)) largest = std::max(largest, std::abs(v));
  const std::vector<double> values = parts(got);
  REQUIRE(values.size() == want.values.size());
  for (size_t k = 0; k < values.size(); ++k) {
    const double a = values[k], b = want.values[k];
    INFO("element " << k << " is " << a << ", wanted " << b);
    CHECK((a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= tolerance * largest));
  }
}

}  // namespace weft::testing
