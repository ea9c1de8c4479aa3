// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/fuse/cuts_test.cpp: the values that are stored where an equation reads much code.
#include "jit/fuse/cuts.h"

#include <algorithm>
#include <ctime>

#include "jit/fuse/plan.h"
#include "support/check.h"
#include "tracer/eval_trace.h"

using namespace weft;
using namespace weft::test;

namespace {

// A stack of n values.
Array stacked(const Array& x, int n) {
  Arrays all;
  for (int k = 0; k < n; ++k) all.push_back(sin(x * (1. + k)));
  return stack(all);
}
Jaxpr stack_program(int n) {
  return make_jaxpr([n](Array x) { return stacked(x, n); })(ones({8})).jaxpr;
}

}  // namespace

TEST_CASE("several values are stored at once", "[jit][cuts]") {
  const compiler::Program p(stack_program(100));
  const size_t last = p.j->eqns.size() - 1;
  const auto all_inlined = [&](int32_t v) { return v >= p.j->n_in; };
  const auto some = [&](int64_t cost) {
    return compiler::cuts_of(p, last, all_inlined, 1 << 20, cost);
  };
  const size_t one = some(0).size();
  CHECK(one == 1);
  const std::vector<int32_t> many = some(1000);
  CHECK(many.size() > 2);
  CHECK(many.size() < 100);
  // They are different values, and none is computed from another.
  for (int32_t v : many) CHECK(std::ranges::count(many, v) == 1);
  CHECK(compiler::cuts_of(p, last, all_inlined, 1, 1000).empty());
}

TEST_CASE("a stack of many values", "[jit][cuts]") {
  const Array x = arange(8).astype(F32);
  const Array got = jit([](Array v) { return stacked(v, 150); })(x);
  const ReferenceMode on;
  CHECK(array_equal(got, stacked(x, 150)).item<bool>());
}

TEST_CASE("the time to plan a stack grows linearly", "[jit][cuts]") {
  const auto clocks = [](int n) {
    const compiler::Program p(stack_program(n));
    std::clock_t least = 0;
    for (int round = 0; round < 3; ++round) {
      const std::clock_t start = std::clock();
      (void)compiler::make_plan(p);
      const std::clock_t t = std::clock() - start;
      least = round == 0 ? t : std::min(least, t);
    }
    return static_cast<double>(least);
  };
  // 8 times if it is linear, and 64 times if it grows with the square.
  CHECK(clocks(1600) < 24 * clocks(200));
}
