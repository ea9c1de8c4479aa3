// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/interop/stablehlo_scalars_test.cpp: ops on arrays without axes, in the text that JAX writes
// for them.
#include <catch2/catch.hpp>

#include "interop/run_stablehlo.h"
#include "support/check.h"
#include "weft/stablehlo.h"

using namespace weft;
using namespace weft::test;

namespace {

// Runs lines that compute %r : tensor<f32> from %x = 3 and %y = 4 : tensor<f32>.
float of(const std::string& lines) {
  const std::string text = "func.func @main(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {\n" +
                           lines + "\nreturn %r : tensor<f32>\n}\n";
  CAPTURE(text);
  return run(text, {Array(3.f), Array(4.f)})[0].item<float>();
}
const std::string unary = " : (tensor<f32>) -> tensor<f32>",
                  binary = " : (tensor<f32>, tensor<f32>) -> tensor<f32>",
                  body = "({\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\n", end = "})",
                  of_sum =
                      "%s = stablehlo.add %a, %b : tensor<f32>\n"
                      "stablehlo.return %s : tensor<f32>\n",
                  general =
                      "%q = stablehlo.multiply %b, %b : tensor<f32>\n"
                      "%s = stablehlo.add %a, %q : tensor<f32>\n"
                      "stablehlo.return %s : tensor<f32>\n",
                  of_greater =
                      "%s = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) "
                      "-> tensor<i1>\nstablehlo.return %s : tensor<i1>\n",
                  no_axes = "window_dimensions = array<i64>, window_strides = array<i64>, ",
                  no_index = "%i = stablehlo.constant dense<> : tensor<0xi32>\n";

}  // namespace

TEST_CASE("slices of scalars", "[interop][stablehlo]") {
  CHECK(of("%r = stablehlo.dynamic_slice %x, , sizes = []" + unary) == 3);
  CHECK(of("%r = \"stablehlo.dynamic_slice\"(%x) <{slice_sizes = array<i64>}>" + unary) == 3);
  CHECK(of("%r = stablehlo.dynamic_slice %x, sizes = []" + unary) == 3);
  CHECK(of("%r = stablehlo.dynamic_update_slice %x, %y" + binary) == 4);
  CHECK(of("%r = stablehlo.slice %x []" + unary) == 3);
  CHECK(of("%i = stablehlo.constant dense<> : tensor<0xi32>\n"
           "%r = stablehlo.real_dynamic_slice %x, %i, %i, %i : (tensor<f32>, tensor<0xi32>, "
           "tensor<0xi32>, tensor<0xi32>) -> tensor<f32>") == 3);
  const std::string two_commas =
      "func.func @main(%x: tensor<2xf32>, %i: tensor<i32>) -> tensor<2xf32> {\n"
      "%r = stablehlo.dynamic_slice %x, %i, , sizes = [2] : (tensor<2xf32>, tensor<i32>) -> "
      "tensor<2xf32>\nreturn %r : tensor<2xf32>\n}\n";
  CHECK_THAT(error_of<ParseError>([&] { parse_stablehlo(two_commas, "p.mlir"); }),
             Catch::Contains("line 2"));
}

TEST_CASE("scalars that are moved", "[interop][stablehlo]") {
  CHECK(of("%r = stablehlo.transpose %x, dims = []" + unary) == 3);
  CHECK(of("%r = stablehlo.reverse %x, dims = [] : tensor<f32>") == 3);
  CHECK(of("%r = stablehlo.broadcast_in_dim %x, dims = []" + unary) == 3);
  CHECK(of("%r = stablehlo.broadcast %x, sizes = []" + unary) == 3);
  CHECK(of("%r = stablehlo.reshape %x" + unary) == 3);
  CHECK(of("%r = stablehlo.pad %x, %y, low = [], high = [], interior = []" + binary) == 3);
  CHECK(of(no_index + "%r = stablehlo.dynamic_pad %x, %y, %i, %i, %i : (tensor<f32>, tensor<f32>, "
                      "tensor<0xi32>, tensor<0xi32>, tensor<0xi32>) -> tensor<f32>") == 3);
  CHECK(of(no_index + "%r = stablehlo.dynamic_reshape %x, %i : (tensor<f32>, tensor<0xi32>) -> "
                      "tensor<f32>") == 3);
  CHECK(of(no_index + "%r = stablehlo.dynamic_broadcast_in_dim %x, %i, dims = [] : (tensor<f32>, "
                      "tensor<0xi32>) -> tensor<f32>") == 3);
}

TEST_CASE("scalars read and written at no index", "[interop][stablehlo]") {
  CHECK(of(no_index +
           "%r = \"stablehlo.gather\"(%x, %i) <{dimension_numbers = #stablehlo.gather<>, "
           "indices_are_sorted = false, slice_sizes = array<i64>}> : (tensor<f32>, "
           "tensor<0xi32>) -> tensor<f32>") == 3);
  CHECK(of(no_index + "%z = stablehlo.constant dense<> : tensor<0xi64>\n"
                      "%r = \"stablehlo.dynamic_gather\"(%x, %i, %z) <{dimension_numbers = "
                      "#stablehlo.gather<>, indices_are_sorted = false}> : (tensor<f32>, "
                      "tensor<0xi32>, tensor<0xi64>) -> tensor<f32>") == 3);
  const auto scatter = [](const std::string& how) {
    return no_index +
           "%r = \"stablehlo.scatter\"(%x, %i, %y) <{indices_are_sorted = false, "
           "scatter_dimension_numbers = #stablehlo.scatter<>, unique_indices = false}> " +
           body + how + end + " : (tensor<f32>, tensor<0xi32>, tensor<f32>) -> tensor<f32>";
  };
  CHECK(of(scatter(of_sum)) == 7);
  CHECK(of(scatter(general)) == 19);
  CHECK(of(scatter("stablehlo.return %b : tensor<f32>\n")) == 4);
  const std::string rows =
      "func.func @main(%x: tensor<f32>, %i: tensor<3x0xi32>) -> tensor<3xf32> "
      "{\n%r = \"stablehlo.gather\"(%x, %i) <{dimension_numbers = "
      "#stablehlo.gather<index_vector_dim = 1>, indices_are_sorted = false, "
      "slice_sizes = array<i64>}> : (tensor<f32>, tensor<3x0xi32>) -> "
      "tensor<3xf32>\nreturn %r : tensor<3xf32>\n}\n";
  CHECK(floats(run(rows, {Array(3.f), zeros({3, 0}, I32)})[0]) == Floats{3, 3, 3});
}

// init is used once. XLA leaves it out if there are no axes.
TEST_CASE("folds of scalars", "[interop][stablehlo]") {
  CHECK(of("%r = stablehlo.reduce(%x init: %y) applies stablehlo.add across dimensions = []" +
           binary) == 7);
  CHECK(of("%r = \"stablehlo.reduce\"(%x, %y) <{dimensions = array<i64>}> " + body + general + end +
           binary) == 13);
  const auto windows = [](const std::string& how) {
    return "%r = \"stablehlo.reduce_window\"(%x, %y) <{base_dilations = array<i64>, padding = "
           "dense<> : tensor<0x2xi64>, window_dilations = array<i64>, " +
           no_axes.substr(0, no_axes.size() - 2) + "}> " + body + how + end + binary;
  };
  CHECK(of(windows(of_sum)) == 7);
  CHECK(of(windows(general)) == 13);
  CHECK(of("%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
           "%r = \"stablehlo.select_and_scatter\"(%x, %y, %z) <{" +
           no_axes + "padding = dense<> : tensor<0x2xi64>}> " + body + of_greater + "}, {\n" +
           "^bb0(%a: tensor<f32>, %b: tensor<f32>):\n" + of_sum + end +
           " : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>") == 4);
}

TEST_CASE("products and numbers of scalars", "[interop][stablehlo]") {
  CHECK(of("%r = stablehlo.dot_general %x, %y, contracting_dims = [] x []" + binary) == 12);
  CHECK(of("%r = stablehlo.dot_general %x, %y, contracting_dims = [] x [], precision = [DEFAULT, "
           "DEFAULT]" +
           binary) == 12);
  CHECK(of("%r = stablehlo.clamp %x, %y, %x : tensor<f32>") == 3);
  CHECK(of("%r = stablehlo.reduce_precision %x, format = e5m10 : tensor<f32>") == 3);
  CHECK(of("%h = stablehlo.bitcast_convert %x : (tensor<f32>) -> tensor<2xi16>\n"
           "%r = stablehlo.bitcast_convert %h : (tensor<2xi16>) -> tensor<f32>") == 3);
  CHECK(of("%r = \"stablehlo.map\"(%x, %y) <{dimensions = array<i64>}> " + body + of_sum + end +
           binary) == 7);
  const std::string convolution =
      "func.func @main(%x: tensor<2x3xf32>, %y: tensor<4x3xf32>) -> tensor<2x4xf32> {\n"
      "%r = stablehlo.convolution(%x, %y) dim_numbers = [b, f]x[o, i]->[b, f], window = {stride = "
      "[], pad = [], lhs_dilate = [], rhs_dilate = [], reverse = []} {batch_group_count = 1 : i64, "
      "feature_group_count = 1 : i64} : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>\n"
      "return %r : tensor<2x4xf32>\n}\n";
  CHECK(floats(run(convolution, {ones({2, 3}), ones({4, 3})})[0]) == Floats(8, 3));
}
