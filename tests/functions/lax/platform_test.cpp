// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/lax/platform_test.cpp: platform_dependent and composite.
#include "support/check.h"

using namespace weft;
using namespace weft::test;

namespace {

Array by_platform(Array x) {
  return lax::platform_dependent(
      {{"cpu", [](Array x) { return sin(x); }}, {"cuda", [](Array x) { return x * 1234.; }}},
      [](Array x) { return exp(x); }, x);
}
// It has no case for the host.
Array elsewhere(Array x) {
  return lax::platform_dependent(
      {{"cuda", [](Array x) { return x * 1234.; }}}, [](Array x) { return cos(x); }, x);
}
const Array& points() {
  static const auto* x = new Array(array({0.5, -2., 3.}));
  return *x;
}

}  // namespace

TEST_CASE("platform_dependent chooses for the device that runs the program", "[platform]") {
  const Array& x = points();
  const Floats sines = floats(sin(x)), cosines = floats(cos(x));
  CHECK(floats(by_platform(x)) == sines);
  CHECK(floats(jit(by_platform)(x)) == sines);
  CHECK(floats(elsewhere(x)) == cosines);
  CHECK(floats(vmap(elsewhere)(x)) == cosines);
  CHECK(floats(jit(vmap(by_platform))(x)) == sines);
  const auto total = [](Array x) { return by_platform(x).sum(); };
  CHECK(floats(grad(total)(x)) == cosines);
  CHECK(floats(jit(grad(total))(x)) == cosines);
  CHECK(floats(jit(vmap(grad(by_platform)))(x)) == cosines);
  CHECK(floats(jvp(by_platform, std::tuple{x}, std::tuple{ones({3})}).second) == cosines);
  const auto step = [](Array c, Array row) { return std::pair{c + by_platform(row), c}; };
  CHECK(scan(step, 0., x).first.item<float>() == floats(sin(x[0]) + sin(x[1]) + sin(x[2]))[0]);
  // The call is in a branch that some lanes take.
  const auto some = [](Array x) { return cond(x > 0, by_platform, [](Array x) { return x; }, x); };
  CHECK(floats(vmap(some)(x)) == Floats{sines[0], -2, sines[2]});
  CHECK(floats(jit(vmap(grad(some)))(x)) == Floats{cosines[0], 1, cosines[2]});
}

TEST_CASE("branches of other platforms are removed", "[platform]") {
  const auto gone = [](const std::string& text) {
    INFO(text);
    for (const char* word : {"platforms", "1234.0", "exp"}) CHECK(!holds(text, word));
  };
  for (const auto& f : {jit(by_platform).lower(points()), jit(vmap(by_platform)).lower(points())}) {
    CHECK(holds(f.jaxpr(), "branches_platforms=('cpu', 'cuda', 'default')"));
    CHECK(holds(f.jaxpr(), "1234.0"));
    CHECK(holds(f.optimized(), "sin"));
    CHECK(!holds(f.optimized(), "cond"));
    gone(f.optimized());
  }
  // In a branch that some lanes take, and in loops, the call has a mask around it.
  const auto some = [](Array x) { return cond(x > 0, by_platform, [](Array x) { return x; }, x); };
  gone(jit(vmap(some)).lower(points()).optimized());
  gone(jit(vmap(grad(some))).lower(points()).optimized());
  const auto loop = [](Array x) {
    return while_loop([](Array c) { return c > 0.; }, [](Array c) { return by_platform(c) - 1.; },
                      x);
  };
  gone(jit(vmap(loop)).lower(points()).optimized());
  // This is the same program compiled for a GPU. 1234 is 0x449A4000.
  const std::string ptx = jit(by_platform).lower(points()).ptx();
  CHECK(holds(ptx, "449A4000"));
  CHECK(!holds(jit([](Array x) { return sin(x); }).lower(points()).ptx(), "449A4000"));
}

TEST_CASE("StableHLO has what the host would run, jaxprs have all", "[platform]") {
  for (auto f : {by_platform, elsewhere}) {
    const Lowered l = jit(f).lower(points());
    CHECK(floats(eval_jaxpr(parse_stablehlo(l.stablehlo()), {points()})[0]) == floats(f(points())));
    const ClosedJaxpr read = parse_jaxpr(l.jaxpr());
    CHECK(floats(eval_jaxpr(read, {points()})[0]) == floats(f(points())));
    CHECK(holds(to_string(read), "1234.0"));
  }
}

TEST_CASE("platform_dependent: trees, captured values, mistakes", "[platform][errors]") {
  using Pair = std::pair<Array, Array>;
  const auto f = [](Array k, Pair p) {
    return lax::platform_dependent<Pair>(
        {{"cpu", [k](Pair p) { return Pair{p.first, p.second * k}; }}}, [](Pair p) { return p; },
        p);
  };
  const Pair p{Array(2.), points()};
  CHECK(floats(jit(f)(3., p).second) == Floats{1.5, -6, 9});
  CHECK(floats(vmap(f, {0, none})(array({1., 3.}), p).second) == Floats{0.5, -2, 3, 1.5, -6, 9});
  CHECK(grad([&](Array k) { return f(k, p).second.sum(); })(3.).item<float>() == 1.5);
  const auto twice = [](Array x) { return x * 2.; };
  check_error<CompileError>(
      [&] { lax::platform_dependent({{"cuda", twice}}, {}, points()); },
      "platform_dependent: there is no implementation for platform 'cpu', only for cuda; give it a "
      "default");
  CHECK(floats(lax::platform_dependent({{"cpu", twice}}, {}, points())) == Floats{1, -4, 6});
  check_error<DeviceError>([&] { lax::platform_dependent({{"abacus", twice}}, twice, points()); },
                           "'abacus' is not a platform; there are cpu and cuda");
  check_error<ShapeError>(
      [&] { lax::platform_dependent({{"cpu", twice}}, [](Array x) { return x.sum(); }, points()); },
      "platform_dependent branch outputs must have equal types, but they differ");
}

TEST_CASE("a branch with a known index becomes its body", "[platform]") {
  const auto f = [](Array x) {
    return switch_(7, {[](Array x) { return sin(x); }, [](Array x) { return cos(x); }}, x);
  };
  CHECK(floats(jit(f)(points())) == floats(cos(points())));
  const std::string text = jit(f).lower(points()).optimized();
  CHECK(!holds(text, "cond"));
  CHECK(!holds(text, "sin"));
}

TEST_CASE("composite names what a program computes", "[composite]") {
  const auto square = lax::composite([](Array x, Array y) { return x * y + 1.; }, "my.product", 3);
  const Array& x = points();
  CHECK(floats(square(x, x)) == Floats{1.25, 5, 10});
  CHECK(floats(jit(square)(x, x)) == Floats{1.25, 5, 10});
  const Floats slopes{1, -4, 6};
  CHECK(floats(grad([&](Array x) { return square(x, x).sum(); })(x)) == slopes);
  CHECK(floats(vmap(grad([&](Array x) { return square(x, x); }))(x)) == slopes);
  CHECK(floats(vmap(square, {0, none})(x, Array(2.))) == Floats{2, -3, 7});
  const Lowered l = jit(square).lower(x, x);
  CHECK(holds(l.jaxpr(), "composite["));
  CHECK(holds(l.jaxpr(), "name=my.product"));
  CHECK(holds(l.jaxpr(), "version=3"));
  CHECK(!holds(l.optimized(), "composite"));
  // StableHLO keeps the name in both directions.
  const ClosedJaxpr back = parse_stablehlo(l.stablehlo());
  INFO(l.stablehlo());
  CHECK(holds(to_string(back), "name=my.product"));
  CHECK(holds(to_string(back), "version=3"));
  CHECK(floats(eval_jaxpr(back, {x, x})[0]) == Floats{1.25, 5, 10});
}

TEST_CASE("composites of one name are told apart", "[composite]") {
  const auto f = [](Array x) {
    return lax::composite([](Array x) { return x + 1.; }, "step")(x) *
           lax::composite([](Array x) { return x - 1.; }, "step")(x);
  };
  const ClosedJaxpr back = parse_stablehlo(jit(f).lower(points()).stablehlo());
  CHECK(floats(eval_jaxpr(back, {points()})[0]) == floats(f(points())));
  const auto named = [](const char* name) {
    return jit(lax::composite([](Array x) { return x + 1.; }, name)).lower(points()).jaxpr();
  };
  CHECK(named("a") != named("b"));
}
