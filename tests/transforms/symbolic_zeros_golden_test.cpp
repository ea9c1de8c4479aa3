// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/transforms/symbolic_zeros_golden_test.cpp: rules with symbolic zeros get the same masks as
// in JAX (tests/golden/generators/make_symbolic_zeros.py).
#include <functional>
#include <set>
#include <sstream>

#include "support/check.h"
#include "support/golden.h"

using namespace weft;
using namespace weft::test;

namespace {

using Two = std::tuple<Array, Array>;
using Masks = std::array<tree::Mask, 2>;
using Words = std::set<std::string>;

struct Told {
  Words seen, given;
};
template <class M>
std::string word(const M& a, const M& b) {
  return std::string(a ? "1" : "0") + (b ? "1" : "0");
}

auto by_jvp(Told* told) {
  return custom_jvp([](Array a, Array b) { return Two{a * b, a + b}; },
                    [told](Two p, Two t, Masks on) {
                      told->seen.insert(word(on[0].any(), on[1].any()));
                      const auto [a, b] = p;
                      const auto [da, db] = t;
                      return std::pair{Two{a * b, a + b}, Two{da * b + a * db, da + db}};
                    },
                    symbolic_zeros);
}
auto by_vjp(Told* told) {
  return custom_vjp([](Array a, Array b) { return Two{a * b, a + b}; },
                    [told](Masks on, Array a, Array b) {
                      told->seen.insert(word(on[0].any(), on[1].any()));
                      return std::pair{Two{a * b, a + b}, Two{a, b}};
                    },
                    [told](Two r, Two ct, tree::Mask on) {
                      told->given.insert(word(bool(on[0]), bool(on[1])));
                      const auto [a, b] = r;
                      const auto [p, s] = ct;
                      return Two{p * b + s, p * a + s};
                    },
                    symbolic_zeros);
}

template <class F>
void run(const std::string& name, F f) {
  const Array x = array({1., -2., 3.}), y = array({5., 6., 7.});
  const auto product = [](const Two& r) { return std::get<0>(r).sum(); };
  const auto sum = [](const Two& r) { return std::get<1>(r).sum(); };
  const std::map<std::string, std::function<void()>> cases{
      {"first", [&] { grad([&](Array a) { return product(f(a, y)); })(x); }},
      {"second", [&] { grad([&](Array b) { return product(f(x, b)); })(y); }},
      {"both", [&] { grad<0, 1>([&](Array a, Array b) { return product(f(a, b)); })(x, y); }},
      {"sum", [&] { grad([&](Array a) { return sum(f(a, y)); })(x); }},
      {"both_results",
       [&] {
         grad([&](Array a) { return (std::get<0>(f(a, y)) * std::get<1>(f(a, y))).sum(); })(x);
       }},
      {"stopped", [&] { grad([&](Array a) { return product(f(a, stop_gradient(a))); })(x); }},
      {"not_read", [&] { f(x, y); }},
      {"jit", [&] { grad([&](Array a) { return product(jit(f)(a, y)); })(x); }},
      {"vmap", [&] { grad([&](Array a) { return product(vmap(f)(a, y)); })(x); }},
      {"vmap_shared", [&] { grad([&](Array a) { return sum(vmap(f, {0, none})(a, y[0])); })(x); }},
      {"jit_vmap", [&] { grad([&](Array b) { return sum(jit(vmap(f))(x, b)); })(y); }},
      {"checkpoint", [&] { grad([&](Array a) { return product(checkpoint(f)(a, y)); })(x); }}};
  cases.at(name)();
}

std::string text(const Words& words) {
  std::string s;
  for (const std::string& w : words) s += (s.empty() ? "" : " ") + w;
  return s.empty() ? "-" : s;
}

}  // namespace

TEST_CASE("rules with symbolic zeros are told what JAX tells them", "[custom][zeros]") {
  std::istringstream lines(testing::golden("symbolic_zeros.txt"));
  int n = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line[0] == '#') continue;
    INFO(line);
    std::istringstream words(line);
    std::string kind, name;
    words >> kind >> name;
    Told told;
    if (kind == "jvp")
      run(name, by_jvp(&told));
    else
      run(name, by_vjp(&told));
    CHECK(kind + " " + name + " " + text(told.seen) + " | " + text(told.given) == line);
    ++n;
  }
  CHECK(n == 24);
}
