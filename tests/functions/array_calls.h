// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/array_calls.h: compares functions of one array with golden lines of their values,
// gradients, tangents and maps.
#pragma once
#include <functional>
#include <map>
#include <string>

#include "support/golden_lines.h"
#include "weft/weft.h"

namespace weft::testing {

// Returns multiples of 1/4, whose sums and products are exact. tests/golden/make_*.py make the same
// numbers.
inline Array steps(const Shape& s, int64_t m = 7, int64_t k = 11) {
  std::vector<float> v;
  for (int64_t i = 0; i < s.elements(); ++i) v.push_back(static_cast<float>(i * m % k - k / 2) / 4);
  return array(v, s);
}

struct Call {
  std::function<Array(Array)> f;
  Array operand;
};
using Calls = std::map<std::string, Call>;

// Compares f(operand) with the line of the call's name. If there are lines name_slope, name_push
// and name_map, it compares the gradient, the tangents and the map, too. Each runs eagerly and
// compiled. Returns the number of lines.
inline size_t compare_calls(const Calls& calls, const std::map<std::string, GoldenLine>& want,
                            const std::function<void(const Array&, const GoldenLine&)>& compare) {
  size_t found = 0;
  for (const auto& [name, call] : calls) {
    const auto& [f, a] = call;
    const auto check = [&](const std::string& what, const std::function<Array(Array)>& g) {
      INFO(name << what);
      const auto it = want.find(name + what);
      if (it == want.end()) return;
      ++found;
      compare(g(a), it->second);
      compare(jit(g)(a), it->second);
    };
    REQUIRE(want.count(name) == 1);
    check("", f);
    check("_slope", [&](Array v) {
      const auto [out, pull] = vjp(f, v);
      return std::get<0>(pull(steps(out.shape(), 5, 13)));
    });
    check("_push", [&](Array v) {
      return jvp(f, std::tuple{v}, std::tuple{steps(v.shape(), 3, 7)}).second;
    });
    check("_map", [&](Array v) { return vmap(f)(stack({v, -v})); });
  }
  return found;
}

}  // namespace weft::testing
