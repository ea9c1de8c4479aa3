// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/interop/stablehlo_masked_loops_test.cpp: loops as Equinox maps them. They carry the mask of
// the lanes that go on, the mask of the step before, and one counter for all lanes.
#include <catch2/catch.hpp>
#include <regex>

#include "interop/run_stablehlo.h"
#include "support/check.h"
#include "weft/stablehlo.h"

using namespace weft;
using namespace weft::test;

namespace {

// The parts of a loop over 20 lanes, each with a row of 2 numbers and a number of steps.
struct Loop {
  std::string bound = "%go = stablehlo.and %any, %less : tensor<i1>";
  std::string goes_on = "stablehlo.compare LT, %j, %n, SIGNED";  // of the new carries
  std::string more;                                              // equations of the body
  std::string tests, tested = "%c";  // equations of the condition, and what `any` reads
  std::string counter_type = "i32";
  std::string text() const {
    const std::string t = R"(func.func @main(%a: tensor<20x2xf32>, %b: tensor<20xi32>,
    %m: tensor<20xi1>, %l: tensor<20xi1>, %first: tensor<COUNT>)
  -> (tensor<COUNT>, tensor<20xi1>, tensor<20xi1>, tensor<20x2xf32>, tensor<20xi32>) {
%zero = stablehlo.constant dense<0> : tensor<20xi32>
%r:6 = stablehlo.while(%n = %b, %k = %first, %p = %m, %q = %l, %x = %a, %i = %zero)
  : tensor<20xi32>, tensor<COUNT>, tensor<20xi1>, tensor<20xi1>, tensor<20x2xf32>, tensor<20xi32>
 cond {
  %c = stablehlo.compare LT, %i, %n, SIGNED : (tensor<20xi32>, tensor<20xi32>) -> tensor<20xi1>
  )" + tests + R"(
  %f = stablehlo.constant dense<false> : tensor<i1>
  %any = stablehlo.reduce()" +
                          tested + R"( init: %f) applies stablehlo.or across dimensions = [0]
    : (tensor<20xi1>, tensor<i1>) -> tensor<i1>
  %most = stablehlo.constant dense<9> : tensor<COUNT>
  %less = stablehlo.compare LT, %k, %most, SIGNED
    : (tensor<COUNT>, tensor<COUNT>) -> tensor<i1>
  )" + bound + R"(
  stablehlo.return %go : tensor<i1>
 } do {
  %f = stablehlo.constant dense<1.5> : tensor<20x2xf32>
  %y = stablehlo.multiply %x, %f : tensor<20x2xf32>
  %one = stablehlo.constant dense<1> : tensor<20xi32>
  %j = stablehlo.add %i, %one : tensor<20xi32>
  )" + more + R"(
  %w = stablehlo.broadcast_in_dim %p, dims = [0] : (tensor<20xi1>) -> tensor<20x2xi1>
  %xs = stablehlo.select %w, %y, %x : tensor<20x2xi1>, tensor<20x2xf32>
  %is = stablehlo.select %p, %j, %i : tensor<20xi1>, tensor<20xi32>
  %step = stablehlo.constant dense<1> : tensor<COUNT>
  %ks = stablehlo.add %k, %step : tensor<COUNT>
  %g = )" + goes_on + R"( : (tensor<20xi32>, tensor<20xi32>) -> tensor<20xi1>
  %ps = stablehlo.and %p, %g : tensor<20xi1>
  stablehlo.return %n, %ks, %ps, %p, %xs, %is : tensor<20xi32>, tensor<COUNT>, tensor<20xi1>,
    tensor<20xi1>, tensor<20x2xf32>, tensor<20xi32>
 }
return %r#1, %r#2, %r#3, %r#4, %r#5
  : tensor<COUNT>, tensor<20xi1>, tensor<20xi1>, tensor<20x2xf32>, tensor<20xi32>
})";
    return std::regex_replace(t, std::regex("COUNT"), counter_type);
  }
  bool has_lanes() const {
    return to_string(parse_stablehlo(text())).find("lanes=(20,)") != std::string::npos;
  }
};

const Array rows = arange(40).astype(F32).reshape({20, 2}) - 3.f;
const Array trips = tile(array({3, 0, 7, -2, 1}), {4});
const Array last = tile(array({true, false}), {10});

// Compares all results with those of a loop that is the same function and is not recognized.
void check_results(const Loop& loop, const Array& steps, const Array& mask, const Array& first) {
  CHECK(loop.has_lanes());
  Loop other = loop;
  other.goes_on = "stablehlo.compare GT, %n, %j, SIGNED";
  REQUIRE_FALSE(other.has_lanes());
  const Arrays x{rows, steps, mask, last, first};
  const Arrays r = run(loop.text(), x), expected = run(other.text(), x);
  for (size_t i = 0; i < r.size(); ++i) {
    INFO("result " << i);
    CHECK(array_equal(r[i], expected[i]).item<bool>());
  }
}

}  // namespace

TEST_CASE("a loop that carries its mask becomes a loop with lanes", "[interop][stablehlo]") {
  const Loop loop;
  const Array starts = trips > 0, zero = array(0);
  check_results(loop, trips, starts, zero);
  // The counter ends the loop before the lanes do.
  check_results(loop, trips, starts, array(5));
  check_results(loop, trips, starts, array(9));
  check_results(loop, trips - 7, trips - 7 > 0, zero);
  // Each lane runs in the lane of a kernel, not in lockstep with the others.
  const ClosedJaxpr program = parse_stablehlo(loop.text());
  const auto f = [&](Array x, Array n, Array m) {
    return eval_jaxpr(program, {x, n, m, last, zero})[3];
  };
  CHECK(count(jit(f).lower(rows, trips, starts).report(), "lockstep") == 0);
}

TEST_CASE("a condition that is compared with false is the condition", "[interop][stablehlo]") {
  Loop loop;
  loop.tests = R"(%none = stablehlo.constant dense<false> : tensor<20xi1>
  %d = stablehlo.compare NE, %c, %none, UNSIGNED : (tensor<20xi1>, tensor<20xi1>) -> tensor<20xi1>
  %e = stablehlo.convert %d : tensor<20xi1>)";
  loop.tested = "%e";
  check_results(loop, trips, trips > 0, array(0));
  // A comparison with true is another condition.
  loop.tests = std::regex_replace(loop.tests, std::regex("dense<false>"), "dense<true>");
  CHECK_FALSE(loop.has_lanes());
}

TEST_CASE("the first mask of a loop differs from its condition", "[interop][stablehlo]") {
  const Array zero = array(0), even = arange(20) % 2 == 0;
  // Lanes that the mask leaves out keep the loop running until the counter reaches its bound.
  check_results({}, trips, even, zero);
  check_results({}, trips, zeros({20}, Bool), zero);
  // Lanes whose condition is false make the first step if the loop starts.
  check_results({}, trips, ones({20}, Bool), zero);
  check_results({}, zeros({20}, I32), ones({20}, Bool), zero);
}

TEST_CASE("a loop that carries its mask has no bound", "[interop][stablehlo]") {
  Loop loop;
  loop.bound = "%go = stablehlo.or %any, %less : tensor<i1>";
  CHECK_FALSE(loop.has_lanes());
  Loop unbounded;
  unbounded.bound = "";
  const auto returns_any = [](const Loop& l) {
    return std::regex_replace(l.text(), std::regex("return %go"), "return %any");
  };
  CHECK(to_string(parse_stablehlo(returns_any(unbounded))).find("lanes=(20,)") !=
        std::string::npos);
  const Arrays r = run(returns_any(unbounded), {rows, trips + 5, trips + 5 > 0, last, array(-4)});
  CHECK(r[0].item<int32_t>() == 12 - 4);
  CHECK(array_equal(r[2], trips == 7).item<bool>());
  CHECK(array_equal(r[4], trips + 5).item<bool>());
}

TEST_CASE("loops with other masks and counters keep their form", "[interop][stablehlo]") {
  // The body reads the counter, which all lanes share.
  Loop reads;
  reads.more = "%kk = stablehlo.multiply %k, %k : tensor<i32>";
  CHECK_FALSE(reads.has_lanes());
  // The counter could overflow.
  Loop narrow;
  narrow.counter_type = "i8";
  CHECK_FALSE(narrow.has_lanes());
  // The mask is not the condition of the new carries.
  Loop old;
  old.goes_on = "stablehlo.compare LT, %i, %n, SIGNED";
  CHECK_FALSE(old.has_lanes());
  const Arrays r = run(old.text(), {rows, trips, trips > 0, last, array(0)});
  CHECK(array_equal(r[4], minimum(maximum(trips + 1, 0), 7) * (trips > 0)).item<bool>());
}
