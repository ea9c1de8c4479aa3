// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/errors/source_locations.h: calls with a mistake, and checks that the errors name their
// lines.
#pragma once
#include "support/check.h"

namespace weft::test {

// The text of a call, its place, and the call itself.
struct Call {
  const char* text;
  Location at;
  void (*make)();
};
#define CALL(...)                                                           \
  Call {                                                                    \
    #__VA_ARGS__, Location{__FILE__, __LINE__}, [] { (void)(__VA_ARGS__); } \
  }

// "(at x_test.cpp:12)"
inline std::string place(Location at) { return "(at " + to_string(at) + ")"; }

inline void check_place(const std::string& what, const std::string& text, Location at) {
  INFO(what << "\n" << text);
  CHECK(count(text, place(at)) == 1);
  CHECK(count(text, "(at ") == 1);
}

inline void check_places(const std::vector<Call>& calls) {
  for (const Call& c : calls) {
    std::string text = "no error";
    try {
      c.make();
    } catch (const Error& e) {
      text = e.what();
    }
    check_place(c.text, text, c.at);
  }
}

inline const Array e;  // an empty handle, which is an error in every call
inline Array v3() { return array({1., 2., 3.}); }
inline Array& lvalue() {
  static Array x;
  return x = arange(3);
}
inline Array m23() { return zeros({2, 3}); }
inline Array key() { return random::key(0); }
inline const auto id = [](Array x) { return x; };
inline const auto same = [](auto x) { return x; };
inline const auto plus = [](Array a, Array b) { return a + b; };
inline const auto pairs = [](Array c, Array x) { return std::pair{c, x}; };
inline const auto on_true = [](Array) { return true; };

}  // namespace weft::test
