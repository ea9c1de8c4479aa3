// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/effects/print_golden_test.cpp: compares the output of debug_print with that of
// jax.debug.print (tests/golden/generators/make_effects.py).
#include <cmath>
#include <complex>
#include <map>
#include <sstream>

#include "effects/printed.h"
#include "support/golden.h"

using namespace weft;
using namespace weft::test;

namespace {

const std::map<std::string, Array>& values() {
  static const std::map<std::string, Array> all{
      {"scalar", Array(1.5f)},
      {"third", full({}, 1.f / 3)},
      {"large", full({}, 1e20f)},
      {"small", full({}, 1e-7f)},
      {"nan", full({}, std::nan(""))},
      {"half", full({}, 0.1, F16)},
      {"double", full({}, 0.1, F64)},
      {"integer", full({}, -7, I32)},
      {"bool", full({}, true, Bool)},
      {"unsigned", array(std::vector<uint64_t>{uint64_t{1} << 63}, Shape{})},
      {"complex", array(std::vector<std::complex<float>>{{1, -2}}, Shape{})},
      {"vector", arange(3.) / 3.},
      {"matrix", arange(6).reshape({2, 3})},
      {"bools", array({true, false})},
      {"empty", zeros({0, 2})}};
  return all;
}

// Returns the output of the cases whose lines have only a name and no format text.
std::string shown(const std::string& name) {
  const auto lane = [](Array v) {
    debug_print("lane {}", v);
    return v;
  };
  const auto say = [](const char* text) {
    return [text](Array v) {
      debug_print(text, v);
      return v;
    };
  };
  const Array x = arange(3.);
  return printed([&] {
    if (name == "vmap") vmap(lane)(x);
    if (name == "scan")
      jit([](Array v) {
        return scan(
                   [](Array c, Array e) {
                     debug_print("{} {}", c, e);
                     return std::pair(c + e, e);
                   },
                   Array(0.f), v)
            .first;
      })(x);
    if (name == "while")
      jit([](Array v) {
        return fori_loop(
            0, 3,
            [](Array i, Array c) {
              debug_print("{}", i);
              return c + 1.;
            },
            v);
      })(x[0]);
    if (name == "cond")
      jit([&](Array v) { return cond(v > 0., say("yes {}"), say("no {}"), v); })(x[1]);
    if (name == "grad")
      grad([](Array v) {
        debug_print("{}", v);
        return v * v;
      })(x[2]);
  });
}

std::string with_lines(std::string text) {
  for (size_t at; (at = text.find("\\n")) != std::string::npos;) text.replace(at, 2, "\n");
  return text;
}
std::string with_bars(std::string text) {
  for (size_t at; (at = text.find("\\n")) != std::string::npos;) text.replace(at, 2, "|");
  return text;
}

}  // namespace

TEST_CASE("debug_print prints what JAX prints", "[effects]") {
  std::istringstream lines(testing::golden("effects.txt"));
  int n = 0;
  for (std::string line; std::getline(lines, line); ++n) {
    INFO(line);
    if (line[0] == '#') continue;
    const size_t arrow = line.find(" -> "), quote = line.find(" '");
    const std::string want = with_bars(line.substr(arrow + 4));
    if (quote > arrow) {
      CHECK(shown(line.substr(0, arrow)) == want);
      continue;
    }
    const std::string text = with_lines(line.substr(quote + 2, arrow - quote - 3));
    const Array x = values().at(line.substr(0, quote));
    CHECK(printed([&] { debug_print(text, x); }) == want);
    CHECK(printed([&] {
            jit([&](Array v) {
              debug_print(text, v);
              return v;
            })(x);
          }) == want);
  }
  CHECK(n > 30);
}
