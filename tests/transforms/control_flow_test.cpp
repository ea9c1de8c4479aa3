// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/transforms/control_flow_test.cpp: branches and loops, alone, mapped and differentiated.
#include <cstdint>
#include <functional>

#include "support/check.h"
#include "tracer/eval_trace.h"

using namespace weft;
using namespace weft::test;

namespace {
struct State {
  Array x, y;
  int tag = 5;
};
}  // namespace

TEST_CASE("cond takes one branch", "[control]") {
  const auto up = [](Array v) { return v + 1; };
  const auto down = [](Array v) { return v - 1; };
  CHECK(cond(Array(true), up, down, 5.).item<float>() == 6);
  CHECK(cond(false, up, down, 5.).item<float>() == 4);
  CHECK(cond(Array(0.5), up, down, 5.).item<float>() == 6);
  const Array x(3.f);
  CHECK(cond(x > 5, [&] { return x; }, [&] { return 0.5; }).item<float>() == 0.5f);
  const State s = cond(
      x < 5, [](State s) { return s; },
      [](State s) {
        s.x = s.y;
        return s;
      },
      State{1.f, 2.f});
  CHECK(s.x.item<float>() == 1);
  CHECK(s.tag == 5);
  const auto f = [&](Array v) { return cond(v > 0, up, down, v); };
  CHECK(floats(vmap(f)(array({-1., 1., 0.}))) == Floats{-2, 2, -1});
  CHECK(jit(f)(2.).item<float>() == 3);
  CHECK(grad([](Array v) {
          return cond(v > 0, [](Array a) { return a * a; }, [](Array a) { return -a; }, v);
        })(3.)
            .item<float>() == 6);
}

TEST_CASE("numbers take the dtype of the other branch", "[control]") {
  const Array x = array({1., 2.}, F64);
  CHECK(cond(true, [&] { return x[0]; }, [] { return 0.; }).dtype() == F64);
  CHECK_FALSE(cond(true, [] { return Array(1.f) + zeros({}); }, [] { return 0.; }).weak_type());
  CHECK(cond(true, [] { return 1.; }, [] { return 0.; }).weak_type());
}

TEST_CASE("switch_ clamps its index", "[control]") {
  const auto f = [](int i) {
    return switch_(i,
                   {[](Array v) { return v; }, [](Array v) { return v * 10; },
                    [](Array v) { return v * 100; }},
                   2.);
  };
  CHECK(f(0).item<float>() == 2);
  CHECK(f(1).item<float>() == 20);
  CHECK(f(7).item<float>() == 200);
  CHECK(f(-1).item<float>() == 2);
  CHECK(switch_(3, {[] { return Array(1.f); }}).item<float>() == 1);
  const auto [a, b] = switch_(1,
                              std::tuple{[](Array v) { return std::pair{v, 1.}; },
                                         [](Array v) { return std::pair{-v, 2.}; }},
                              3.);
  CHECK(a.item<float>() == -3);
  CHECK(b.item<float>() == 2);
}

TEST_CASE("switch_ clamps an index that no i32 holds", "[control]") {
  const auto f = [](Array i, Array x) {
    const auto by = [](double n) { return [n](Array v) { return v * n; }; };
    return switch_(i, {by(1), by(10), by(100)}, x);
  };
  const auto check = [&](const Array& index, const Floats& want) {
    INFO(to_string(index.dtype()));
    for (int64_t k = 0; k < index.size(); ++k) {
      CHECK(f(index[k], 1.).item<float>() == want[static_cast<size_t>(k)]);
      CHECK(jit(f)(index[k], 1.).item<float>() == want[static_cast<size_t>(k)]);
    }
    CHECK(floats(vmap(f, {0, none})(index, 1.)) == want);
    CHECK(floats(jit(vmap(f, {0, none}))(index, 1.)) == want);
  };
  const int64_t wrap = int64_t{1} << 32;
  check(array(std::vector<int64_t>{wrap, wrap + 1, -wrap, 1 - wrap, INT64_MIN, INT64_MAX, 1, 2}),
        {100, 100, 1, 1, 1, 100, 10, 100});
  check(array(std::vector<uint64_t>{UINT64_MAX, uint64_t{1} << 63, uint64_t{1} << 32, 0, 1}),
        {100, 100, 100, 1, 10});
  check(array(std::vector<uint32_t>{UINT32_MAX, 1u << 31, 0, 1, 2}), {100, 100, 1, 10, 100});
  check(array(std::vector<int8_t>{-128, -1, 127, 1}), {1, 1, 100, 10});
  check(array(std::vector<uint8_t>{255, 128, 1}), {100, 100, 10});
}

TEST_CASE("the starts of slices clamp in each lane", "[control]") {
  const Array x = array({0., 1., 2., 3.});
  const Array starts = array(std::vector<uint64_t>{UINT64_MAX, uint64_t{1} << 63, 1, 9});
  const auto at = [&](Array i) { return lax::dynamic_index_in_dim(x, i, 0, false); };
  CHECK(at(starts[0]).item<float>() == 3);
  CHECK(jit(at)(starts[1]).item<float>() == 3);
  CHECK(floats(vmap(at)(starts)) == Floats{3, 3, 1, 3});
  CHECK(floats(jit(vmap(at))(starts)) == Floats{3, 3, 1, 3});
  // The other start has another dtype. Both dtypes are promoted to I64.
  const auto pair = [&](Array i, Array j) {
    return lax::dynamic_slice(x.reshape({2, 2}), {i, j}, {1, 1}).reshape({});
  };
  CHECK(floats(vmap(pair)(starts, array({0, 1, 0, 5}))) == Floats{2, 3, 2, 3});
}

TEST_CASE("switch_ takes a vector of functions", "[control]") {
  std::vector<std::function<Array(Array)>> all;
  for (int n = 0; n < 5; ++n) all.emplace_back([n](Array x) { return x + n; });
  const auto f = [&](Array i, Array x) { return switch_(i, all, x); };
  CHECK(f(3, 10.).item<float>() == 13);
  CHECK(jit(f)(7, 10.).item<float>() == 14);
  CHECK(floats(vmap(f, {0, none})(array({0, 2, -1}), 1.)) == Floats{1, 3, 1});
  const auto scaled = [](double by) {
    return [by](Array x, Array y) { return std::pair{x * by, y}; };
  };
  const std::vector pairs{scaled(2.), scaled(3.)};
  CHECK(switch_(1, pairs, 2., 5.).first.item<float>() == 6);
  const std::vector<Array (*)(const Arg&)> named{sin, cos};
  CHECK(switch_(1, named, 0.).item<float>() == 1);
  check_error<ShapeError>([] { switch_(0, std::vector<std::function<Array(Array)>>{}, 1.); },
                          "switch_: there must be at least one branch");
}

TEST_CASE("a loop may be bounded by any number", "[control]") {
  const int64_t i32 = std::numeric_limits<int32_t>::max(),
                i64 = std::numeric_limits<int64_t>::max();
  for (const int64_t bound : {i32 - 1, i32, i32 + 1, 2 * i32 + 2, int64_t{1} << 40, i64}) {
    INFO(bound);
    const auto f = [bound](Array x) {
      return while_loop([](Array x) { return x < 10; }, [](Array x) { return x + 1; }, x,
                        {.max_trips = bound});
    };
    CHECK(f(0).item<int>() == 10);
    CHECK(jit(f)(3).item<int>() == 10);
    CHECK(vmap(f)(array({0, 20, 9})).to_vector<int>() == std::vector<int>{10, 20, 10});
    const ReferenceMode reference;
    CHECK(f(0).item<int>() == 10);
  }
  check_error<ShapeError>(
      [&] {
        while_loop([](Array x) { return x < 10; }, [](Array x) { return x + 1; }, 0,
                   {.max_trips = -1});
      },
      "max_trips must not be negative");
}

TEST_CASE("a loop may make more trips than an i32 counts", "[control][slow]") {
  const int64_t bound = (int64_t{1} << 31) + 7;
  const Array zero = array(std::vector<int64_t>{0})[0];
  CHECK(while_loop([](Array) { return true; }, [](Array x) { return x + 1; }, zero,
                   {.max_trips = bound})
            .item<int64_t>() == bound);
}

TEST_CASE("fori_loop counts in the type of its limits, to their end", "[control]") {
  const auto trips = [](auto lo, auto hi) {
    const auto number = [](auto x) { return array(std::vector{x})[0]; };
    return fori_loop(
               number(lo), number(hi), [](Array, Array c) { return c + 1; }, 0)
        .template item<int>();
  };
  const int64_t least = std::numeric_limits<int64_t>::min(),
                most = std::numeric_limits<int64_t>::max();
  CHECK(trips(least, least + 3) == 3);
  CHECK(trips(most - 3, most) == 3);
  CHECK(trips(most, least) == 0);
  const uint64_t top = std::numeric_limits<uint64_t>::max();
  CHECK(trips(top - 5, top) == 5);
  CHECK(trips(top, uint64_t{0}) == 0);
  // There are too many trips to finish: the loop runs until the time limit stops it.
  const auto all = [&](auto lo, auto hi) {
    return [=](Array x) {
      return fori_loop(
          array(std::vector{lo})[0], array(std::vector{hi})[0],
          [](Array, Array c) { return c * .5 + 1.; }, x);
    };
  };
  check_error<InterruptedError>([&] { jit(all(least, most), {.time_limit = .05})(0.); },
                                "time limit");
  check_error<InterruptedError>([&] { jit(all(uint64_t{0}, top), {.time_limit = .05})(0.); },
                                "time limit");
}

TEST_CASE("while_loop ends when cond says so", "[control]") {
  CHECK(while_loop([](Array x) { return x < 100; }, [](Array x) { return x * 2; }, 3.)
            .item<float>() == 192);
  CHECK(while_loop([](Array) { return true; }, [](Array x) { return x + 1; }, 0., {.max_trips = 7})
            .item<float>() == 7);
  const auto [i, s] = while_loop(
      [](std::tuple<Array, Array> c) { return std::get<0>(c) < 4; },
      [](std::tuple<Array, Array> c) { return std::tuple{std::get<0>(c) + 1, std::get<1>(c) * 2}; },
      std::tuple{0, 1.});
  CHECK(i.dtype() == I32);
  CHECK(s.item<float>() == 16);
  const auto steps = [](Array x) {
    return while_loop([](auto c) { return c.first < 100; },
                      [](auto c) { return std::pair{c.first * 2, c.second + 1}; }, std::pair{x, 0})
        .second;
  };
  CHECK(vmap(steps)(array({1., 50., 200.})).to_vector<int>() == std::vector<int>{7, 1, 0});
}

TEST_CASE("fori_loop counts", "[control]") {
  CHECK(fori_loop(0, 5, [](Array i, Array x) { return x + i; }, 0).item<int>() == 10);
  CHECK(fori_loop(3, 3, [](Array, Array x) { return x + 1; }, 4.).item<float>() == 4);
  CHECK(fori_loop(5, 0, [](Array, Array x) { return x + 1; }, 4.).item<float>() == 4);
  const auto power = [](Array n, Array x) {
    return fori_loop(0, n, [&](Array, Array y) { return y * x; }, Array(1.f));
  };
  CHECK(jit(power)(3, 2.).item<float>() == 8);
  CHECK(floats(vmap(power, {0, none})(array({0, 1, 5}), 2.)) == Floats{1, 2, 32});
  CHECK(grad([](Array x) { return fori_loop(0, 3, [](Array, Array y) { return y * y; }, x); })(2.)
            .item<float>() == 8 * 128);
}

TEST_CASE("scan carries and collects", "[control]") {
  const auto [c, ys] =
      scan([](Array c, Array x) { return std::pair{c + x, c * x}; }, 0., array({1., 2., 3.}));
  CHECK(c.item<float>() == 6);
  CHECK_FALSE(c.weak_type());
  CHECK(floats(ys) == Floats{0, 2, 9});
  const auto [cr, yr] = scan([](Array c, Array x) { return std::pair{c + x, c}; }, 0.,
                             array({1., 2., 3.}), {.reverse = true});
  CHECK(floats(yr) == Floats{5, 3, 0});
  const auto [cn, yn] =
      scan([](Array c, none_t) { return std::pair{c * 2, c}; }, 1., none, {.length = 4});
  CHECK(cn.item<float>() == 16);
  CHECK(floats(yn) == Floats{1, 2, 4, 8});
  const auto [c0, y0] = scan([](Array c, Array x) { return std::pair{c + x, x}; }, 1., zeros({0}));
  CHECK(c0.item<float>() == 1);
  CHECK(y0.shape() == Shape{0});
  const auto [cs, yt] = scan(
      [](State s, std::tuple<Array, Array> x) {
        return std::pair{State{s.x + std::get<0>(x), s.y}, none};
      },
      State{0.f, 1.f}, std::tuple{array({1., 2.}), zeros({2, 3})});
  CHECK(cs.x.item<float>() == 3);
  CHECK(cs.tag == 5);
  for (int64_t unroll : {0, 2, 5})
    CHECK(scan([](Array c, Array x) { return std::pair{c * x, none}; }, 1., array({1., 2., 3.}),
               {.unroll = unroll})
              .first.item<float>() == 6);
}

TEST_CASE("weak inits take the dtype of the body", "[control]") {
  const auto add = [](Array c, Array x) { return std::pair{c + x, none}; };
  CHECK(scan(add, 0, array({1., 2.})).first.dtype() == F32);
  CHECK(scan(add, 0., array({1., 2.}, F64)).first.dtype() == F64);
  CHECK(scan(add, 0, array({1, 2}).astype(I8)).first.dtype() == I8);
  CHECK(fori_loop(0, 2, [](Array, Array x) { return x + 0.5; }, 0).dtype() == F32);
}

TEST_CASE("map goes row by row, or by several", "[control]") {
  const Array x = array({{1., 2.}, {3., 4.}, {5., 6.}});
  const auto f = [](Array r) { return std::pair{r.sum(), r * 2}; };
  CHECK(floats(weft::map(f, x).first) == Floats{3, 7, 11});
  CHECK(floats(weft::map(f, x, {.batch_size = 2}).first) == Floats{3, 7, 11});
  CHECK(floats(map_fn(f, x).second) == Floats{2, 4, 6, 8, 10, 12});
  CHECK(floats(vectorized_map(f, x).first) == Floats{3, 7, 11});
  CHECK(floats(vectorized_map(
            [](std::tuple<Array, Array> t) { return std::get<0>(t) + std::get<1>(t); },
            std::tuple{array({1., 2.}), array({10.})})) == Floats{11, 12});
  CHECK(pfor([](Array i) { return i * i; }, 4).to_vector<int>() == std::vector<int>{0, 1, 4, 9});
  CHECK(pfor([](Array i) { return i * i; }, 5, {.parallel_iterations = 2}).to_vector<int>() ==
        std::vector<int>{0, 1, 4, 9, 16});
  CHECK(pfor([](Array i) { return i; }, 0).shape() == Shape{0});
}

TEST_CASE("associative_scan is the scan", "[control]") {
  for (int64_t n = 0; n <= 9; ++n) {
    const Array x = arange(static_cast<double>(n)) + 1;
    Floats sums, back(static_cast<size_t>(n));
    float s = 0;
    for (int64_t i = 0; i < n; ++i) sums.push_back(s += static_cast<float>(i + 1));
    for (int64_t i = n; i-- > 0;)
      back[static_cast<size_t>(i)] = s - (i ? sums[static_cast<size_t>(i) - 1] : 0);
    const auto plus = [](Array a, Array b) { return a + b; };
    CHECK(floats(associative_scan(plus, x)) == sums);
    CHECK(floats(associative_scan(plus, x, {.reverse = true})) == back);
  }
  // The composition of affine maps is not commutative.
  const auto [a, b] = associative_scan(
      [](std::pair<Array, Array> l, std::pair<Array, Array> r) {
        return std::pair{l.first * r.first, l.second * r.first + r.second};
      },
      std::pair{array({1., 2., 3., 4., 5.}), array({1., 1., 1., 1., 1.})});
  CHECK(floats(a) == Floats{1, 2, 6, 24, 120});
  CHECK(floats(b) == Floats{1, 3, 10, 41, 206});
  CHECK(
      associative_scan([](Array x, Array y) { return x + y; }, ones({2, 5}), {.axis = 1}).shape() ==
      Shape{2, 5});
}

TEST_CASE("loops capture values of the traces around them", "[control]") {
  const auto f = [](Array x) {
    return scan([&](Array c, Array y) { return std::pair{c * x + y, none}; }, 0., array({1., 2.}))
        .first;
  };
  CHECK(floats(vmap(f)(array({1., 10.}))) == Floats{3, 12});
  CHECK(grad(f)(3.).item<float>() == 1);
  CHECK(jit(f)(3.).item<float>() == 5);
}

TEST_CASE("errors of loops, branches and gradients tell where the call is", "[errors]") {
  const Array v = arange(3.), one = array(1.);
  const auto up = [](Array x) { return x; };
  const std::string here = "control_flow_test.cpp:";
  check_error<ShapeError>([&] { cond(one > 0., up, [](Array) { return ones({2}); }, one); }, here);
  check_error<ShapeError>([&] { cond(v > 0., up, up, one); }, here);
  check_error<DTypeError>([&] { switch_(one, {up, up}, one); }, here);
  check_error<DTypeError>([&] { while_loop(up, up, one); }, here);
  check_error<ShapeError>(
      [&] { while_loop([](Array c) { return c < 1.; }, [](Array) { return ones({2}); }, one); },
      here);
  check_error<DTypeError>([&] { fori_loop(0., 1., [](Array, Array c) { return c; }, one); }, here);
  check_error<ShapeError>(
      [&] { scan([](Array c, Array x) { return std::pair{stack({c, x}), x}; }, one, v); }, here);
  check_error<ShapeError>([&] { associative_scan([](Array a, Array) { return a; }, one); }, here);
  check_error<DifferentiationError>([&] { grad(up)(v); }, here);
  check_error<DifferentiationError>([&] { value_and_grad(up)(arange(3)); }, here);
  // If calls nest, the error names the inner one.
  const std::string text = error_of<ShapeError>([&] {
    vmap([&](Array x) {
      return cond(x > 0., up, [](Array) { return ones({2}); }, x);  // this line
    })(v);
  });
  CHECK(text.find(here + std::to_string(__LINE__ - 3)) != std::string::npos);
}
