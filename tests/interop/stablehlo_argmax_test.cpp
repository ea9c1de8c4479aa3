// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/interop/stablehlo_argmax_test.cpp: reductions of pairs whose bodies choose the first of the
// largest or smallest elements become argmax and argmin. Other bodies do not.
#include <catch2/catch.hpp>
#include <limits>

#include "interop/run_stablehlo.h"
#include "support/check.h"
#include "weft/stablehlo.h"

using namespace weft;
using namespace weft::test;

namespace {

// The operands of a reduction, and the choice that its body makes.
struct Case {
  std::string type = "f32", worst = "0xFF800000", better = "GT";
  std::string nans = "%a, %a";  // compared by NE: pairs whose left value is NaN stay
  std::string earlier = "LT";
  std::string first = "0";
  std::string places = "%i = stablehlo.iota dim = 1 : tensor<3x70xi32>";
};

// jnp.argmax of rows, as JAX writes it.
std::string text_of(const Case& c) {
  const std::string pairs = " : (tensor<T>, tensor<T>) -> tensor<i1>\n";
  std::string s = "func.func @main(%x: tensor<3x70xT>) -> (tensor<3xT>, tensor<3xi32>) {\n" +
                  c.places + R"(
%w = stablehlo.constant dense<)" +
                  c.worst + R"(> : tensor<T>
%z = stablehlo.constant dense<)" +
                  c.first + R"(> : tensor<i32>
%r:2 = stablehlo.reduce(%x init: %w), (%i init: %z) across dimensions = [1] : (tensor<3x70xT>, tensor<3x70xi32>, tensor<T>, tensor<i32>) -> (tensor<3xT>, tensor<3xi32>)
 reducer(%a: tensor<T>, %b: tensor<T>) (%p: tensor<i32>, %q: tensor<i32>) {
  %2 = stablehlo.compare )" +
                  c.better + ", %a, %b" + pairs + "  %3 = stablehlo.compare NE, " + c.nans + pairs +
                  R"(  %4 = stablehlo.or %2, %3 : tensor<i1>
  %5 = stablehlo.compare EQ, %a, %b)" +
                  pairs + "  %6 = stablehlo.compare " + c.earlier +
                  R"(, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %7 = stablehlo.and %5, %6 : tensor<i1>
  %8 = stablehlo.or %4, %7 : tensor<i1>
  %9 = stablehlo.select %4, %a, %b : tensor<i1>, tensor<T>
  %10 = stablehlo.select %8, %p, %q : tensor<i1>, tensor<i32>
  stablehlo.return %9, %10 : tensor<T>, tensor<i32>
}
return %r#0, %r#1 : tensor<3xT>, tensor<3xi32>
}
)";
  for (size_t at = 0; (at = s.find("T>", at)) != std::string::npos;)
    if (s[at - 1] == '<' || s[at - 1] == 'x')
      s.replace(at, 1, c.type);
    else
      ++at;
  return s;
}
// Adds elements to rows of five, so that the axis is long.
Array padded(const Array& x, double value) {
  return concatenate({x, full_like(zeros({3, 65}, x.dtype()), value)}, 1);
}
bool has(const std::string& text, const std::string& op) {
  return to_string(parse_stablehlo(text, "p.mlir").jaxpr).find(" " + op + "[") != std::string::npos;
}
std::vector<int32_t> places(const Arrays& out) { return out[1].to_vector<int32_t>(); }

const float inf = std::numeric_limits<float>::infinity(), not_a_number = std::nanf("");

}  // namespace

TEST_CASE("reductions to the first largest element are argmax", "[interop][stablehlo]") {
  const Case largest, smallest = {.worst = "0x7F800000", .better = "LT"};
  const Array x = array({{1., 3., 3., 2., 0.},
                         {-inf, -inf, -inf, -inf, -inf},
                         {4., not_a_number, 9., not_a_number, inf}})
                      .astype(F32);
  CHECK(has(text_of(largest), "argmax"));
  const Arrays most = run(text_of(largest), {padded(x, -INFINITY)});
  CHECK(places(most) == std::vector<int32_t>{1, 0, 1});
  CHECK(floats(most[0])[0] == 3);
  CHECK(floats(most[0])[1] == -inf);
  CHECK(std::isnan(floats(most[0])[2]));
  CHECK(has(text_of(smallest), "argmin"));
  CHECK(places(run(text_of(smallest), {padded(x, INFINITY)})) == std::vector<int32_t>{4, 0, 1});

  // Another form: equal elements of the right are not preferred anyway.
  const Case not_less = {.better = "GE"};
  CHECK(has(text_of(not_less), "argmax"));
  CHECK(places(run(text_of(not_less), {padded(x, -INFINITY)})) == std::vector<int32_t>{1, 0, 1});

  const Case bools = {.type = "i1", .worst = "false"};
  CHECK(has(text_of(bools), "argmax"));
  const Array b = array({{0, 0, 1, 1, 0}, {0, 0, 0, 0, 0}, {1, 0, 0, 0, 1}}).astype(Bool);
  CHECK(places(run(text_of(bools), {padded(b, 0)})) == std::vector<int32_t>{2, 0, 0});
  const Case bytes = {.type = "ui8", .worst = "255", .better = "LT"};
  CHECK(has(text_of(bytes), "argmin"));
  const Array u =
      array({{255, 200, 3, 3, 7}, {255, 255, 255, 255, 255}, {9, 8, 7, 6, 5}}).astype(U8);
  CHECK(places(run(text_of(bytes), {padded(u, 255)})) == std::vector<int32_t>{2, 0, 4});
}

TEST_CASE("positions that are broadcast along other axes count", "[interop][stablehlo]") {
  const Case rows = {.places =
                         "%k = stablehlo.iota dim = 0 : tensor<70xi32>\n%i = "
                         "stablehlo.broadcast_in_dim %k, dims = [1] : (tensor<70xi32>) -> "
                         "tensor<3x70xi32>"};
  CHECK(has(text_of(rows), "argmax"));
  const Array x =
      array({{1., 3., 3., 2., 0.}, {5., 1., 1., 1., 1.}, {0., 0., 0., 0., 1.}}).astype(F32);
  CHECK(places(run(text_of(rows), {padded(x, -1)})) == std::vector<int32_t>{1, 0, 4});
  // These positions are those of the rows.
  const Case columns = {.places = "%i = stablehlo.iota dim = 0 : tensor<3x70xi32>"};
  CHECK_FALSE(has(text_of(columns), "argmax"));
  CHECK(places(run(text_of(columns), {padded(x, -1)})) == std::vector<int32_t>{0, 1, 2});
}

TEST_CASE("positions along short axes are found by steps", "[interop][stablehlo]") {
  std::string text = text_of({});
  for (size_t at = 0; (at = text.find("x70x", at)) != std::string::npos;)
    text.replace(at, 4, "x5x");
  CHECK_FALSE(has(text, "argmax"));
  const Array x = array({{1., 3., 3., 2., 0.}, {5., 1., 1., 1., 1.}, {0., 0., 0., 0., 1.}});
  CHECK(places(run(text, {x.astype(F32)})) == std::vector<int32_t>{1, 0, 4});
}

TEST_CASE("bodies that choose other elements are executed", "[interop][stablehlo]") {
  const Array x =
      array({{1., 3., 3., 2., 0.}, {5., 1., 5., 1., 1.}, {2., 2., 2., 2., 2.}}).astype(F32);
  const auto runs = [&](const Case& c, const std::vector<int32_t>& want) {
    CHECK_FALSE(has(text_of(c), "argmax"));
    CHECK_FALSE(has(text_of(c), "argmin"));
    CHECK(places(run(text_of(c), {padded(x, -1)})) == want);
  };
  runs({.earlier = "GT"}, {2, 2, 4});   // the last one of those that are equal
  runs({.nans = "%b, %b"}, {1, 0, 0});  // values win over NaNs on their right
  runs({.worst = "3.0"}, {0, 0, 0});    // nothing below 3 is found
  runs({.first = "-1"}, {1, 0, 0});     // a row of -inf has no position
}

TEST_CASE("argmax of masks in a mapped loop compiles", "[stablehlo]") {
  // LLVM 19 did not finish with the comparisons of the body, whose masks are arrays of a lane.
  const ClosedJaxpr p = parse_stablehlo(R"(
func.func @main(%x: tensor<32xf32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %off = stablehlo.constant dense<false> : tensor<i1>
  %0:3 = stablehlo.while(%k = %zero, %y = %x, %sum = %zero) : tensor<i32>, tensor<32xf32>, tensor<i32>
  cond {
    %n = stablehlo.constant dense<3> : tensor<i32>
    %1 = stablehlo.compare LT, %k, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %half = stablehlo.constant dense<5.0e-01> : tensor<32xf32>
    %m = stablehlo.compare GT, %y, %half, FLOAT : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xi1>
    %i = stablehlo.iota dim = 0 : tensor<32xi32>
    %r:2 = stablehlo.reduce(%m init: %off), (%i init: %zero) across dimensions = [0] : (tensor<32xi1>, tensor<32xi32>, tensor<i1>, tensor<i32>) -> (tensor<i1>, tensor<i32>)
     reducer(%a: tensor<i1>, %b: tensor<i1>) (%p: tensor<i32>, %q: tensor<i32>) {
      %2 = stablehlo.compare GT, %a, %b, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %3 = stablehlo.compare NE, %a, %a, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %a, %b, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %6 = stablehlo.compare LT, %p, %q, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %a, %b : tensor<i1>, tensor<i1>
      %10 = stablehlo.select %8, %p, %q : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<i1>, tensor<i32>
    }
    %at = stablehlo.reshape %r#1 : (tensor<i32>) -> tensor<1xi32>
    %less = stablehlo.constant dense<-1.0> : tensor<f32>
    %new = "stablehlo.scatter"(%y, %at, %less) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%u: tensor<f32>, %v: tensor<f32>):
      %s = stablehlo.add %u, %v : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<32xf32>, tensor<1xi32>, tensor<f32>) -> tensor<32xf32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %k, %one : tensor<i32>
    %total = stablehlo.add %sum, %r#1 : tensor<i32>
    stablehlo.return %next, %new, %total : tensor<i32>, tensor<32xf32>, tensor<i32>
  }
  return %0#2 : tensor<i32>
}
)",
                                        "p.mlir");
  std::vector<float> x(64 * 32);
  std::vector<int32_t> want;
  for (int lane = 0; lane < 64; ++lane) {
    int32_t found = 0, sum = 0;
    for (int k = 0; k < 32; ++k) {
      x[static_cast<size_t>(32 * lane + k)] = (7 * lane + 11 * k) % 13 > 8 ? .75F : .25F;
      if ((7 * lane + 11 * k) % 13 > 8 && found++ < 3) sum += k;
    }
    want.push_back(sum);
  }
  const auto f = vmap([p](Array a) { return eval_jaxpr(p, {a})[0]; });
  CHECK(jit(f)(array(x, {64, 32})).to_vector<int32_t>() == want);
}
