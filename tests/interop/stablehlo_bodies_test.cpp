// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/interop/stablehlo_bodies_test.cpp: bodies for scalars that contain branches, loops and
// arrays. It also tests sorts of long rows with any comparator.
#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>

#include "interop/run_stablehlo.h"
#include "support/check.h"
#include "weft/stablehlo.h"

using namespace weft;
using namespace weft::test;

namespace {

std::string program(const std::string& in, const std::string& out, const std::string& lines) {
  return "func.func @main(" + in + ") -> (" + out + ") {\n" + lines + "\nreturn %r : " + out +
         "\n}\n";
}
Floats values(const std::string& text, const Arrays& x) {
  return run(text, x)[0].to_vector<float>();
}
std::string region(const std::string& lines) {
  return "({\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\n" + lines +
         "\nstablehlo.return %s : tensor<f32>\n})";
}

// Returns the larger of %a and %b, by branches.
const std::string larger =
    R"(%g = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
%s = "stablehlo.if"(%g) ({
  stablehlo.return %a : tensor<f32>
}, {
  stablehlo.return %b : tensor<f32>
}) : (tensor<i1>) -> tensor<f32>)";
// Returns their sum, by a reduction of an array of both.
const std::string sum_of_pair = R"(%p = stablehlo.reshape %a : (tensor<f32>) -> tensor<1xf32>
%q = stablehlo.reshape %b : (tensor<f32>) -> tensor<1xf32>
%v = stablehlo.concatenate %p, %q, dim = 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
%z = stablehlo.constant dense<0.0> : tensor<f32>
%s = stablehlo.reduce(%v init: %z) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>)";
// Doubles %a until it is at least %b.
const std::string doubled = R"(%s, %t = stablehlo.while(%c = %a, %d = %b) : tensor<f32>, tensor<f32>
 cond {
  %l = stablehlo.compare LT, %c, %d : (tensor<f32>, tensor<f32>) -> tensor<i1>
  stablehlo.return %l : tensor<i1>
 } do {
  %e = stablehlo.add %c, %c : tensor<f32>
  stablehlo.return %e, %d : tensor<f32>, tensor<f32>
 })";

std::string scatter(const std::string& body, const std::string& unique = "false") {
  return program("%x: tensor<4xf32>, %i: tensor<3x1xi32>, %u: tensor<3xf32>", "tensor<4xf32>",
                 "%r = \"stablehlo.scatter\"(%x, %i, %u) " + region(body) +
                     " {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = "
                     "[0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, "
                     "unique_indices = " +
                     unique +
                     "} : (tensor<4xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<4xf32>");
}
std::string reduction(const std::string& body, const std::string& init) {
  return program("%x: tensor<2x3xf32>", "tensor<2xf32>",
                 "%k = stablehlo.constant dense<" + init +
                     "> : tensor<f32>\n%r = \"stablehlo.reduce\"(%x, %k) " + region(body) +
                     " {dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<f32>) -> "
                     "tensor<2xf32>");
}

}  // namespace

TEST_CASE("scatters by bodies with branches, arrays and loops", "[interop][stablehlo]") {
  const Array x = array({1.f, 2.f, 3.f, 4.f}), u = array({5.f, 1.5f, 7.f});
  const Array twice = array({{1}, {2}, {1}}), once = array({{1}, {2}, {9}});
  CHECK(values(scatter(larger), {x, twice, u}) == Floats{1, 7, 3, 4});
  CHECK(values(scatter(sum_of_pair), {x, twice, u}) == Floats{1, 14, 4.5, 4});
  CHECK(values(scatter(doubled), {x, twice, u}) == Floats{1, 8, 3, 4});
  // An index out of bounds changes nothing.
  CHECK(values(scatter(doubled, "true"), {x, once, u}) == Floats{1, 8, 3, 4});
  // Under a map the body works in each lane.
  const ClosedJaxpr p = parse_stablehlo(scatter(larger));
  const auto f = [p](Array a, Array i, Array v) { return eval_jaxpr(p, {a, i, v})[0]; };
  const Array lanes = vmap(f, {0, none, none})(stack({x, x * 3.f}), twice, u);
  CHECK(floats(lanes) == Floats{1, 7, 3, 4, 3, 7, 9, 12});
  // The scatter also has a derivative: each element is from x or from the updates.
  const auto total = [f, twice](Array a, Array v) { return sum(f(a, twice, v) * f(a, twice, v)); };
  CHECK(floats(grad(total)(x, u)) == Floats{2, 0, 6, 8});
}

TEST_CASE("reductions and maps by bodies with branches, arrays and loops", "[interop][stablehlo]") {
  const Array x = array({{1.f, 5.f, 2.f}, {7.f, -1.f, 7.f}});
  CHECK(values(reduction(larger, "0xFF800000"), {x}) == Floats{5, 7});
  CHECK(values(reduction(sum_of_pair, "10.0"), {x}) == Floats{18, 23});
  const std::string map =
      program("%x: tensor<2x3xf32>, %y: tensor<2x3xf32>", "tensor<2x3xf32>",
              "%r = \"stablehlo.map\"(%x, %y) " + region(doubled) +
                  " {dimensions = array<i64: 0, 1>} : (tensor<2x3xf32>, tensor<2x3xf32>) -> "
                  "tensor<2x3xf32>");
  CHECK(values(map, {abs(x), ones({2, 3}) * 4.f}) == Floats{4, 5, 4, 7, 4, 7});
  // An empty operand gives an empty result of the right type.
  const std::string empty = program("%x: tensor<0xf32>", "tensor<0xf32>",
                                    "%r = \"stablehlo.map\"(%x, %x) " + region(larger) +
                                        " {dimensions = array<i64: 0>} : (tensor<0xf32>, "
                                        "tensor<0xf32>) -> tensor<0xf32>");
  CHECK(run(empty, {zeros({0})})[0].shape() == Shape{0});
}

TEST_CASE("windows by bodies with branches and arrays", "[interop][stablehlo]") {
  const Array x = array({1.f, 4.f, 2.f, 6.f, 5.f});
  const auto windows = [&](const std::string& body, const std::string& init) {
    return values(
        program("%x: tensor<5xf32>", "tensor<4xf32>",
                "%k = stablehlo.constant dense<" + init +
                    "> : tensor<f32>\n%r = \"stablehlo.reduce_window\"(%x, %k) " + region(body) +
                    " {window_dimensions = array<i64: 2>} : (tensor<5xf32>, "
                    "tensor<f32>) -> tensor<4xf32>"),
        {x});
  };
  CHECK(windows(larger, "0.0") == Floats{4, 4, 6, 6});
  CHECK(windows(sum_of_pair, "0.0") == Floats{5, 6, 8, 11});
  const std::string selects =
      "({\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\n" + larger +
      "\n%o = stablehlo.compare EQ, %s, %a : (tensor<f32>, tensor<f32>) -> "
      "tensor<i1>\nstablehlo.return %o : tensor<i1>\n}, {\n^bb0(%a: tensor<f32>, %b: "
      "tensor<f32>):\n" +
      sum_of_pair + "\nstablehlo.return %s : tensor<f32>\n})";
  CHECK(values(program("%x: tensor<5xf32>, %u: tensor<4xf32>", "tensor<5xf32>",
                       "%k = stablehlo.constant dense<0.0> : tensor<f32>\n%r = "
                       "\"stablehlo.select_and_scatter\"(%x, %u, %k) " +
                           selects +
                           " {window_dimensions = array<i64: 2>} : (tensor<5xf32>, "
                           "tensor<4xf32>, tensor<f32>) -> tensor<5xf32>"),
               {x, array({1.f, 2.f, 3.f, 4.f})}) == Floats{0, 3, 0, 7, 0});
}

// This is XLA's behavior. StableHLO's specification counts padding as init.
TEST_CASE("windows start from init once", "[interop][stablehlo]") {
  const auto windows = [&](const std::string& ops, const std::string& more, int n) {
    const std::string out = "tensor<" + std::to_string(n) + "xf32>";
    return values(program("%x: tensor<6xf32>, %k: tensor<f32>", out,
                          "%r = \"stablehlo.reduce_window\"(%x, %k) ({\n^bb0(%a: tensor<f32>, %b: "
                          "tensor<f32>):\n" +
                              ops + "\nstablehlo.return %s : tensor<f32>\n}) {" + more +
                              "window_dimensions = array<i64: 3>, padding = dense<[[2, 1]]> : "
                              "tensor<1x2xi64>} : (tensor<6xf32>, tensor<f32>) -> " +
                              out),
                  {arange(1., 7.), Array(10.f)});
  };
  const std::string sum = "%s = stablehlo.add %a, %b : tensor<f32>",
                    parts =
                        "%p = stablehlo.maximum %a, %b : tensor<f32>\n%q = stablehlo.minimum "
                        "%a, %b : tensor<f32>\n%s = stablehlo.add %p, %q : tensor<f32>";
  for (const std::string& ops : {sum, parts}) {
    CHECK(windows(ops, "", 7) == Floats{11, 13, 16, 19, 22, 25, 21});
    CHECK(windows(ops, "base_dilations = array<i64: 2>, ", 12) ==
          Floats{11, 11, 13, 12, 15, 13, 17, 14, 19, 15, 21, 16});
    CHECK(windows(ops, "window_dilations = array<i64: 2>, ", 5) == Floats{14, 16, 19, 22, 18});
  }
  CHECK(windows("%s = stablehlo.multiply %a, %b : tensor<f32>", "", 7) ==
        Floats{10, 20, 60, 240, 600, 1200, 300});
  CHECK(windows("%s = stablehlo.maximum %a, %b : tensor<f32>", "", 7) == Floats(7, 10));
  CHECK(windows("%s = stablehlo.minimum %a, %b : tensor<f32>", "", 7) ==
        Floats{1, 1, 1, 2, 3, 4, 5});
}

TEST_CASE("bodies of bodies are read up to a depth", "[interop][stablehlo]") {
  // Each body folds an array and uses the previous body for that.
  std::string body = larger;
  std::string text;
  for (int depth = 0; depth < 5; ++depth) {
    std::string inner = body;
    for (size_t at = 0; (at = inner.find('%', at)) != std::string::npos; ++at)
      inner.insert(at + 1, "i");
    body =
        "%p = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> tensor<2xf32>\n%s = "
        "\"stablehlo.reduce\"(%p, %b) ({\n^bb0(%ia: tensor<f32>, %ib: tensor<f32>):\n" +
        inner +
        "\nstablehlo.return %is : tensor<f32>\n}) {dimensions = array<i64: 0>} : "
        "(tensor<2xf32>, tensor<f32>) -> tensor<f32>";
    text = reduction(body, "0xFF800000");
    INFO(depth);
    if (depth < 2) {
      CHECK(values(text, {array({{1.f, 5.f, 2.f}, {7.f, -1.f, 7.f}})}) == Floats{5, 7});
    } else {
      CHECK_THAT(error_of<FormatError>([&] { parse_stablehlo(text, "p.mlir"); }),
                 Catch::Contains("'stablehlo.reduce' stands in a body in 3 bodies of others"));
    }
  }
}

namespace {

// Sorts in descending order of the remainder of a division by 1000, together with the original
// positions.
std::string sort_of(int64_t rows, int64_t n, const std::string& comparator) {
  const std::string size = std::to_string(rows) + "x" + std::to_string(n);
  const std::string types = "(tensor<" + size + "xi32>, tensor<" + size + "xi32>)";
  return "func.func @main(%x: tensor<" + size + "xi32>, %y: tensor<" + size + "xi32>) -> " + types +
         " {\n%r:2 = \"stablehlo.sort\"(%x, %y) ({\n^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: "
         "tensor<i32>, %d: tensor<i32>):\n%t = stablehlo.constant dense<1000> : tensor<i32>\n%p = "
         "stablehlo.remainder %a, %t : tensor<i32>\n%q = stablehlo.remainder %b, %t : "
         "tensor<i32>\n%o = stablehlo.compare " +
         comparator +
         ", %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>\nstablehlo.return %o : "
         "tensor<i1>\n}) {dimension = 1 : i64, is_stable = true} : " +
         types + " -> " + types + "\nreturn %r#0, %r#1 : tensor<" + size + "xi32>, tensor<" + size +
         "xi32>\n}\n";
}

}  // namespace

// In rows of 3000 elements all pairs are compared. Rows of 5000 use a sorting network.
TEST_CASE("long rows are sorted by any comparator", "[interop][stablehlo]") {
  for (const int64_t n : {3000, 5000}) {
    const Array y = lax::broadcasted_iota(I32, {2, n}, 1);
    const Array x = lax::rem(y * 7919 + lax::broadcasted_iota(I32, {2, n}, 0) * 31, 99991);
    const std::vector<int> numbers = x.to_vector<int>();
    // A comparator that is true for equal elements in both orders counts as false for them.
    for (const char* how : {"GT", "GE"}) {
      INFO(n << ", " << how);
      const Arrays got = run(sort_of(2, n, how), {x, y});
      std::vector<int> want;
      for (int64_t row = 0; row < 2; ++row) {
        std::vector<int> order(static_cast<size_t>(n));
        std::iota(order.begin(), order.end(), 0);
        const auto key = [&](int i) { return numbers[static_cast<size_t>(row * n + i)] % 1000; };
        std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return key(a) > key(b); });
        want.insert(want.end(), order.begin(), order.end());
      }
      CHECK(got[1].to_vector<int>() == want);
      CHECK(array_equal(got[0], take_along_axis(x, got[1], 1)).item<bool>());
    }
  }
}
