// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/batching/collective_test.cpp: collectives between the lanes of named maps.
#include "support/check.h"

using namespace weft;
using namespace weft::test;

namespace {
template <class F>
auto over(F f, const Axes& in = 0, const Axes& out = 0) {
  return vmap(f, in, out, {.axis_name = "i"});
}
}  // namespace

TEST_CASE("psum sums over the lanes", "[collective]") {
  const Array xs = arange(3. * 4.).reshape({3, 4});
  CHECK(floats(over([](Array x) { return psum(x, "i"); }, 0, none)(xs)) == Floats{12, 15, 18, 21});
  CHECK(over([](Array x) { return psum(x, "i"); })(xs).shape() == Shape{3, 4});
  CHECK(floats(over([](Array x) { return psum(x, "i"); }, 1, none)(xs)) == Floats{6, 22, 38});
  CHECK(floats(jit(over([](Array x) { return pmean(x, "i"); }, 0, none))(xs)) ==
        Floats{4, 5, 6, 7});
  CHECK(floats(over([](Array x) { return pmax(x, "i") - pmin(x, "i"); }, 0, none)(xs)) ==
        Floats{8, 8, 8, 8});
}

TEST_CASE("an unmapped operand counts once a lane", "[collective]") {
  const auto count =
      over([](Array x) { return psum(std::pair{1, x}, "i"); }, 0, none)(array({1., 2., 3.}));
  CHECK(count.first.item<int>() == 3);
  CHECK(count.first.dtype() == I32);
  CHECK(count.second.item<float>() == 6);
  CHECK(floats(over([](Array x) { return pmax(Array(2.), "i") + x; })(array({1., 2.}))) ==
        Floats{3, 4});
}

TEST_CASE("names reach through maps and programs", "[collective]") {
  const Array xs = arange(6.).reshape({2, 3});
  const auto both = [](auto f, const Axes& out = none) {
    return over(vmap(f, 0, out, {.axis_name = "j"}), 0, out);
  };
  CHECK(both([](Array x) { return psum(x, {"i", "j"}); })(xs).item<float>() == 15);
  CHECK(floats(over(vmap([](Array x) { return psum(x, "i"); }), 0, none)(xs)) == Floats{3, 5, 7});
  CHECK(floats(over(jit([](Array x) { return psum(x, "i"); }), 0, none)(xs)) == Floats{3, 5, 7});
  CHECK(floats(both([](Array) { return axis_index({"i", "j"}); }, 0)(xs)) ==
        Floats{0, 1, 2, 3, 4, 5});
  CHECK(floats(both([](Array x) { return all_gather(x, {"i", "j"}); })(xs)) ==
        Floats{0, 1, 2, 3, 4, 5});
  const auto halve = [](Array x) {
    return fori_loop(0, 3, [](Array, Array c) { return c / psum(c, "i"); }, x);
  };
  CHECK(floats(over(halve)(array({1., 3.}))) == Floats{0.25, 0.75});
}

TEST_CASE("all_gather stacks or joins", "[collective]") {
  const Array xs = arange(6.).reshape({2, 3});
  CHECK(over([](Array x) { return all_gather(x, "i"); }, 0, none)(xs).shape() == Shape{2, 3});
  CHECK(over([](Array x) { return all_gather(x, "i", {.axis = -1}); }, 0, none)(xs).shape() ==
        Shape{3, 2});
  CHECK(floats(over([](Array x) { return all_gather(x, "i", {.tiled = true}); }, 0, none)(xs)) ==
        Floats{0, 1, 2, 3, 4, 5});
}

TEST_CASE("collectives have derivatives", "[collective]") {
  const Array x = array({1., 2., 3.});
  CHECK(floats(over(grad([](Array a) { return psum(a * a, "i"); }))(x)) == Floats{6, 12, 18});
  CHECK(floats(grad([](Array a) {
          return over([](Array b) { return psum(b * b, "i"); }, 0, none)(a);
        })(x)) == Floats{2, 4, 6});
  CHECK(floats(grad([](Array a) { return over([](Array b) { return pmax(b, "i"); }, 0, none)(a); })(
            array({1., 3., 3.}))) == Floats{0, 0.5, 0.5});
  const auto weigh = [](Array a) { return (all_gather(a, "i") * array({1., 2., 3.})).sum(); };
  CHECK(floats(over(grad(weigh))(x)) == Floats{3, 6, 9});
}

TEST_CASE("a mean over no lanes does not affect gradients", "[collective]") {
  const auto total = [](Array x) {
    const auto lane = [x](Array z) { return pmean(x, "i") * z; };
    return vmap(lane, 0, 0, {.axis_name = "i"})(zeros({0})).sum() + x * 3.f;
  };
  CHECK(grad(total)(Array(2.f)).item<float>() == 3);
  CHECK(jit(grad(total))(Array(2.f)).item<float>() == 3);
}

TEST_CASE("a name that is not bound is an error", "[collective]") {
  const Array x = array({1., 2., 3., 4.});
  check_error<AxisNameError>([&] { psum(x, "i"); }, "unbound axis name 'i'");
  check_error<AxisNameError>([&] { psum(x, "i"); }, "(at collective_test.cpp:");
  check_error<AxisNameError>([&] { over([](Array a) { return axis_index("k") + a; })(x); },
                             "unbound axis name 'k'");
  check_error<AxisNameError>([&] { over([](Array a) { return psum(a, {"i", "i"}); })(x); },
                             "named twice");
  check_error<BatchingError>(
      [&] {
        vmap([](Array a) { return psum(a, "i"); }, 0, 0, {.axis_name = "i", .chunk_size = 2})(x);
      },
      "all lanes");
  const auto index =
      vmap([](Array) { return axis_index("i"); }, 0, 0, {.axis_name = "i", .chunk_size = 2});
  CHECK(floats(index(x)) == Floats{0, 1, 2, 3});
}

TEST_CASE("axis_size is that of the whole map, chunked or not") {
  const auto f = [](Array x) { return x * static_cast<int>(axis_size("i")); };
  const Array x = array({1, 2, 3, 4});
  CHECK(array_equal(vmap(f, 0, 0, {.axis_name = "i"})(x), array({4, 8, 12, 16})));
  CHECK(array_equal(vmap(f, 0, 0, {.axis_name = "i", .chunk_size = 2})(x), array({4, 8, 12, 16})));
}
