// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/batching/vmap_test.cpp: in_axes, out_axes and chunks of vmap.
#include "support/check.h"

using namespace weft;
using namespace weft::test;

namespace {
struct Params {
  Array w, b;
  int n = 1;
};
Array twice(const Arg& x, const Arg& y) { return x.value() * 2 + y; }
const auto plus = [](Array a, Array b) { return a + b; };
}  // namespace

TEST_CASE("in_axes has one entry per argument", "[vmap]") {
  const Array x = array({1., 2., 3.}), m = array({{1., 2., 3.}, {4., 5., 6.}});
  CHECK(floats(vmap(plus)(x, x)) == Floats{2, 4, 6});
  CHECK(floats(vmap(plus, {0, none})(x, 10.)) == Floats{11, 12, 13});
  CHECK(floats(vmap(plus, {none, 0})(10., x)) == Floats{11, 12, 13});
  CHECK(vmap(plus, {0, none})(m, x).shape() == Shape{2, 3});
  CHECK(floats(vmap(plus, {-1, 0})(m, x)) == Floats{2, 5, 4, 7, 6, 9});
  CHECK(vmap(plus, {1, 0})(m, x).shape() == Shape{3, 2});
  CHECK(floats(vmap(plus, {1, 0}, 1)(m, x)) == Floats{2, 4, 6, 5, 7, 9});
  CHECK(floats(vmap(plus, {1, 0}, -1)(m, x)) == Floats{2, 4, 6, 5, 7, 9});
  CHECK(floats(vmap(twice)(x, x)) == Floats{3, 6, 9});
  CHECK(floats(vmap(plus, {})(x, x)) == Floats{2, 4, 6});
  CHECK(floats(vmap(plus, 0, {})(x, x)) == Floats{2, 4, 6});
  CHECK(floats(vmap(plus, {}, {})(x, x)) == Floats{2, 4, 6});
  CHECK(floats(vmap(plus, {{}, none})(x, 1.)) == Floats{2, 3, 4});
}

TEST_CASE("maps nest", "[vmap]") {
  const Array m = array({{1., 2., 3.}, {4., 5., 6.}}), v = array({10., 20., 30.}),
              c = array({100., 200.});
  CHECK(floats(vmap(vmap(plus))(m, m)) == Floats{2, 4, 6, 8, 10, 12});
  CHECK(floats(vmap(vmap(plus, {0, none}), {none, 0})(v, c)) ==
        Floats{110, 120, 130, 210, 220, 230});
  CHECK(floats(vmap(vmap(plus, {none, 0}), {0, none})(c, v)) ==
        Floats{110, 120, 130, 210, 220, 230});
  CHECK(vmap(vmap(plus, {0, none}), {1, none})(m, v).shape() == Shape{3, 2, 3});
}

TEST_CASE("axes are prefixes of trees", "[vmap]") {
  const Array x = array({1., 2.}), s(5.f);
  const auto f = [](Params p, Array x) { return p.w * x + p.b; };
  CHECK(floats(vmap(f, {{{"w", 0}, {"b", none}}, 0})({x, s}, x)) == Floats{6, 9});
  CHECK(floats(vmap(f, {{0, none}, 0})({x, s}, x)) == Floats{6, 9});
  CHECK(floats(vmap(f, {{0, none, none}, 0})({x, s}, x)) == Floats{6, 9});
  CHECK(floats(vmap(f, {none, 0})({s, s}, x)) == Floats{10, 15});
  const auto only = [](std::map<std::string, Array> t) { return t.at("a") + t.at("b"); };
  CHECK(floats(vmap(only, {{"a", 0}, {"b", none}})({{"a", x}, {"b", s}})) == Floats{6, 7});
  const auto nested = [](std::tuple<Array, std::tuple<Array, Array>> t) {
    return std::get<0>(t) + std::get<0>(std::get<1>(t)) * std::get<1>(std::get<1>(t));
  };
  CHECK(floats(vmap(nested, {{0, {0, none}}})({x, {x, s}})) == Floats{6, 12});
}

TEST_CASE("results keep their type; out_axes are prefixes as well", "[vmap]") {
  const Array x = array({{1., 2.}, {3., 4.}, {5., 6.}});
  const auto f = [](Array v) { return std::tuple{v, Params{v * 2, Array(1.f), 7}, 3.0}; };
  const auto [a, p, c] = vmap(f, 0, {1, {0, none}, none})(x);
  CHECK(a.shape() == Shape{2, 3});
  CHECK(p.w.shape() == Shape{3, 2});
  CHECK(p.b.ndim() == 0);
  CHECK(p.n == 7);
  CHECK(c.ndim() == 0);
  const auto [a0, p0, c0] = vmap(f)(x);
  CHECK(floats(p0.b) == Floats{1, 1, 1});
  CHECK(floats(c0) == Floats{3, 3, 3});
  CHECK(c0.weak_type());
}

TEST_CASE("static parameters are handed through", "[vmap]") {
  const Array x = array({1., 2.});
  const auto scaled = [](Array x, int n, const std::string& s) {
    return x * n + static_cast<int>(s.size());
  };
  CHECK(floats(vmap(scaled)(x, 3, "ab")) == Floats{5, 8});
  CHECK(floats(vmap([](auto x, auto n) { return x * n; })(x, 3)) == Floats{3, 6});
  CHECK(floats(vmap([](Array x, double s = 2) { return x * s; })(x)) == Floats{2, 4});
}

TEST_CASE("axis_size alone, and no lanes at all", "[vmap]") {
  const auto f = [](Array x) { return x + 1; };
  CHECK(floats(vmap(f, none, 0, {.axis_size = 3})(1.)) == Floats{2, 2, 2});
  CHECK(floats(vmap([] { return 4.; }, 0, 0, {.axis_size = 2})()) == Floats{4, 4});
  const Array none_there = vmap(f)(zeros({0, 3}));
  CHECK(none_there.shape() == Shape{0, 3});
  CHECK(vmap(f, 0, 0, {.chunk_size = 4})(zeros({0})).shape() == Shape{0});
}

TEST_CASE("chunks give the results of the whole map", "[vmap]") {
  const Array x = reshape(arange(24.), {2, 12}), s(3.f);
  const auto f = [](Array v, Array s) { return std::pair{v * s, s}; };
  const auto whole = vmap(f, {1, none}, {1, none})(x, s);
  for (int64_t chunk : {1, 4, 5, 12, 100}) {
    const auto part = vmap(f, {1, none}, {1, none}, {.chunk_size = chunk})(x, s);
    CHECK(floats(part.first) == floats(whole.first));
    CHECK(part.second.item<float>() == 3);
    const auto compiled = jit(vmap(f, {1, none}, {1, none}, {.chunk_size = chunk}))(x, s);
    CHECK(floats(compiled.first) == floats(whole.first));
    CHECK(compiled.second.item<float>() == 3);
  }
  int calls = 0;
  const auto counted = [&](Array v) {
    ++calls;
    return v + 1;
  };
  CHECK(floats(vmap(counted, 0, 0, {.memory_budget = 8})(arange(6.))) == Floats{1, 2, 3, 4, 5, 6});
  CHECK(calls == 4);  // one call to measure, and three chunks of two
  // The derivative rules do not run.
  const auto traced = [&](int64_t n) {
    const auto h = custom_vjp([](Array v) { return v; }, [](Array v) { return std::pair{v, v}; },
                              [](Array, Array ct) { return std::tuple{ct}; });
    const auto ruled = custom_jvp(counted, [=](std::tuple<Array> v, std::tuple<Array> dv) {
      const Array big = sin(std::get<0>(v) + arange(double(n))).sum();
      return std::pair{std::get<0>(v) + 1, big + jvp(h, v, dv).second};
    });
    calls = 0;
    CHECK(floats(vmap(ruled, 0, 0, {.memory_budget = 8})(arange(6.))) == Floats{1, 2, 3, 4, 5, 6});
    return calls;
  };
  CHECK(traced(1000) == traced(1));
}

TEST_CASE("closures over mapped values", "[vmap]") {
  const Array x = array({1., 2.}), y = array({10., 20., 30.});
  const auto outer = [&](Array a) { return vmap([&](Array b) { return a * b; })(y); };
  CHECK(floats(vmap(outer)(x)) == Floats{10, 20, 30, 20, 40, 60});
}

TEST_CASE("functions that say how they are mapped", "[vmap][custom]") {
  const Array x = array({1., 2., 3.});
  int used = 0;
  const auto f = custom_vmap([](Array a, Array b) { return a + b; },
                             [&](int64_t size, auto mapped, Array a, Array b) {
                               ++used;
                               CHECK(size == 3);
                               CHECK(mapped[0].any());
                               CHECK_FALSE(mapped[1].any());
                               return std::pair{a + b + 100, true};
                             });
  CHECK(f(1., 2.).item<float>() == 3);
  CHECK(floats(vmap(f, {0, none})(x, 10.)) == Floats{111, 112, 113});
  CHECK(used == 1);
  CHECK(floats(jit(vmap(f, {0, none}))(x, 10.)) == Floats{111, 112, 113});
  const auto listed =
      custom_vmap([](Params p) { return std::pair{p.w, p.b}; },
                  [](int64_t, std::vector<tree::Mask> m, Params p) {
                    return std::pair{std::pair{p.w * 2, p.b}, std::pair{bool(m[0][0]), false}};
                  });
  const auto [w, b] = vmap(listed, {{0, none}})({x, Array(5.f)});
  CHECK(floats(w) == Floats{2, 4, 6});
  CHECK(floats(b) == Floats{5, 5, 5});
  CHECK(grad([&](Array v) { return f(v, 1.) * 3; })(2.).item<float>() == 3);
}

TEST_CASE("sequential_vmap runs lane after lane", "[vmap][custom]") {
  const auto f = sequential_vmap([](Array a, Array b) { return a * b; });
  CHECK(f(3., 4.).item<float>() == 12);
  CHECK(floats(vmap(f, {0, none})(array({1., 2.}), 10.)) == Floats{10, 20});
  CHECK(to_string(make_jaxpr(vmap(f, {0, none}))(array({1., 2.}), 10.)).find("scan") !=
        std::string::npos);
}
