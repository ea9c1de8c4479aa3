// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/equation_set_test.cpp: sets of equations have the members of ordered sets.
#include "jit/rewrite/equation_set.h"

#include <random>
#include <set>

#include "support/catch.h"

using weft::compiler::EquationSet;

TEST_CASE("sets of equations have the members of ordered sets", "[jit][rewrite]") {
  std::mt19937 g(7);
  for (const size_t n : {1, 63, 64, 65, 200}) {
    EquationSet a(n), b(n);
    std::set<size_t> in_a, in_b;
    const auto check = [&] {
      CHECK(a.members() == std::vector<size_t>(in_a.begin(), in_a.end()));
      for (size_t i = 0; i < n; ++i) CHECK(a.contains(i) == (in_a.count(i) == 1));
    };
    CHECK_FALSE(a.intersects(b));
    for (int k = 0; k < 5; ++k) {
      const size_t i = g() % n, j = g() % n;
      a.insert(i), in_a.insert(i);
      b.insert(j), in_b.insert(j);
      bool both = false;
      for (size_t q : in_a) both = both || in_b.count(q) == 1;
      CHECK(a.intersects(b) == both);
      CHECK((a == b) == (in_a == in_b));
    }
    check();
    a |= b;
    in_a.insert(in_b.begin(), in_b.end());
    check();
  }
}
