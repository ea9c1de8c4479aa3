// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/lax/control_flow_names_test.cpp: control flow under its names in lax, and
// parameters of lax functions that the goldens do not vary.
#include "support/check.h"

using namespace weft;
using namespace weft::test;

TEST_CASE("jax.lax has names of control flow", "[lax]") {
  const auto twice = [](Array x) { return x * 2; };
  const auto same = [](Array x) { return x; };
  const Array x = array({1.f, 2.f, 3.f});
  CHECK(floats(lax::cond(true, twice, same, x)) == Floats{2, 4, 6});
  CHECK(floats(lax::switch_(1, std::tuple{twice, same}, x)) == Floats{1, 2, 3});
  CHECK(floats(lax::while_loop([](Array a) { return a.sum() < 20; }, twice, x)) ==
        Floats{4, 8, 12});
  CHECK(floats(lax::fori_loop(0, 2, [](Array, Array a) { return a + a; }, x)) == Floats{4, 8, 12});
  CHECK(floats(lax::map(twice, x)) == Floats{2, 4, 6});
  CHECK(floats(lax::associative_scan([](Array a, Array b) { return a + b; }, x)) ==
        Floats{1, 3, 6});
  const auto sums = lax::scan([](Array c, Array a) { return std::pair{c + a, c}; }, Array(0.f), x);
  CHECK(sums.first.item<float>() == 6);
  const auto solved =
      lax::custom_linear_solve(twice, x, [](auto, Array b) { return b / 2; }, {.symmetric = true});
  CHECK(floats(solved) == Floats{.5, 1, 1.5});
}

TEST_CASE("lax::reshape takes the order of axes", "[lax]") {
  const Array x = arange(6.).reshape({2, 3});
  CHECK(floats(lax::reshape(x, {6}, {1, 0})) == Floats{0, 3, 1, 4, 2, 5});
  CHECK(floats(lax::reshape(x, {6}, {0, 1})) == Floats{0, 1, 2, 3, 4, 5});
  check_error<ShapeError>([&] { lax::reshape(x, {6}, {0}); }, "transpose");
}

TEST_CASE("lax::scatter takes the promise that indices are in bounds", "[lax]") {
  const Array x = zeros({3}), at = array({2, 0}).reshape({2, 1}), u = array({5.f, 7.f});
  const lax::ScatterDimensionNumbers d{{}, {0}, {0}};
  CHECK(floats(lax::scatter(x, at, u, d, {.mode = "promise_in_bounds"})) == Floats{7, 0, 5});
  check_error<IndexError>([&] { lax::scatter(x, at, u, d, {.mode = "promise"}); },
                          R"(scatter: mode is "fill", "drop", "clip" or "promise_in_bounds")");
}

TEST_CASE("gather and scatter take JAX's names of modes", "[lax]") {
  using Mode = lax::GatherScatterMode;
  const Array x = array({1.f, 2.f}), at = array({1, 5}).reshape({2, 1}), u = array({5.f, 7.f});
  const lax::GatherDimensionNumbers g{{}, {0}, {0}};
  const lax::ScatterDimensionNumbers s{{}, {0}, {0}};
  const auto gathered = [&](const char* mode) {
    return floats(lax::gather(x, at, g, {1}, {.mode = mode}));
  };
  const auto scattered = [&](const char* mode) {
    return floats(lax::scatter(x, at, u, s, {.mode = mode}));
  };
  CHECK(gathered(Mode::CLIP) == Floats{2, 2});
  CHECK(gathered(Mode::PROMISE_IN_BOUNDS) == Floats{2, 2});
  CHECK(std::isnan(gathered(Mode::FILL_OR_DROP)[1]));
  CHECK(std::isnan(gathered("drop")[1]));
  CHECK(scattered(Mode::CLIP) == Floats{1, 7});
  CHECK(scattered(Mode::FILL_OR_DROP) == Floats{1, 5});
  CHECK(scattered("drop") == Floats{1, 5});
  check_error<IndexError>([&] { gathered("wrap"); },
                          R"(gather: mode is "fill", "drop", "clip" or "promise_in_bounds")");
}

TEST_CASE("lax::gather reads NaN where it has nothing, unless it is told else", "[lax]") {
  const Array x = array({1.f, 2.f}), at = array({1, 5}).reshape({2, 1});
  const lax::GatherDimensionNumbers d{{}, {0}, {0}};
  CHECK(std::isnan(floats(lax::gather(x, at, d, {1}))[1]));
  CHECK(floats(lax::gather(x, at, d, {1}, {.mode = "clip"})) == Floats{2, 2});
}
