// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/interop/stablehlo_mapped_loops_test.cpp: loops that JAX has mapped. If each lane ends on
// its own, they become loops with lanes; all others stay as they are written.
#include <catch2/catch.hpp>
#include <regex>

#include "interop/run_stablehlo.h"
#include "support/check.h"
#include "weft/stablehlo.h"

using namespace weft;
using namespace weft::test;

namespace {

// The parts of a loop over 20 lanes, each with a row of 2 numbers and a counter.
struct Loop {
  std::string compare = "LT";  // the mask of the body; the condition has LT
  std::string row = "%y = stablehlo.multiply %x, %c : tensor<20x2xf32>";
  std::string counter = "%is = stablehlo.select %p, %j, %i : tensor<20xi1>, tensor<20xi32>";
  std::string text() const {
    return R"(func.func @main(%a: tensor<20x2xf32>, %b: tensor<20xi32>)
  -> (tensor<20x2xf32>, tensor<20xi32>) {
%zero = stablehlo.constant dense<0> : tensor<20xi32>
%r:3 = stablehlo.while(%n = %b, %x = %a, %i = %zero)
  : tensor<20xi32>, tensor<20x2xf32>, tensor<20xi32>
 cond {
  %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<20xi32>, tensor<20xi32>) -> tensor<20xi1>
  %f = stablehlo.constant dense<false> : tensor<i1>
  %any = stablehlo.reduce(%p init: %f) applies stablehlo.or across dimensions = [0]
    : (tensor<20xi1>, tensor<i1>) -> tensor<i1>
  stablehlo.return %any : tensor<i1>
 } do {
  %c = stablehlo.constant dense<1.5> : tensor<20x2xf32>
  )" + row +
           R"(
  %one = stablehlo.constant dense<1> : tensor<20xi32>
  %j = stablehlo.add %i, %one : tensor<20xi32>
  %p = stablehlo.compare )" +
           compare + R"(, %i, %n, SIGNED : (tensor<20xi32>, tensor<20xi32>) -> tensor<20xi1>
  %q = stablehlo.broadcast_in_dim %p, dims = [0] : (tensor<20xi1>) -> tensor<20x2xi1>
  %xs = stablehlo.select %q, %y, %x : tensor<20x2xi1>, tensor<20x2xf32>
  )" + counter +
           R"(
  stablehlo.return %n, %xs, %is : tensor<20xi32>, tensor<20x2xf32>, tensor<20xi32>
 }
return %r#1, %r#2 : tensor<20x2xf32>, tensor<20xi32>
})";
  }
  bool has_lanes() const {
    return to_string(parse_stablehlo(text())).find("lanes=(20,)") != std::string::npos;
  }
};

const Array rows = arange(40).astype(F32).reshape({20, 2}) - 3.f;
const Array trips = tile(array({3, 0, 7, -2, 1}), {4});

}  // namespace

TEST_CASE("a mapped loop becomes a loop with lanes", "[interop][stablehlo]") {
  const Loop loop;
  CHECK(loop.has_lanes());
  const Arrays r = run(loop.text(), {rows, trips});
  const Array times = maximum(trips, 0);
  CHECK(array_equal(r[0], rows * pow(1.5f, times.astype(F32)).reshape({20, 1})).item<bool>());
  CHECK(array_equal(r[1], times).item<bool>());
  // Each lane runs in the lane of a kernel, not in lockstep with the others.
  const ClosedJaxpr program = parse_stablehlo(loop.text());
  const auto f = [&](Array x, Array n) { return eval_jaxpr(program, {x, n})[0]; };
  CHECK(count(jit(f).lower(rows, trips).report(), "lockstep") == 0);
}

TEST_CASE("a map and a derivative of a mapped loop", "[interop][stablehlo]") {
  const ClosedJaxpr program = parse_stablehlo(Loop{}.text());
  const auto f = [&](Array x, Array n) { return eval_jaxpr(program, {x, n})[0]; };
  const Array x = stack({rows, rows * 2.f, rows - 1.f}), n = stack({trips, trips + 1, trips - 1});
  const Array mapped = jit(vmap(f))(x, n);
  for (int i = 0; i < 3; ++i) CHECK(array_equal(mapped[i], f(x[i], n[i])).item<bool>());
  const Array tangent =
      jvp([&](Array z) { return f(z, trips); }, std::tuple{rows}, std::tuple{ones_like(rows)})
          .second;
  CHECK(array_equal(tangent, f(ones_like(rows), trips)).item<bool>());
}

TEST_CASE("a mapped loop in a loop has the lanes around it", "[interop][stablehlo]") {
  const auto text = [](bool nested) {
    const std::string loop = R"(
%r:2 = stablehlo.while(%x = %a, %i = %b) : tensor<20x3xf32>, tensor<20x3xi32>
 cond {
  %c = stablehlo.constant dense<4> : tensor<20x3xi32>
  %p = stablehlo.compare LT, %i, %c, SIGNED
    : (tensor<20x3xi32>, tensor<20x3xi32>) -> tensor<20x3xi1>
  %f = stablehlo.constant dense<false> : tensor<i1>
  %any = stablehlo.reduce(%p init: %f) applies stablehlo.or across dimensions = [0, 1]
    : (tensor<20x3xi1>, tensor<i1>) -> tensor<i1>
  stablehlo.return %any : tensor<i1>
 } do {
  %one = stablehlo.constant dense<1> : tensor<20x3xi32>
  %c = stablehlo.constant dense<4> : tensor<20x3xi32>
  %p = stablehlo.compare LT, %i, %c, SIGNED
    : (tensor<20x3xi32>, tensor<20x3xi32>) -> tensor<20x3xi1>
  %y = stablehlo.sine %x : tensor<20x3xf32>
  %j = stablehlo.add %i, %one : tensor<20x3xi32>
  %xs = stablehlo.select %p, %y, %x : tensor<20x3xi1>, tensor<20x3xf32>
  %is = stablehlo.select %p, %j, %i : tensor<20x3xi1>, tensor<20x3xi32>
  stablehlo.return %xs, %is : tensor<20x3xf32>, tensor<20x3xi32>
 })";
    const std::string head =
        "func.func @main(%u: tensor<20x3xf32>, %b: tensor<20x3xi32>) -> "
        "tensor<20x3xf32> {\n";
    if (!nested)
      return std::regex_replace(head, std::regex("%u"), "%a") + loop +
             "\nreturn %r#0 : tensor<20x3xf32>\n}";
    return head + R"(
%zero = stablehlo.constant dense<0> : tensor<i32>
%s:2 = stablehlo.while(%a = %u, %k = %zero) : tensor<20x3xf32>, tensor<i32>
 cond {
  %two = stablehlo.constant dense<2> : tensor<i32>
  %go = stablehlo.compare LT, %k, %two, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.return %go : tensor<i1>
 } do {)" + loop +
           R"(
  %o = stablehlo.constant dense<1> : tensor<i32>
  %l = stablehlo.add %k, %o : tensor<i32>
  stablehlo.return %r#0, %l : tensor<20x3xf32>, tensor<i32>
 }
return %s#0 : tensor<20x3xf32>
})";
  };
  const auto has = [](const std::string& text, const char* lanes) {
    return to_string(parse_stablehlo(text)).find(lanes) != std::string::npos;
  };
  CHECK(has(text(false), "lanes=(20, 3)"));
  CHECK(has(text(true), "lanes=(20,)"));
  const Array i = arange(60).reshape({20, 3}) % 7, x = i.astype(F32) * 0.3f - 1.f;
  Array once = x;
  for (int k = 0; k < 4; ++k) once = where(i + k < 4, sin(once), once);
  CHECK(array_equal(run(text(false), {x, i})[0], once).item<bool>());
  Array twice = once;
  for (int k = 0; k < 4; ++k) twice = where(i + k < 4, sin(twice), twice);
  CHECK(array_equal(run(text(true), {x, i})[0], twice).item<bool>());
}

TEST_CASE("loops of other forms keep their form", "[interop][stablehlo]") {
  // A few lanes do not fill a vector.
  const std::string few = std::regex_replace(Loop{}.text(), std::regex("<20x"), "<15x");
  CHECK(to_string(parse_stablehlo(few)).find("lanes=") == std::string::npos);
  // The mask of the body is another one: lanes go on after their condition is false.
  Loop mask;
  mask.compare = "LE";
  CHECK_FALSE(mask.has_lanes());
  CHECK(array_equal(run(mask.text(), {rows, trips})[1], minimum(maximum(trips + 1, 0), 7))
            .item<bool>());
  // A counter runs on until the last lane has ended.
  Loop counter;
  counter.counter = "%is = stablehlo.add %i, %one : tensor<20xi32>";
  CHECK_FALSE(counter.has_lanes());
  CHECK(array_equal(run(counter.text(), {rows, trips})[1], full({20}, 7)).item<bool>());
  // Each lane reads the sum of all lanes.
  Loop mixed;
  mixed.row = R"(%z = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0]
    : (tensor<20x2xf32>, tensor<f32>) -> tensor<2xf32>
  %y = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<2xf32>) -> tensor<20x2xf32>)";
  CHECK_FALSE(mixed.has_lanes());
  const Array once = (arange(20) == 0).astype(I32), twice = once + (arange(20) == 4) * 2;
  const Array sums = run(mixed.text(), {rows, twice})[0];
  const Array first = rows.sum(0), others = first - rows[0] - rows[4];
  CHECK(array_equal(sums[0], first).item<bool>());
  CHECK(array_equal(sums[4], first + first + others).item<bool>());
}
