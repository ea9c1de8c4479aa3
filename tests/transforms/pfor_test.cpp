// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/transforms/pfor_test.cpp: TensorFlow's loops: pfor and its access to values of other
// iterations, for_loop, folds, unsorted segments.
#include "support/check.h"

using namespace weft;
using namespace weft::test;

TEST_CASE("pfor reduces over its iterations", "[transforms][pfor]") {
  const Array x = array({{1., 2.}, {3., 4.}, {5., 9.}});
  const auto loop = [&](Array i, PforConfig& config) {
    const Array row = x[i];
    return std::tuple(config.reduce_sum(row), config.reduce_mean(i), config.reduce_concat(row),
                      config.reduce([](Array all) { return all.max(0); }, row), row);
  };
  const auto check = [&](const auto& r) {
    const auto& [sum, mean, all, most, rows] = r;
    CHECK(floats(sum) == Floats{9, 15, 9, 15, 9, 15});
    CHECK(floats(mean) == Floats{1, 1, 1});
    CHECK(mean.dtype() == F32);
    CHECK(all.shape() == Shape{3, 3, 2});
    CHECK(floats(all[1]) == floats(x));
    CHECK(floats(most[2]) == Floats{5, 9});
    CHECK(floats(rows) == floats(x));
  };
  check(pfor(loop, 3));
  check(jit([&] { return pfor(loop, 3); })());
  // In nested loops each one uses its own config.
  const Array nested = pfor(
      [](Array i, PforConfig& outer) {
        const Array inner =
            pfor([&](Array j, PforConfig& c) { return c.reduce_sum(i * 10 + j); }, 2);
        return outer.reduce_sum(inner[0]);
      },
      3);
  CHECK(floats(nested.astype(F32)) == Floats{63, 63, 63});
  check_error<BatchingError>([&] { pfor(loop, 3, {.parallel_iterations = 2}); },
                             "parallel_iterations");
  check_error<BatchingError>([] { pfor([](Array i) { return i; }, -1); }, "pfor");
}

TEST_CASE("for_loop is what pfor must agree with", "[transforms][pfor]") {
  const auto body = [](Array i) { return std::pair(sin(i * 0.5), i * i); };
  const auto [a, b] = pfor(body, 7);
  const auto [c, d] = for_loop(body, 7);
  CHECK(array_equal(a, c));
  CHECK(array_equal(b, d));
  const auto [e, f] = pfor(body, 7, {.parallel_iterations = 3});
  CHECK(array_equal(a, e));
  CHECK(array_equal(b, f));
  CHECK(for_loop(body, 0).first.shape() == Shape{0});
}

TEST_CASE("foldl and foldr", "[transforms][pfor]") {
  const Array x = array({1., 2., 3.});
  const auto step = [](Array acc, Array v) { return acc * 2. + v; };
  CHECK(foldl(step, x, Array(1.f)).item<float>() == 8 + 4 + 4 + 3);
  CHECK(foldr(step, x, Array(1.f)).item<float>() == 8 + 12 + 4 + 1);
  CHECK(grad([&](Array v) { return foldl(step, v, Array(0.f)); })(x).to_vector<float>() ==
        Floats{4, 2, 1});
  const auto pairs = foldl(
      [](std::pair<Array, Array> acc, std::pair<Array, Array> v) {
        return std::pair(acc.first + v.first, acc.second * v.second);
      },
      std::pair(x, x), std::pair(Array(0.f), Array(1.f)));
  CHECK(pairs.first.item<float>() == 6);
  CHECK(pairs.second.item<float>() == 6);
}

TEST_CASE("unsorted segments", "[transforms][pfor]") {
  const Array x = array({1., 2., 3., 4., 5., 8.}), ids = array({2, 0, 2, -1, 0, 7});
  const float low = std::numeric_limits<float>::lowest(), high = -low;
  CHECK(floats(unsorted_segment_sum(x, ids, 3)) == Floats{7, 0, 4});
  CHECK(floats(unsorted_segment_prod(x, ids, 3)) == Floats{10, 1, 3});
  CHECK(floats(unsorted_segment_max(x, ids, 3)) == Floats{5, low, 3});
  CHECK(floats(unsorted_segment_min(x, ids, 3)) == Floats{2, high, 1});
  CHECK(floats(unsorted_segment_mean(x, ids, 3)) == Floats{3.5, 0, 2});
  CHECK(allclose(unsorted_segment_sqrt_n(x, ids, 3),
                 array({7 / std::sqrt(2.), 0., 4 / std::sqrt(2.)})));
  // The ids have several axes, and the data has rows behind them.
  const Array rows = arange(12.).reshape({2, 3, 2}), of_rows = array({{0, 1, 0}, {1, 1, 5}});
  CHECK(floats(unsorted_segment_sum(rows, of_rows, 2)) == Floats{4, 6, 16, 19});
  CHECK(floats(grad([&](Array v) { return unsorted_segment_max(v, ids, 1)[0]; })(x)) ==
        Floats{0, 0, 0, 0, 1, 0});
  check_error<DTypeError>([&] { unsorted_segment_mean(x.astype(I32), ids, 3); },
                          "unsorted_segment_mean");
  check_error<ShapeError>([&] { unsorted_segment_sum(x, array({1, 2}), 3); },
                          "unsorted_segment_sum");
}
