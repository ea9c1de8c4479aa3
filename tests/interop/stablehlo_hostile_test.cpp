// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/interop/stablehlo_hostile_test.cpp: broken StableHLO texts that once led to reads outside
// of arrays, endless recursion, or text that printed as something else. ./dev fuzz and reviews of
// its findings produced them.
#include <catch2/catch.hpp>
#include <chrono>

#include "interop/stablehlo/read/syntax.h"
#include "support/check.h"
#include "weft/stablehlo.h"

using namespace weft;
using namespace weft::test;

namespace {

std::vector<hlo::Program> parsed(const std::string& text) {
  return hlo::parse(std::make_shared<hlo::SourceText>(hlo::SourceText{"test.mlir", text}));
}
std::string printed(const std::vector<hlo::Program>& parts) {
  std::string text;
  for (const hlo::Program& p : parts) text += to_string(p);
  return text;
}
// Returns "same" if the text parses, prints, and parses to the same program. Otherwise returns the
// error, or the difference.
std::string round_trip(const std::string& text) {
  std::vector<hlo::Program> first;
  try {
    first = parsed(text);
  } catch (const ParseError& e) {
    return e.what();
  }
  const auto again = parsed(printed(first));
  return again.size() == 1 && first.size() == 1 && same(first[0], again[0]) ? "same"
                                                                            : printed(first);
}
std::string refusal(const std::string& text) {
  return error_of<FormatError>([&] { parse_stablehlo(text, "p.mlir"); });
}
std::string in_main(const std::string& in, const std::string& out, const std::string& lines) {
  return "func.func @main(" + in + ") -> (" + out + ") {\n" + lines + "\n}\n";
}

}  // namespace

TEST_CASE("a return ends its block", "[interop][stablehlo]") {
  // The first return once determined the values of the body, and the last one their number.
  const std::string loop =
      in_main("%a: tensor<i32>, %b: tensor<i32>", "tensor<i32>",
              "%r:2 = stablehlo.while(%i = %a, %j = %b) : tensor<i32>, tensor<i32> cond {\n"
              "%t = stablehlo.compare LT, %i, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
              "stablehlo.return %t : tensor<i1>\n} do {\n"
              "stablehlo.return %i : tensor<i32>\n"
              "stablehlo.return %i, %j : tensor<i32>, tensor<i32>\n}\nreturn %r#0 : tensor<i32>");
  CHECK_THAT(refusal(loop), Catch::Contains("line 6") && Catch::Contains("last op of its block"));
}

TEST_CASE("tuples in tuples need no stack", "[interop][stablehlo]") {
  // The types are wrong on purpose, so that they do not show the nesting.
  const std::string type = "tuple<tensor<f32>>";
  std::string lines = "%t0 = stablehlo.tuple %x : " + type + "\n";
  constexpr int deep = 30000;
  for (int i = 1; i < deep; ++i)
    lines += "%t" + std::to_string(i) + " = stablehlo.tuple %t" + std::to_string(i - 1) + " : " +
             type + "\n";
  lines += "%g" + std::to_string(deep) + " = stablehlo.tuple %t" + std::to_string(deep - 1) +
           " : " + type + "\n";
  for (int i = deep; i > 0; --i)
    lines += "%g" + std::to_string(i - 1) + " = stablehlo.get_tuple_element %g" +
             std::to_string(i) + "[0] : (" + type + ") -> " + type + "\n";
  const std::string end = "%y = stablehlo.get_tuple_element %g0[0] : (" + type +
                          ") -> tensor<f32>\nreturn %y : tensor<f32>";
  CHECK(parse_stablehlo(in_main("%x: tensor<f32>", "tensor<f32>", lines + end)).jaxpr->n_in == 1);
}

TEST_CASE("a condition that returns nothing is refused", "[interop][stablehlo]") {
  const std::string loop =
      in_main("%b: tensor<i32>", "tensor<i32>",
              "%c0 = stablehlo.constant dense<0> : tensor<i32>\n"
              "%c1 = stablehlo.constant dense<1> : tensor<i32>\n"
              "%c9 = stablehlo.constant dense<9> : tensor<i32>\n"
              "%r = stablehlo.while(%i = %c0) : tensor<i32> cond {\n"
              "%t = stablehlo.compare LT, %i, %c9 : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
              "%n = stablehlo.not %t : tensor<i1>\n} do {\n"
              "%j = stablehlo.add %i, %c1 : tensor<i32>\n"
              "stablehlo.return %j : tensor<i32>\n}\nreturn %r : tensor<i32>");
  CHECK_THAT(refusal(loop), Catch::Contains("without a return"));
}

TEST_CASE("bodies return the required number of values", "[interop][stablehlo]") {
  const std::string sort =
      in_main("%x: tensor<4xf32>", "tensor<4xf32>",
              "%0 = \"stablehlo.sort\"(%x) ({\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
              "stablehlo.return\n}) {dimension = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>\n"
              "return %0 : tensor<4xf32>");
  CHECK_THAT(refusal(sort), Catch::Contains("0 values, not 1"));
  const auto body = [](const std::string& op, const std::string& result, const std::string& attr) {
    return in_main(
        "%x: tensor<4xf32>, %i: tensor<f32>", result,
        "%0:2 = \"stablehlo." + op +
            "\"(%x, %x, %i, %i) ({\n"
            "^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):\n"
            "%s = stablehlo.add %a, %b : tensor<f32>\nstablehlo.return %s : tensor<f32>\n}) {" +
            attr + "} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>) -> (" + result +
            ", " + result + ")\nreturn %0#0 : " + result);
  };
  CHECK_THAT(refusal(body("reduce", "tensor<f32>", "dimensions = array<i64: 0>")),
             Catch::Contains("1 values, not 2"));
  CHECK_THAT(refusal(body("reduce_window", "tensor<3xf32>", "window_dimensions = array<i64: 2>")),
             Catch::Contains("1 values, not 2"));
}

TEST_CASE("bodies accept their operands", "[interop][stablehlo]") {
  const std::string text = in_main(
      "%x: tensor<4xf32>", "tensor<4xf32>",
      "%0 = \"stablehlo.map\"(%x) ({\n^bb0(%a: tensor<i32>):\n"
      "%s = stablehlo.constant dense<1.0> : tensor<f32>\nstablehlo.return %s : tensor<f32>\n"
      "}) {dimensions = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>\n"
      "return %0 : tensor<4xf32>");
  CHECK_THAT(refusal(text), Catch::Contains("takes a tensor<i32>"));
}

TEST_CASE("axes are reduced once", "[interop][stablehlo]") {
  const std::string text =
      in_main("%x: tensor<1099511627776xf32>, %i: tensor<f32>", "tensor<f32>",
              "%0 = stablehlo.reduce(%x init: %i) across dimensions = [0, 0] : "
              "(tensor<1099511627776xf32>, tensor<f32>) -> tensor<f32>\n"
              " reducer(%a: tensor<f32>, %b: tensor<f32>) {\n"
              "%s = stablehlo.divide %a, %b : tensor<f32>\nstablehlo.return %s : tensor<f32>\n}\n"
              "return %0 : tensor<f32>");
  CHECK_THAT(refusal(text), Catch::Contains("dimensions are there twice"));
}

TEST_CASE("ops of one kind of numbers refuse the others", "[interop][stablehlo]") {
  CHECK_THAT(refusal(in_main("%x: tensor<i32>", "tensor<i1>",
                             "%0 = chlo.is_inf %x : tensor<i32> -> tensor<i1>\n"
                             "return %0 : tensor<i1>")),
             Catch::Contains("only floating-point numbers"));
  CHECK_THAT(refusal(in_main("%x: tensor<f32>", "tensor<f32>",
                             "%0 = chlo.mulhi %x, %x : tensor<f32>, tensor<f32> -> tensor<f32>\n"
                             "return %0 : tensor<f32>")),
             Catch::Contains("takes integer operands"));
}

TEST_CASE("padding is not negated", "[interop][stablehlo]") {
  const std::string text = in_main(
      "%x: tensor<4xf32>, %i: tensor<f32>", "tensor<3xf32>",
      "%0 = \"stablehlo.reduce_window\"(%x, %i) ({\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
      "%s = stablehlo.add %a, %b : tensor<f32>\nstablehlo.return %s : tensor<f32>\n}) "
      "{window_dimensions = array<i64: 2>, padding = dense<[[-9223372036854775808, 0]]> : "
      "tensor<1x2xi64>} : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>\n"
      "return %0 : tensor<3xf32>");
  CHECK_THAT(refusal(text), Catch::Contains("is too big"));
}

TEST_CASE("calls and regions nest within one limit", "[interop][stablehlo]") {
  // Each function alone nests as deep as the parser allows.
  constexpr int functions = 150, depth = 150;
  std::string text;
  for (int f = 0; f < functions; ++f) {
    const std::string name = f == 0 ? "main" : "f" + std::to_string(f);
    text += "func.func @" + name + "(%p: tensor<i32>) -> tensor<f32> {\n";
    for (int d = 0; d < depth; ++d)
      text += "%r" + std::to_string(d) + " = \"stablehlo.case\"(%p) ({\n";
    text += f + 1 == functions ? "%v = stablehlo.constant dense<1.0> : tensor<f32>\n"
                               : "%v = func.call @f" + std::to_string(f + 1) +
                                     "(%p) : (tensor<i32>) -> tensor<f32>\n";
    text += "stablehlo.return %v : tensor<f32>\n";
    for (int d = depth; d-- > 0;) {
      const std::string r = std::to_string(d);
      text += "}) : (tensor<i32>) -> tensor<f32>\n" +
              std::string(d == 0 ? "return %r" : "stablehlo.return %r") + r + " : tensor<f32>\n";
    }
    text += "}\n";
  }
  CHECK_THAT(refusal(text), Catch::Contains("nested more than 200 deep"));
}

TEST_CASE("a comparator of many selects is parsed quickly", "[interop][stablehlo]") {
  std::string body = "%nan = stablehlo.constant dense<0x7FC00000> : tensor<f32>\n";
  std::string left = "a", right = "b";
  for (int i = 0; i < 16; ++i)
    for (std::string* v : {&left, &right}) {
      const std::string n = v->substr(0, 1) + std::to_string(i);
      body += "%t" + n + " = stablehlo.compare NE, %" + *v + ", %" + *v +
              " : (tensor<f32>, tensor<f32>) -> tensor<i1>\n%" + n + " = stablehlo.select %t" + n +
              ", %nan, %" + *v + " : tensor<i1>, tensor<f32>\n";
      *v = n;
    }
  const std::string text =
      in_main("%x: tensor<4xf32>", "tensor<4xf32>",
              "%0 = \"stablehlo.sort\"(%x) ({\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\n" + body +
                  "%r = stablehlo.compare LT, %" + left + ", %" + right +
                  " : (tensor<f32>, tensor<f32>) -> tensor<i1>\nstablehlo.return %r : tensor<i1>\n"
                  "}) {dimension = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>\n"
                  "return %0 : tensor<4xf32>");
  const auto start = std::chrono::steady_clock::now();
  CHECK_NOTHROW(parse_stablehlo(text, "p.mlir"));
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
}

TEST_CASE("accepted texts print as themselves", "[interop][stablehlo]") {
  const auto attr = [](const std::string& value) {
    return round_trip("\"a.b\"() {x = " + value + "} : () -> ()");
  };
  CHECK(attr("array<f32: 1.5, 2.0>") == "same");
  CHECK(attr("array<i1: true, false>") == "same");
  CHECK(attr("array<i64: 1, -2>") == "same");
  CHECK_THAT(attr("array<f32: 1.5, true>"), Catch::Contains("expected a number"));
  CHECK_THAT(attr("array<f32: 1.5 : f32>"), Catch::Contains("expected"));
  CHECK_THAT(attr("array<i1: true, 5>"), Catch::Contains("expected true or false"));
  CHECK_THAT(attr("-99999999999999999999"), Catch::Contains("more than 64 bits"));
  // A single slash does not start a comment.
  CHECK_THAT(round_trip("%0 = stablehlo.constant dense<1/2>\n> : tensor<f5E2M2FN>\n"),
             Catch::Contains("expected"));
  CHECK_THAT(round_trip("%0 = stablehlo.constant {value = 1} dense<1> : tensor<i32>"),
             Catch::Contains("'value' is given twice"));
  CHECK(round_trip("func.func @f() {\n^bb0:\n  return\n}") == "same");
  CHECK_THAT(round_trip("func.func @f() {\n^bb0:\n  return\n^:\n  return\n}"),
             Catch::Contains("expected a name"));
  CHECK_THAT(round_trip("% = stablehlo.constant dense<1> : tensor<i32>"),
             Catch::Contains("expected a name"));
}

TEST_CASE("fields of ops that are out of range are refused", "[interop][stablehlo]") {
  const auto line = [](const std::string& op) {
    return round_trip("func.func @f(%a: tensor<2xf32>) {\n  " + op + "\n  return\n}");
  };
  CHECK_THAT(line("check.expect_close %a, %a, max_ulp_difference = 99999999999999999999 : "
                  "tensor<2xf32>, tensor<2xf32>"),
             Catch::Contains("expected an unsigned integer"));
  CHECK_THAT(line("%0 = stablehlo.reduce_precision %a, format = e99999999999m3 : tensor<2xf32>"),
             Catch::Contains("expected a format"));
}

TEST_CASE("aliases of types stand for a bounded text", "[interop][stablehlo]") {
  std::string text = "!t0 = tuple<i1>\n", results = "!f = () -> (i1";
  for (int i = 1; i < 5000; ++i)
    text += "!t" + std::to_string(i) + " = complex<!t" + std::to_string(i - 1) + ">\n";
  CHECK_THAT(round_trip(text), Catch::Contains("types that are too long"));
  for (int i = 0; i < 2000; ++i) results += ", i1";
  results += ")\n";
  for (int i = 0; i < 3000; ++i) results += "\"a\"() : !f\n";
  CHECK_THAT(round_trip(results), Catch::Contains("more values"));
}
