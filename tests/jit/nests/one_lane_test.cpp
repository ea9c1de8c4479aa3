// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/nests/one_lane_test.cpp: loops of one lane whose arrays are computed by vectors. They
// are one kernel, and give the bits of the same steps one after another (docs/decisions/0050).
#include <string>

#include "support/check.h"
#include "support/share.h"

using namespace weft;
using namespace weft::test;

namespace {

Array numbers(const Shape& s, double scale) { return sin(arange(s.elements()) * scale).reshape(s); }

// Returns true if the report has a loop in the lane whose kernel has mode inner. Its vectors run
// along the elements of the one lane.
bool runs_vectors(const std::string& report) {
  const size_t at = report.find("loop in the lane");
  return at != std::string::npos && report.find("mode inner", at) < report.find('\n', at);
}

// Checks that n trips of a loop give the same bits as each trip by itself.
template <class Step>
void check_steps(const char* what, Step step, const Array& first, int trips = 20) {
  INFO(what);
  const auto f = jit([=](Array x) {
    return fori_loop(0, trips, [=](Array i, Array c) { return step(i, c); }, x);
  });
  const std::string report = f.lower(first).report();
  INFO(report);
  CHECK(runs_vectors(report));
  CHECK(count(report, "lockstep") == 0);
  const auto one = jit(step);
  Array x = first;
  for (int i = 0; i < trips; ++i) x = one(Array(i), x);
  CHECK(array_equal(f(first), x));
}

}  // namespace

TEST_CASE("loops of one lane have the bits of their steps", "[jit][one_lane]") {
  for (const int n : {33, 50, 64, 100}) {
    const Array w = numbers({n, n}, .7) / std::sqrt(n), x = numbers({n}, .3);
    check_steps("rows of a matrix", [w](Array, Array c) { return tanh(dot(w, c) + .1); }, x);
    check_steps("columns", [w](Array, Array c) { return tanh(dot(c, w) + .1); }, x);
    check_steps("both", [w](Array, Array c) { return dot(tanh(dot(w, c)), w); }, x);
    check_steps("a norm", [w](Array, Array c) { return dot(w, c) / sqrt((c * c).sum() + 1.); }, x);
    check_steps("softmax", [](Array, Array c) { return nn::softmax(c * 3.) - .1 * c; }, x);
    check_steps(
        "neighbours", [](Array, Array c) { return c + .1 * (roll(c, 1) - 2. * c + roll(c, -1)); },
        x);
    check_steps(
        "an element", [n](Array i, Array c) { return c.at(i % n).set(c.sum() * .01) * 1.01; }, x);
    check_steps(
        "a branch",
        [](Array i, Array c) {
          return cond(
              i % 3 == 0, [](Array v) { return cumsum(v) * .1; },
              [](Array v) { return flip(v) * .9; }, c);
        },
        x);
  }
  for (const Shape& s : {Shape{8, 8}, Shape{5, 20}, Shape{20, 5}, Shape{17, 32}}) {
    const Array x = numbers(s, .4);
    check_steps(
        "planes", [](Array, Array c) { return c + .1 * (roll(c, 1, 0) + roll(c, -1, 1) - 2. * c); },
        x);
    check_steps("sums", [](Array, Array c) { return tanh(c + .1 * c.sum(0) - .1 * c.mean()); }, x);
    check_steps(
        "turned",
        [](Array, Array c) {
          return c * .5 + .3 * c.reshape({-1})[slice(none, none, -1)].reshape(c.shape());
        },
        x);
  }
}

TEST_CASE("stacked results and carries of a loop of one lane", "[jit][one_lane]") {
  const Array w = numbers({40, 40}, .7) / 6., x = numbers({40}, .3), rows = numbers({25, 40}, .9);
  const auto cell = [](Array w, Array h, Array r) { return tanh(dot(w, h) + r); };
  const auto all = [=](Array w, Array h, Array rows) {
    return scan([=](Array h, Array r) { return std::pair{cell(w, h, r), h * 2.}; }, h, rows);
  };
  const auto compiled = jit(all);
  CHECK(runs_vectors(compiled.lower(w, x, rows).report()));
  const auto [last, stacked] = compiled(w, x, rows);
  const auto one = jit(cell);
  Array h = x;
  for (int t = 0; t < 25; ++t) {
    CHECK(array_equal(stacked[t], h * 2.));
    h = one(w, h, rows[t]);
  }
  CHECK(array_equal(last, h));

  // The derivative of a bounded while loop stores one row for each possible trip.
  const auto until = [](Array v) {
    return while_loop([](Array c) { return c.sum() < 50.; }, [](Array c) { return c * 1.1 + .01; },
                      v, {.max_trips = 40})
        .sum();
  };
  const Array v = abs(x) + .1, slopes = jit(grad(until))(v);
  CHECK(array_equal(slopes, full({40}, slopes[0])));
  Array scaled = v;
  double factor = 1;
  while (scaled.sum().item<float>() < 50) scaled = scaled * 1.1 + .01, factor *= 1.1;
  CHECK(slopes[0].item<double>() == Approx(factor).epsilon(1e-5));
}

// The reverse loop is too short for its sums to leave it. The gradient of w has axes that run
// through the loop. The cotangent of the state, which is most of the work, does not have them. With
// those axes as lanes it would be recomputed for each column.
TEST_CASE("axes that most of the work does not have are not lanes", "[jit][one_lane]") {
  for (const int n : {24, 40, 128}) {
    const Array w = numbers({n, n}, .7) / std::sqrt(n), x = numbers({n}, .3),
                rows = numbers({7, n}, .9);
    const auto loss = [=](Array w) {
      return scan([=](Array h, Array r) { return std::pair{tanh(dot(w, h) + r), h}; }, x, rows)
          .second.sum();
    };
    const auto slopes = jit(grad(loss));
    const std::string report = slopes.lower(w).report();
    INFO(report);
    CHECK(count(report, "loop in the lane), grid [" + std::to_string(n)) == 0);
    CHECK(count(report, "lockstep") == (n == 128));
    const auto along = numbers({n, n}, .11);
    CHECK((slopes(w) * along).sum().item<double>() ==
          Approx(jit([=](Array w) { return jvp(loss, std::tuple{w}, std::tuple{along}).second; })(w)
                     .item<double>())
              .epsilon(1e-4));
  }
}

TEST_CASE("long values and large products keep kernels of their own", "[jit][one_lane]") {
  const auto steps = [](auto step, const Array& x) {
    return jit([=](Array x) { return fori_loop(0, 3, [=](Array, Array c) { return step(c); }, x); })
        .lower(x)
        .report();
  };
  const auto neighbours = [](Array c) { return c + roll(c, 1); };
  CHECK(runs_vectors(steps(neighbours, ones({4096}))));
  CHECK(count(steps(neighbours, ones({4097})), "lockstep") == 1);
  for (const int n : {128, 129}) {
    const auto product = [w = ones({n, n})](Array c) { return dot(w, c); };
    CHECK(runs_vectors(steps(product, ones({n}))) == (n == 128));
  }
}

TEST_CASE("lanes that hold much run one by one, with vectors along their values",
          "[jit][one_lane]") {
  // A particle filter: each step folds, searches and gathers 600 values.
  const int n = 600;
  const auto filter = [n](Array x) {
    return scan(
               [n](Array h, Array noise) {
                 const Array w = nn::softmax(h), u = (arange(n) + .5) / n;
                 const Array from = clip(searchsorted(cumsum(w), u), 0, n - 1);
                 return std::pair{.9 * h[from] + noise, h.sum()};
               },
               x, numbers({4, n}, .37))
        .second;
  };
  const Array x = numbers({20, n}, .3);
  const auto mapped = jit(vmap(filter));
  const std::string report = mapped.lower(x).report();
  INFO(report);
  CHECK(runs_vectors(report));
  CHECK(count(report, "lockstep") == 0);
  CHECK(array_equal(mapped(x), jit([=](Array x) { return lax::map(filter, x); })(x)));
  // Lanes end after different numbers of trips.
  const auto grown = [](Array x) {
    return while_loop([](Array v) { return (v * v).sum() < 4000.; },
                      [](Array v) { return 1.1 * v + .01 * roll(v, 3); }, x);
  };
  const Array starts = x * arange(1, 21).reshape({20, 1});
  const Array got = jit(vmap(grown))(starts);
  for (int i = 0; i < 20; ++i) CHECK(array_equal(got[i], jit(grown)(starts[i])));
}
