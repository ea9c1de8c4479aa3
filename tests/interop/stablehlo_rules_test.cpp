// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/interop/stablehlo_rules_test.cpp: single rules of the translation: the programs that they
// make, the results, and the errors.
#include <catch2/catch.hpp>
#include <limits>

#include "interop/run_stablehlo.h"
#include "interop/stablehlo_tests.h"
#include "support/check.h"

using namespace weft;
using namespace weft::test;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();

// Returns a function "@main" with these arguments, results and lines.
std::string program(const std::string& in, const std::string& out, const std::string& lines,
                    const std::string& others = "") {
  return "func.func @main(" + in + ") -> (" + out + ") {\n" + lines + "\n}\n" + others;
}
template <class T = float>
std::vector<T> values(const std::string& text, const Arrays& x, size_t i = 0) {
  return run(text, x)[i].to_vector<T>();
}
// Returns the error without the place of the call at its end.
std::string refusal(const std::string& text) {
  const std::string s = error_of<FormatError>([&] { parse_stablehlo(text, "p.mlir"); });
  return s.substr(0, s.rfind("(at stablehlo_rules_test.cpp:") - 1);
}

// Doubles x in each trip.
std::string loop(const std::string& first, const std::string& test, const std::string& step,
                 const std::string& bound = "dense<5>") {
  return program(
      "%x: tensor<f32>, %n: tensor<i32>", "tensor<f32>, tensor<i32>",
      "%first = stablehlo.constant dense<" + first +
          "> : tensor<i32>\n"
          "%bound = stablehlo.constant " +
          bound +
          " : tensor<i32>\n"
          "%r:3 = stablehlo.while(%i = %first, %b = %bound, %v = %x) : tensor<i32>, "
          "tensor<i32>, tensor<f32>\n"
          " cond {\n  %five = stablehlo.constant dense<5> : tensor<i32>\n  %t = "
          "stablehlo.compare " +
          test +
          " : (tensor<i32>, tensor<i32>) -> tensor<i1>\n  "
          "stablehlo.return %t : tensor<i1>\n } do {\n  %one = stablehlo.constant dense<" +
          step +
          "> : tensor<i32>\n  %j = stablehlo.add %i, %one : tensor<i32>\n  %w = "
          "stablehlo.add %v, %v : tensor<f32>\n  stablehlo.return %j, %b, %w : tensor<i32>, "
          "tensor<i32>, tensor<f32>\n }\nreturn %r#2, %r#0 : tensor<f32>, tensor<i32>");
}

}  // namespace

TEST_CASE("loops that count become scan", "[interop][stablehlo]") {
  struct Loop {
    std::string text;
    bool counted;
    float result;
    int counter;
  };
  const Loop loops[] = {
      {loop("0", "LT, %i, %five", "1"), true, 32, 5},
      {loop("0", "GT, %five, %i, SIGNED", "1"), true, 32, 5},
      {loop("0", "LE, %i, %five", "1"), true, 64, 6},
      {loop("3", "LT, %i, %five", "1"), true, 4, 5},
      {loop("7", "LT, %i, %five", "1"), true, 1, 7},
      {loop("0", "LT, %i, %five", "2"), true, 8, 6},
      {loop("-3", "LT, %i, %b", "1"), true, 256, 5},
      {loop("0", "LT, %i, %bound", "1"), true, 32, 5},
      {loop("0", "NE, %i, %five", "1"), false, 32, 5},
      {loop("0", "LT, %i, %n", "1"), false, 16, 4},
  };
  for (const Loop& l : loops) {
    INFO(l.text);
    const std::string j = to_string(parse_stablehlo(l.text));
    CHECK((j.find("scan[") != std::string::npos) == l.counted);
    CHECK((j.find("while[") != std::string::npos) == !l.counted);
    const Arrays out = run(l.text, {array({1.})[0], Array(4).astype(I32)});
    CHECK(out[0].item<float>() == l.result);
    CHECK(out[1].item<int>() == l.counter);
    if (!l.counted) continue;
    const ClosedJaxpr p = parse_stablehlo(l.text);
    const auto f = [p](Array x) { return eval_jaxpr(p, {x, zeros({}, I32)})[0]; };
    CHECK(jit(grad(f))(array({3.})[0]).item<float>() == l.result);
  }
  // This counter wraps around before it reaches the bound.
  const std::string wraps = loop("0", "LE, %i, %b", "1", "dense<2147483647>");
  CHECK(to_string(parse_stablehlo(wraps)).find("while[") != std::string::npos);
}

TEST_CASE("a scan of JAX reads and writes its rows by the counter", "[interop][stablehlo]") {
  const std::string text =
      program("%x: tensor<4xf32>", "tensor<4xf32>",
              R"(%zero = stablehlo.constant dense<0> : tensor<i32>
%ys = stablehlo.constant dense<0.0> : tensor<4xf32>
%sum = stablehlo.constant dense<0.0> : tensor<f32>
%r:3 = stablehlo.while(%i = %zero, %s = %sum, %y = %ys) : tensor<i32>, tensor<f32>, tensor<4xf32>
 cond {
  %n = stablehlo.constant dense<4> : tensor<i32>
  %t = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.return %t : tensor<i1>
 } do {
  %row = func.call @row(%x, %i) : (tensor<4xf32>, tensor<i32>) -> tensor<f32>
  %q = stablehlo.multiply %row, %row : tensor<f32>
  %t = stablehlo.add %s, %q : tensor<f32>
  %u = stablehlo.reshape %t : (tensor<f32>) -> tensor<1xf32>
  %z = stablehlo.dynamic_update_slice %y, %u, %i : (tensor<4xf32>, tensor<1xf32>, tensor<i32>) -> tensor<4xf32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %j = stablehlo.add %one, %i : tensor<i32>
  stablehlo.return %j, %t, %z : tensor<i32>, tensor<f32>, tensor<4xf32>
 }
return %r#2 : tensor<4xf32>)",
              R"(func.func private @row(%x: tensor<4xf32>, %i: tensor<i32>) -> tensor<f32> {
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [1] : (tensor<4xf32>, tensor<i32>) -> tensor<1xf32>
  %1 = stablehlo.reshape %0 : (tensor<1xf32>) -> tensor<f32>
  return %1 : tensor<f32>
})");
  const Array x = array({1., 2., 3., 4.});
  CHECK(values(text, {x}) == Floats{1, 5, 14, 30});
  const ClosedJaxpr p = parse_stablehlo(text);
  const auto f = [p](Array v) { return eval_jaxpr(p, {v})[0].sum(); };
  CHECK(floats(jit(grad(f))(x)) == Floats{8, 12, 12, 8});
  CHECK(floats(jit(vmap(grad(f)))(x.reshape({1, 4}))) == Floats{8, 12, 12, 8});
}

TEST_CASE("an index out of range selects the last branch", "[interop][stablehlo]") {
  const std::string text = program("%i: tensor<i32>, %x: tensor<f32>", "tensor<f32>",
                                   R"(%r = "stablehlo.case"(%i) ({
 %a = stablehlo.negate %x : tensor<f32>
 stablehlo.return %a : tensor<f32>
}, {
 stablehlo.return %x : tensor<f32>
}) : (tensor<i32>) -> tensor<f32>
return %r : tensor<f32>)");
  const Array x = array({2.})[0];
  for (const auto& [index, want] : {std::pair{0, -2}, {1, 2}, {2, 2}, {-1, 2}, {-7, 2}})
    CHECK(run(text, {Array(index).astype(I32), x})[0].item<float>() == static_cast<float>(want));
  const std::string either = program("%p: tensor<i1>, %x: tensor<f32>", "tensor<f32>",
                                     R"(%r = "stablehlo.if"(%p) ({
 stablehlo.return %x : tensor<f32>
}, {
 %a = stablehlo.negate %x : tensor<f32>
 stablehlo.return %a : tensor<f32>
}) : (tensor<i1>) -> tensor<f32>
return %r : tensor<f32>)");
  CHECK(run(either, {array({true})[0], x})[0].item<float>() == 2);
  CHECK(run(either, {array({false})[0], x})[0].item<float>() == -2);
}

TEST_CASE("reductions by any body of elementwise ops", "[interop][stablehlo]") {
  const Array x = array({{1., 5., 2.}, {7., -1., 7.}});
  const std::string one =
      "%c = stablehlo.constant dense<10.0> : tensor<f32>\n%r = stablehlo.reduce(%x "
      "init: %c) applies stablehlo.";
  const std::string tail =
      " across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> "
      "tensor<2xf32>\nreturn %r : tensor<2xf32>";
  const auto reduced = [&](const std::string& op) {
    return values(program("%x: tensor<2x3xf32>", "tensor<2xf32>", one + op + tail), {x});
  };
  CHECK(reduced("add") == Floats{18, 23});
  CHECK(reduced("multiply") == Floats{100, -490});
  CHECK(reduced("maximum") == Floats{10, 10});
  CHECK(reduced("minimum") == Floats{1, -1});
  // Returns the first largest element and its index, by a body that contains calls.
  const std::string argmax =
      program("%x: tensor<2x3xf32>", "tensor<2xf32>, tensor<2xi32>",
              R"(%c = stablehlo.constant dense<0xFF800000> : tensor<f32>
%z = stablehlo.constant dense<0> : tensor<i32>
%i = stablehlo.iota dim = 1 : tensor<2x3xi32>
%r:2 = stablehlo.reduce(%x init: %c), (%i init: %z) across dimensions = [1] : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
 reducer(%a: tensor<f32>, %b: tensor<f32>) (%d: tensor<i32>, %e: tensor<i32>) {
  %g = func.call @first(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %v = stablehlo.select %g, %a, %b : tensor<i1>, tensor<f32>
  %p = stablehlo.select %g, %d, %e : tensor<i1>, tensor<i32>
  stablehlo.return %v, %p : tensor<f32>, tensor<i32>
 }
return %r#0, %r#1 : tensor<2xf32>, tensor<2xi32>)",
              R"(func.func private @first(%a: tensor<f32>, %b: tensor<f32>) -> tensor<i1> {
  %g = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %g : tensor<i1>
})");
  CHECK(values(argmax, {x}) == Floats{5, 7});
  CHECK(values<int>(argmax, {x}, 1) == std::vector<int>{1, 0});
}

TEST_CASE("windows", "[interop][stablehlo]") {
  const Array x = array({1., 2., 3., 4., 5., 6.});
  const auto window = [&](const std::string& fields, int n, const std::string& op = "add",
                          const std::string& init = "0.0") {
    const std::string t = "tensor<" + std::to_string(n) + "xf32>";
    const std::string text = program(
        "%x: tensor<6xf32>", t,
        "%c = stablehlo.constant dense<" + init +
            "> : tensor<f32>\n%r = "
            "\"stablehlo.reduce_window\"(%x, %c) ({\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\n "
            "%s = stablehlo." +
            op +
            " %a, %b : tensor<f32>\n stablehlo.return %s : "
            "tensor<f32>\n}) {" +
            fields + "} : (tensor<6xf32>, tensor<f32>) -> " + t + "\nreturn %r : " + t);
    return std::pair(values(text, {x}), to_string(parse_stablehlo(text)));
  };
  CHECK(window("window_dimensions = array<i64: 3>", 4).first == Floats{6, 9, 12, 15});
  CHECK(window("window_dimensions = array<i64: 3>, window_strides = array<i64: 2>", 2).first ==
        Floats{6, 12});
  CHECK(window("window_dimensions = array<i64: 2>, window_dilations = array<i64: 3>", 3).first ==
        Floats{5, 7, 9});
  CHECK(window("window_dimensions = array<i64: 2>, base_dilations = array<i64: 2>", 10).first ==
        Floats{1, 2, 2, 3, 3, 4, 4, 5, 5, 6});
  CHECK(window("window_dimensions = array<i64: 5>, padding = dense<[[1, 2]]> : tensor<1x2xi64>", 5,
               "maximum", "0xFF800000")
            .first == Floats{4, 5, 6, 6, 6});
  CHECK(window("window_dimensions = array<i64: 7>", 0).first.empty());
  CHECK(window("window_dimensions = array<i64: 2>", 5, "add", "10.0").first ==
        Floats{13, 15, 17, 19, 21});
  const auto [sums, running] =
      window("window_dimensions = array<i64: 6>, padding = dense<[[5, 0]]> : tensor<1x2xi64>", 6);
  CHECK(sums == Floats{1, 3, 6, 10, 15, 21});
  CHECK(running.find("cumsum") != std::string::npos);
  const auto [back, reversed] =
      window("window_dimensions = array<i64: 6>, padding = dense<[[0, 5]]> : tensor<1x2xi64>", 6);
  CHECK(back == Floats{21, 20, 18, 15, 11, 6});
  CHECK(reversed.find("cumsum") != std::string::npos);
}

TEST_CASE("sorts by what their comparators say", "[interop][stablehlo]") {
  const auto sorted = [&](const std::string& comparator, const Array& x, const Array& y) {
    const std::string text = program(
        "%x: tensor<5xf32>, %y: tensor<5xi32>", "tensor<5xf32>, tensor<5xi32>",
        "%r:2 = \"stablehlo.sort\"(%x, %y) ({\n^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: "
        "tensor<i32>, %d: tensor<i32>):\n" +
            comparator +
            "\n stablehlo.return %r : tensor<i1>\n}) {dimension = 0 : i64, is_stable = true} : "
            "(tensor<5xf32>, tensor<5xi32>) -> (tensor<5xf32>, tensor<5xi32>)\nreturn %r#0, "
            "%r#1 : tensor<5xf32>, tensor<5xi32>");
    return values<int>(text, {x, y}, 1);
  };
  const Array x = array({2., 1., 2., 3., 1.}), y = array({5, 4, 3, 2, 1});
  const std::string f = " : (tensor<f32>, tensor<f32>) -> tensor<i1>\n";
  const std::string i = " : (tensor<i32>, tensor<i32>) -> tensor<i1>\n";
  using Order = std::vector<int>;
  CHECK(sorted("%r = stablehlo.compare LT, %a, %b" + f, x, y) == Order{4, 1, 5, 3, 2});
  CHECK(sorted("%r = stablehlo.compare GT, %b, %a" + f, x, y) == Order{4, 1, 5, 3, 2});
  CHECK(sorted("%r = stablehlo.compare GT, %a, %b" + f, x, y) == Order{2, 5, 3, 4, 1});
  CHECK(sorted("%r = stablehlo.compare LT, %c, %d" + i, x, y) == Order{1, 2, 3, 4, 5});
  const std::string keys = "%e = stablehlo.compare EQ, %a, %b" + f +
                           "%l = stablehlo.compare LT, %a, %b" + f +
                           "%m = stablehlo.compare LT, %c, %d" + i;
  CHECK(
      sorted(keys + "%n = stablehlo.and %e, %m : tensor<i1>\n%r = stablehlo.or %l, %n : tensor<i1>",
             x, y) == Order{1, 4, 3, 5, 2});
  CHECK(sorted(keys + "%r = stablehlo.select %e, %m, %l : tensor<i1>, tensor<i1>", x, y) ==
        Order{1, 4, 3, 5, 2});
  // The order is ascending by the first key and descending by the second. The other sort uses a
  // number computed from the key.
  CHECK(sorted("%e = stablehlo.compare EQ, %a, %b" + f + "%l = stablehlo.compare GT, %a, %b" + f +
                   "%m = stablehlo.compare LT, %c, %d" + i +
                   "%r = stablehlo.select %e, %m, %l : tensor<i1>, tensor<i1>",
               x, y) == Order{2, 3, 5, 1, 4});
  CHECK(sorted("%p = stablehlo.multiply %a, %a : tensor<f32>\n%q = stablehlo.negate %b : "
               "tensor<f32>\n%s = "
               "stablehlo.multiply %q, %q : tensor<f32>\n%r = stablehlo.compare LT, %p, %s" +
                   f,
               array({-2., 1., 2., -3., -1.}), y) == Order{4, 1, 5, 3, 2});
  // The order is that of the bits: -NaN is first, and -0 is before 0.
  CHECK(sorted("%r = stablehlo.compare LT, %a, %b, TOTALORDER" + f,
               array({0., NAN, -0., static_cast<double>(-inf), 1.}), y) == Order{2, 3, 5, 1, 4});
}

TEST_CASE("elementwise ops with meanings of their own", "[interop][stablehlo]") {
  const auto binary = [](const std::string& op, const std::string& t, const Array& a,
                         const Array& b) {
    return run(program("%a: " + t + ", %b: " + t, t,
                       "%r = " + op +
                           " %a, %b : " + (op.starts_with("chlo") ? t + ", " + t + " -> " : "") +
                           t + "\nreturn %r : " + t),
               {a, b})[0];
  };
  CHECK(binary("stablehlo.power", "tensor<6xi32>", array({3, -2, 2, -1, 1, 0}),
               array({4, 3, -1, -3, -5, 0}))
            .to_vector<int>() == std::vector<int>{81, -8, 0, -1, 1, 1});
  CHECK(binary("stablehlo.add", "tensor<2xi1>", array({true, false}), array({true, false}))
            .to_vector<bool>() == std::vector<bool>{true, false});
  CHECK(binary("stablehlo.multiply", "tensor<2xi1>", array({true, true}), array({true, false}))
            .to_vector<bool>() == std::vector<bool>{true, false});
  CHECK(binary("chlo.mulhi", "tensor<2xi32>", array({1 << 30, -(1 << 30)}), array({8, 8}))
            .to_vector<int>() == std::vector<int>{2, -2});
  const std::string total =
      program("%a: tensor<6xf32>, %b: tensor<6xf32>", "tensor<6xi1>",
              "%r = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<6xf32>, tensor<6xf32>) -> "
              "tensor<6xi1>\nreturn %r : tensor<6xi1>");
  CHECK(values<bool>(total,
                     {array({-0., 0., -1., -2., 1., NAN}), array({0., -0., -2., -1., NAN, 1.})}) ==
        std::vector<bool>{true, false, false, true, true, false});
  const std::string unordered = program(
      "%x: tensor<2x3xf32>", "tensor<3x2xf32>",
      "%r = stablehlo.broadcast_in_dim %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>\n"
      "return %r : tensor<3x2xf32>");
  CHECK(values(unordered, {array({{1., 2., 3.}, {4., 5., 6.}})}) == Floats{1, 4, 2, 5, 3, 6});
}

TEST_CASE("products of bools say whether a pair is true", "[interop][stablehlo]") {
  const Array a = array({{true, false, true}, {false, false, true}}),
              b = array({{false, true}, {true, true}, {false, true}});
  const std::string dot =
      program("%a: tensor<2x3xi1>, %b: tensor<3x2xi1>", "tensor<2x2xi1>",
              "%r = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xi1>, "
              "tensor<3x2xi1>) -> tensor<2x2xi1>\nreturn %r : tensor<2x2xi1>");
  CHECK(values<bool>(dot, {a, b}) == std::vector<bool>{false, true, false, true});
  // Two pairs of true elements give the same as one.
  const std::string conv = program(
      "%a: tensor<1x1x5xi1>, %b: tensor<1x1x2xi1>", "tensor<1x1x4xi1>",
      "%r = stablehlo.convolution(%a, %b) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = "
      "{} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x5xi1>, "
      "tensor<1x1x2xi1>) -> tensor<1x1x4xi1>\nreturn %r : tensor<1x1x4xi1>");
  const Array x = array({true, true, false, false, true}).reshape({1, 1, 5});
  CHECK(values<bool>(conv, {x, array({true, true}).reshape({1, 1, 2})}) ==
        std::vector<bool>{true, true, false, true});
  CHECK(values<bool>(conv, {x, array({true, false}).reshape({1, 1, 2})}) ==
        std::vector<bool>{true, true, false, false});
}

TEST_CASE("AllocateBuffer gives zeros", "[interop][stablehlo]") {
  const std::string text =
      program("", "tensor<2x3xf32>",
              "%r = stablehlo.custom_call @AllocateBuffer() : () -> tensor<2x3xf32>\nreturn %r : "
              "tensor<2x3xf32>");
  CHECK(values(text, {}) == Floats(6, 0.f));
}

TEST_CASE("the components of gathered indices stand on any axis", "[interop][stablehlo]") {
  const auto gather = [](const std::string& indices, const std::string& axis) {
    return program("%x: tensor<3x4xf32>, %i: tensor<" + indices + "xi32>", "tensor<2xf32>",
                   "%r = \"stablehlo.gather\"(%x, %i) {dimension_numbers = "
                   "#stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1]" +
                       axis + ">, slice_sizes = array<i64: 1, 1>} : (tensor<3x4xf32>, tensor<" +
                       indices + "xi32>) -> tensor<2xf32>\nreturn %r : tensor<2xf32>");
  };
  const Array x = arange(12.).reshape({3, 4});
  CHECK(values(gather("2x2", ", index_vector_dim = 1"), {x, array({{1, 2}, {9, 0}})}) ==
        Floats{6, 8});
  CHECK(values(gather("2x2", ""), {x, array({{1, 9}, {2, 0}})}) == Floats{6, 8});
}

TEST_CASE("text that cannot be translated is refused with its position", "[interop][stablehlo]") {
  CHECK(refusal("func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
                "  %0 = stablehlo.add %x, %x : tensor<2xf32>\n"
                "  %1 = stablehlo.frobnicate %0 : tensor<2xf32>\n"
                "  return %1 : tensor<2xf32>\n}") ==
        "p.mlir, line 3, column 8: missing op 'stablehlo.frobnicate': Weft does not have it\n"
        "  %1 = stablehlo.frobnicate %0 : tensor<2xf32>\n"
        "       ^");
  const auto first = [](const std::string& e) { return e.substr(0, e.find('\n')); };
  const auto line = [&](const std::string& text) {
    return first(refusal(
        program("%x: tensor<2xf32>", "tensor<2xf32>", text + "\nreturn %x : tensor<2xf32>")));
  };
  CHECK(line("%0 = stablehlo.custom_call @a.b(%x) : (tensor<2xf32>) -> tensor<2xf32>") ==
        "p.mlir, line 2, column 6: missing op 'stablehlo.custom_call @a.b': Weft does not have it");
  CHECK(line("%0 = stablehlo.add %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>") ==
        "p.mlir, line 2, column 6: 'stablehlo.add' gives f32[2] here, not f32[3]");
  CHECK(line("%0 = stablehlo.transpose %x, dims = [1] : (tensor<2xf32>) -> tensor<2xf32>")
            .starts_with("p.mlir, line 2, column 6: transpose: "));
  CHECK(line("%0 = stablehlo.sine %x : (tensor<2xf32>) -> tensor<2xf5E2M2FN>") ==
        "p.mlir, line 2, column 6: missing type 'tensor<2xf5E2M2FN>': Weft does not have it");
  CHECK(line("%0 = call @g(%x) : (tensor<2xf32>) -> tensor<2xf32>") ==
        "p.mlir, line 2, column 6: no function @g");
  CHECK(line("%0 = call @main(%x) : (tensor<2xf32>) -> tensor<2xf32>") ==
        "p.mlir, line 2, column 6: a function that calls itself");
  CHECK(
      first(refusal(
          "func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\nreturn %x : tensor<?xf32>\n}")) ==
      "p.mlir, line 1, column 1: missing type 'tensor<?xf32>': sizes must be known; lower the "
      "function "
      "for arguments of fixed shapes");
  CHECK(refusal("") == "p.mlir: no program");
  CHECK(first(refusal("module {}")) == "p.mlir, line 1, column 1: no function @main");
  CHECK_THROWS_AS(io::load_stablehlo("no/such/file.mlir"), FormatError);
  // If there is one function, or only one public function, it is the program.
  CHECK(
      values("func.func @f(%x: tensor<f32>) -> tensor<f32> {\n return %x : tensor<f32>\n}\n"
             "func.func private @g(%x: tensor<f32>) -> tensor<f32> {\n return %x : tensor<f32>\n}",
             {array({3.})[0]}) == Floats{3});
}

TEST_CASE("files that check themselves become tests", "[interop][stablehlo]") {
  const auto tests = parse_stablehlo_tests(R"(func.func @main() -> tensor<2xf32> {
  %0 = call @inputs() : () -> tensor<2xf32>
  %1 = call @expected() : () -> tensor<2xf32>
  %2 = stablehlo.add %0, %0 : tensor<2xf32>
  stablehlo.custom_call @check.expect_close(%2, %1) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()
  return %2 : tensor<2xf32>
}
func.func private @inputs() -> tensor<2xf32> {
  %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @expected() -> tensor<2xf32> {
  %0 = stablehlo.constant dense<[2.0, 4.0]> : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// -----
func.func @other() {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  check.expect_eq_const %0, dense<[1, 3]> : tensor<2xi32>
  check.expect_almost_eq_const %0, dense<1> : tensor<2xi32>
  func.return
}
)",
                                           "t.mlir");
  REQUIRE(tests.size() == 2);
  const StablehloTest& t = tests[0];
  REQUIRE(t.inputs.size() == 1);
  CHECK(floats(t.inputs[0]) == Floats{1, 2});
  const Arrays out = eval_jaxpr(t.program, {array({5., 6.})});
  REQUIRE(out.size() == 2);
  CHECK(floats(out[0]) == Floats{10, 12});
  CHECK(floats(out[1]) == Floats{2, 4});
  REQUIRE(t.checks.size() == 1);
  CHECK(t.checks[0].kind == StablehloCheck::Kind::close);
  CHECK(t.checks[0].ulp == 3);
  REQUIRE(tests[1].checks.size() == 2);
  CHECK(tests[1].checks[0].kind == StablehloCheck::Kind::equal);
  CHECK(tests[1].checks[1].tolerance == 1e-4);
  CHECK(tests[1].checks[0].line == "t.mlir, line 19");
  CHECK(eval_jaxpr(tests[1].program, {})[1].to_vector<int>() == std::vector<int>{1, 3});
}
