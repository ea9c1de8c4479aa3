// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// examples/09_pfor.cpp: pfor: loops whose iterations run together, with loops and branches inside
#include "expect.h"
using namespace weft;

int main(int argc, char** argv) {
  begin(argc, argv);
  // for (i = 0; i < n; ++i) c[i] = a[i] * b[i];
  const Array a = array({1., 2., 3., 4.}), b = array({10., 20., 30., 40.});
  auto product = [&](Array i) { return a[i] * b[i]; };
  show("c", pfor(product, 4), array({10., 40., 90., 160.}));
  show("two iterations at a time", pfor(product, 4, {.parallel_iterations = 2}),
       array({10., 40., 90., 160.}));
  // vectorized_map(f, x) is pfor over its rows.
  auto f = [](Array row) { return row * row; };
  expect(bool(array_equal(vectorized_map(f, a), pfor([&](Array i) { return f(a[i]); }, 4))),
         "vectorized_map is pfor over rows");

  // A loop whose length depends on the iteration: Newton's method, where each lane runs until it
  // has converged.
  auto root = [](Array i) {
    Array target = i.astype(F32) + 1.;
    auto off = [=](Array x) { return abs(x * x - target) > 1e-6 * target; };
    auto step = [=](Array x) { return 0.5 * (x + target / x); };
    return while_loop(off, step, target, {.max_trips = 50});
  };
  show("square roots by while_loop in pfor", pfor(root, 4), array({1., 1.4142135, 1.7320508, 2.}));
  // Trip counts differ from lane to lane: the steps of Collatz down to 1.
  auto steps = [](Array i) {
    auto more = [](std::pair<Array, Array> s) { return s.first > 1; };
    auto next = [](std::pair<Array, Array> s) {
      auto [n, count] = s;
      return std::pair{where(n % 2 == 0, floor_divide(n, 2), 3 * n + 1), count + 1};
    };
    return while_loop(more, next, std::pair{i + 1, Array(0)}).second;
  };
  show("steps of Collatz from 1 … 10", pfor(steps, 10), array({0, 1, 7, 2, 5, 8, 16, 3, 19, 6}));

  // A branch for each lane.
  auto branch = [](Array i) {
    return cond(i % 2 == 0, [](Array x) { return x * x; }, [](Array x) { return -x; }, i);
  };
  show("cond in pfor", pfor(branch, 6), array({0, -1, 4, -3, 16, -5}));
  auto three = [](Array i) {
    return switch_(i,
                   {[](Array x) { return x + 100; }, [](Array x) { return x * 10; },
                    [](Array x) { return -x; }},
                   i);
  };
  show("switch_ in pfor, the index clamped", pfor(three, 4), array({100, 10, -2, -3}));

  // Nested loops: a scan inside, a pfor inside a pfor.
  auto prefix = [&](Array i) {
    auto add = [&](Array sum, Array x) { return std::pair{sum + x * i, sum + x * i}; };
    return scan(add, Array(0.), a).second;
  };
  show("scan in pfor", pfor(prefix, 3),
       array({{0., 0., 0., 0.}, {1., 3., 6., 10.}, {2., 6., 12., 20.}}));
  auto table = [](Array i) { return pfor([=](Array j) { return (i + 1) * (j + 1); }, 4); };
  show("pfor in pfor", pfor(table, 3), array({{1, 2, 3, 4}, {2, 4, 6, 8}, {3, 6, 9, 12}}));
  return finish();
}
