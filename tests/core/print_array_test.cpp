// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/core/print_array_test.cpp: arrays are printed character by character as NumPy prints them.
#include "core/text/print_array.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>

#include "tests/support/golden.h"

using namespace weft;

namespace {

std::string unhex(const std::string& s) {
  std::string bytes;
  for (size_t i = 0; i + 1 < s.size(); i += 2)
    bytes += static_cast<char>(std::stoi(s.substr(i, 2), nullptr, 16));
  return bytes;
}

// Reads "str N" and the N lines that follow.
std::string block(std::istream& in, const std::string& name) {
  std::string line, text;
  std::getline(in, line);
  std::istringstream header(line);
  std::string got;
  int lines = 0;
  header >> got >> lines;
  REQUIRE(got == name);
  for (int i = 0; i < lines; ++i) {
    std::getline(in, line);
    text += (i > 0 ? "\n" : "") + line;
  }
  return text;
}

}  // namespace

TEST_CASE("arrays print as in NumPy", "[core][print]") {
  std::istringstream in(weft::testing::golden("numpy_print.txt"));
  std::string line;
  int cases = 0, wrong = 0;
  while (std::getline(in, line)) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream header(line);
    std::string word, dtype, shape, hex;
    header >> word >> dtype >> shape >> hex;
    REQUIRE(word == "case");
    DType d;
    REQUIRE(parse_dtype(dtype, &d));
    std::vector<int64_t> sizes;
    std::istringstream axes(shape == "-" ? "" : shape);
    while (std::getline(axes, word, ',')) sizes.push_back(std::stoll(word));
    Shape s(sizes);
    std::string pattern = unhex(hex), data;
    while (data.size() < static_cast<size_t>(s.elements() * itemsize(d))) data += pattern;
    std::string want_str = block(in, "str"), want_repr = block(in, "repr");
    std::string got_str = array_str(data.data(), d, s), got_repr = array_repr(data.data(), d, s);
    ++cases;
    if (got_str == want_str && got_repr == want_repr) continue;
    if (++wrong <= 5) {
      UNSCOPED_INFO("case " << dtype << " " << shape << " " << hex.substr(0, 80));
      CHECK(got_str == want_str);
      CHECK(got_repr == want_repr);
    }
  }
  CHECK(wrong == 0);
  CHECK(cases == 997);
}

TEST_CASE("arrays of dtypes that NumPy lacks print alike", "[core][print]") {
  uint32_t key[] = {0, 42, 7, 8};
  CHECK(array_str(key, Key, Shape{}) == "[ 0 42]");
  CHECK(array_repr(key, Key, Shape{}) == "array([ 0, 42], dtype=key<fry>)");
  CHECK(array_repr(key, Key, Shape{2}) == "array([[ 0, 42],\n       [ 7,  8]], dtype=key<fry>)");
  CHECK(array_repr(key, Key, Shape{0}) == "array([], dtype=key<fry>)");
  // The data may be unaligned, and only the ends of a huge array are read.
  char bytes[9] = {};
  CHECK(array_str(bytes + 1, F64, Shape{1}) == "[0.]");
}
