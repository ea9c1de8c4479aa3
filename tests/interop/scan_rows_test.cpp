// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/interop/scan_rows_test.cpp: row reads and writes of counted loops become rows of a scan.
// Other accesses stay.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "support/check.h"
#include "tests/support/golden.h"
#include "tracer/eval_trace.h"

using namespace weft;
using namespace weft::test;

namespace {

Arrays by_reference(const ClosedJaxpr& c, const Arrays& x) {
  const ReferenceMode reference;
  return eval_jaxpr(c, x);
}

// Returns a loop over i from `first` while i < last. It has a carry and a stack of 4 rows of two
// numbers. `body` computes %c2 and %y2, the new carry and stack, from %i, %c, %y and %x.
ClosedJaxpr loop(int first, int last, const std::string& body, const std::string& x = "4x2") {
  return parse_stablehlo(fmt::format(R"(
func.func @main(%x: tensor<{3}xf32>, %c0: tensor<2xf32>, %y0: tensor<4x2xf32>) -> (tensor<2xf32>, tensor<4x2xf32>) {{
  %first = stablehlo.constant dense<{0}> : tensor<i32>
  %last = stablehlo.constant dense<{1}> : tensor<i32>
  %0:3 = stablehlo.while(%i = %first, %c = %c0, %y = %y0) : tensor<i32>, tensor<2xf32>, tensor<4x2xf32>
   cond {{
    %go = stablehlo.compare LT, %i, %last, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  }} do {{
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %three = stablehlo.constant dense<3> : tensor<i32>
    %four = stablehlo.constant dense<4> : tensor<i32>
{2}
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %c2, %y2 : tensor<i32>, tensor<2xf32>, tensor<4x2xf32>
  }}
  return %0#1, %0#2 : tensor<2xf32>, tensor<4x2xf32>
}}
)",
                                     first, last, body, x));
}
// Computes c2 = c + x[read] and y2[write] = c2. The indices are names of scalars.
std::string step(const std::string& read, const std::string& write) {
  return fmt::format(R"(
    %r1 = stablehlo.dynamic_slice %x, %{}, %zero, sizes = [1, 2] : (tensor<4x2xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
    %r = stablehlo.reshape %r1 : (tensor<1x2xf32>) -> tensor<2xf32>
    %c2 = stablehlo.add %c, %r : tensor<2xf32>
    %u = stablehlo.reshape %c2 : (tensor<2xf32>) -> tensor<1x2xf32>
    %y2 = stablehlo.dynamic_update_slice %y, %u, %{}, %zero : (tensor<4x2xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x2xf32>
)",
                     read, write);
}
const Array x = array({{1.f, 2.f}, {3.f, 4.f}, {5.f, 6.f}, {7.f, 8.f}}), c0 = array({10.f, 20.f}),
            stack0 = full({4, 2}, -1.f);

Floats stack_of(const ClosedJaxpr& p) { return floats(by_reference(p, {x, c0, stack0})[1]); }
bool by_rows(const ClosedJaxpr& p) {
  const std::string text = to_string(p);
  return holds(text, "scan[") && !holds(text, "dynamic_slice") &&
         !holds(text, "dynamic_update_slice");
}

}  // namespace

TEST_CASE("rows at the counter are rows of the scan", "[interop][stablehlo][rows]") {
  const ClosedJaxpr p = loop(0, 4, step("i", "i"));
  CHECK(by_rows(p));
  CHECK(stack_of(p) == Floats{11, 22, 14, 26, 19, 32, 26, 40});
}

TEST_CASE("rows from the last to the first make a reversed scan", "[interop][stablehlo][rows]") {
  const ClosedJaxpr p =
      loop(0, 4, "    %b = stablehlo.subtract %three, %i : tensor<i32>\n" + step("b", "b"));
  CHECK(by_rows(p));
  CHECK(holds(to_string(p), "reverse=True"));
  CHECK(stack_of(p) == Floats{26, 40, 25, 38, 22, 34, 17, 28});
}

TEST_CASE("counters that do not start at 0, and indices made positive, are recognised",
          "[interop][stablehlo][rows]") {
  const ClosedJaxpr p = loop(1, 5, R"(
    %p = stablehlo.subtract %i, %one : tensor<i32>
    %n = stablehlo.compare LT, %p, %zero, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %q = stablehlo.add %p, %four : tensor<i32>
    %s = stablehlo.select %n, %q, %p : tensor<i1>, tensor<i32>
)" + step("s", "s"));
  CHECK(by_rows(p));
  CHECK(stack_of(p) == Floats{11, 22, 14, 26, 19, 32, 26, 40});
}

TEST_CASE("a read and a write at different indices: one becomes rows",
          "[interop][stablehlo][rows]") {
  const ClosedJaxpr p =
      loop(0, 4, "    %b = stablehlo.subtract %three, %i : tensor<i32>\n" + step("b", "i"));
  CHECK(holds(to_string(p), "dynamic_slice"));
  CHECK(!holds(to_string(p), "dynamic_update_slice"));
  CHECK(stack_of(p) == Floats{17, 28, 22, 34, 25, 38, 26, 40});
}

TEST_CASE("accesses that are not rows stay unchanged", "[interop][stablehlo][rows]") {
  // There are fewer trips than rows, and the other rows keep their values.
  const ClosedJaxpr three = loop(0, 3, step("i", "i"));
  CHECK(holds(to_string(three), "dynamic_update_slice"));
  CHECK(stack_of(three) == Floats{11, 22, 14, 26, 19, 32, -1, -1});
  // Each trip uses the same row.
  const ClosedJaxpr fixed = loop(0, 4, step("one", "one"));
  CHECK(holds(to_string(fixed), "dynamic_update_slice"));
  CHECK(stack_of(fixed) == Floats{-1, -1, 22, 36, -1, -1, -1, -1});
  // The body also reads the stack.
  const ClosedJaxpr looked = loop(0, 4, R"(
    %o1 = stablehlo.slice %y [3:4, 0:2] : (tensor<4x2xf32>) -> tensor<1x2xf32>
    %o = stablehlo.reshape %o1 : (tensor<1x2xf32>) -> tensor<2xf32>
    %c2 = stablehlo.add %c, %o : tensor<2xf32>
    %u = stablehlo.reshape %c2 : (tensor<2xf32>) -> tensor<1x2xf32>
    %y2 = stablehlo.dynamic_update_slice %y, %u, %i, %zero : (tensor<4x2xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x2xf32>
)");
  CHECK(holds(to_string(looked), "dynamic_update_slice"));
  CHECK(stack_of(looked) == Floats{9, 19, 8, 18, 7, 17, 6, 16});
  // A counter that wraps around does not number rows. This one has 8 bits, and its values are 0,
  // 100, 200 - 256 and 300 - 256.
  const ClosedJaxpr wrapped = loop(0, 4, R"(
    %k = stablehlo.convert %i : (tensor<i32>) -> tensor<i8>
    %h = stablehlo.constant dense<100> : tensor<i8>
    %k2 = stablehlo.multiply %k, %h : tensor<i8>
    %k3 = stablehlo.convert %k2 : (tensor<i8>) -> tensor<i32>
)" + step("k3", "i"));
  CHECK(holds(to_string(wrapped), "dynamic_slice"));
  CHECK(stack_of(wrapped) == Floats{11, 22, 18, 30, 19, 32, 26, 40});
}

TEST_CASE("indices that would overflow are no rows", "[interop][stablehlo][rows]") {
  // The literals have 64 bits, and the loop has 2^62 trips. It is parsed, but does not run.
  const auto read = [](const std::string& last, const std::string& add) {
    return parse_stablehlo(fmt::format(R"(
func.func @main(%x: tensor<4xf32>, %c0: tensor<1xf32>) -> tensor<1xf32> {{
  %first = stablehlo.constant dense<0> : tensor<i64>
  %last = stablehlo.constant dense<{}> : tensor<i64>
  %0:2 = stablehlo.while(%i = %first, %c = %c0) : tensor<i64>, tensor<1xf32>
   cond {{
    %go = stablehlo.compare LT, %i, %last, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  }} do {{
    %one = stablehlo.constant dense<1> : tensor<i64>
    %far = stablehlo.constant dense<{}> : tensor<i64>
    %twice = stablehlo.add %i, %i : tensor<i64>
    %behind = stablehlo.add %far, %far : tensor<i64>
    %at = stablehlo.add %twice, %behind : tensor<i64>
    %r = stablehlo.dynamic_slice %x, %at, sizes = [1] : (tensor<4xf32>, tensor<i64>) -> tensor<1xf32>
    %c2 = stablehlo.add %c, %r : tensor<1xf32>
    %next = stablehlo.add %i, %one : tensor<i64>
    stablehlo.return %next, %c2 : tensor<i64>, tensor<1xf32>
  }}
  return %0#1 : tensor<1xf32>
}}
)",
                                       last, add));
  };
  CHECK(holds(to_string(read("4611686018427387904", "1")), "dynamic_slice"));
  CHECK(holds(to_string(read("4", "9223372036854775807")), "dynamic_slice"));
}

TEST_CASE("scans written as StableHLO are read as they were", "[interop][stablehlo][rows]") {
  for (bool reverse : {false, true}) {
    const auto f = [&](Array c, Array rows) {
      return scan([](Array c, Array r) { return std::pair(c * .5f + r, sin(c) * r); }, c, rows,
                  {.reverse = reverse});
    };
    const ClosedJaxpr p = make_jaxpr(f)(c0, x), again = parse_stablehlo(to_stablehlo(p));
    CHECK(by_rows(again));
    const Arrays want = by_reference(p, {c0, x}), got = by_reference(again, {c0, x});
    CHECK(array_equal(got[0], want[0]).item<bool>());
    CHECK(array_equal(got[1], want[1]).item<bool>());
  }
}

TEST_CASE("derivatives of such loops keep rows", "[interop][stablehlo][rows]") {
  const ClosedJaxpr p = loop(0, 4, step("i", "i"));
  const auto loss = [&](Array x) { return (eval_jaxpr(p, {x, c0, stack0})[1] * x).sum(); };
  const std::string text = to_string(make_jaxpr(grad(loss))(x));
  CHECK(!holds(text, "dynamic_update_slice"));
  CHECK(floats(grad(loss)(x)) == Floats{27, 42, 29, 44, 31, 46, 33, 48});
}
