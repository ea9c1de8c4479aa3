// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/interop/stablehlo_small_test.cpp: integers of two and four bits and floats of eight, which
// other dtypes hold. Expected numbers are JAX's on its CPU.
#include <catch2/catch.hpp>
#include <limits>

#include "support/check.h"
#include "weft/interop/stablehlo.h"

using namespace weft;
using namespace weft::test;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float NaN = std::numeric_limits<float>::quiet_NaN();

Arrays run(const std::string& text, const Arrays& x) {
  const ClosedJaxpr p = parse_stablehlo(text, "p.mlir");
  return jit([p](std::vector<Array> a) { return eval_jaxpr(p, a); })(x);
}
std::string in_main(const std::string& in, const std::string& out, const std::string& lines) {
  return "func.func @main(" + in + ") -> " + out + " {\n" + lines + "\n}\n";
}
std::string refusal(const std::string& text) {
  return error_of<FormatError>([&] { parse_stablehlo(text, "p.mlir"); });
}

// x converted to the element type and back.
std::string through(const std::string& element, const std::string& x, int64_t n) {
  const std::string size = std::to_string(n) + "x";
  const std::string own = "tensor<" + size + x + ">", small = "tensor<" + size + element + ">";
  return in_main("%x: " + own, own,
                 "%s = stablehlo.convert %x : (" + own + ") -> " + small +
                     "\n%y = stablehlo.convert %s : (" + small + ") -> " + own +
                     "\nreturn %y : " + own);
}
template <class T>
std::vector<T> converted(const std::string& element, const std::string& from, const Array& x) {
  return run(through(element, from, x.size()), {x})[0].to_vector<T>();
}
// One op of two arguments of this type, which come as what holds it.
std::string binary(const std::string& op, const std::string& element, int64_t n) {
  const std::string t = "tensor<" + std::to_string(n) + "x" + element + ">";
  return in_main("%x: " + t + ", %y: " + t, t,
                 "%z = stablehlo." + op + " %x, %y : " + t + "\nreturn %z : " + t);
}
bool same(const Floats& got, const Floats& want) {
  if (got.size() != want.size()) return false;
  for (size_t i = 0; i < got.size(); ++i) {
    const bool both = std::isnan(got[i]) && std::isnan(want[i]);
    if (!both && (got[i] != want[i] || std::signbit(got[i]) != std::signbit(want[i]))) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("conversions to few bits", "[interop][stablehlo]") {
  const Array x = array({-9., -8.5, -1.7, 7.9, 8., 100., NaN, inf, -inf});
  using Ints = std::vector<float>;
  CHECK(converted<float>("i4", "f32", x) == Ints{-8, -8, -1, 7, 7, 7, 0, 7, -8});
  CHECK(converted<float>("ui4", "f32", x) == Ints{0, 0, 0, 7, 8, 15, 0, 15, 0});
  CHECK(converted<float>("i2", "f32", x) == Ints{-2, -2, -1, 1, 1, 1, 0, 1, -2});
  CHECK(converted<float>("ui2", "f32", x) == Ints{0, 0, 0, 3, 3, 3, 0, 3, 0});
  // Integers wrap around.
  const Array n = array({7, 8, 15, 16, -1, -9, 130, 255}).astype(I32);
  CHECK(converted<int>("i4", "i32", n) == std::vector<int>{7, -8, -1, 0, -1, 7, 2, -1});
  CHECK(converted<int>("ui4", "i32", n) == std::vector<int>{7, 8, 15, 0, 15, 7, 2, 15});
  CHECK(converted<int>("i2", "i32", n) == std::vector<int>{-1, 0, -1, 0, -1, -1, -2, -1});
  CHECK(converted<int>("ui2", "i32", n) == std::vector<int>{3, 0, 3, 0, 3, 3, 2, 3});
}

TEST_CASE("conversions to floats of eight bits", "[interop][stablehlo]") {
  const Array x =
      array({-0., 464., 465., -1e9, inf, NaN, 0.00146484375, 1.1875, 15.75, 61440., 248.});
  const auto rounded = [&](const std::string& e) { return converted<float>(e, "f32", x); };
  const float tiny = 0.001953125f;
  CHECK(same(rounded("f8E4M3FN"), {-0.f, 448, NaN, NaN, NaN, NaN, tiny, 1.25, 16, NaN, 256}));
  CHECK(same(rounded("f8E5M2"),
             {-0.f, 448, 448, -inf, inf, NaN, 0.00146484375f, 1.25, 16, inf, 256}));
  CHECK(same(rounded("f8E4M3"), {-0.f, inf, inf, -inf, inf, NaN, tiny, 1.25, 16, inf, inf}));
  CHECK(same(rounded("f8E3M4"), {-0.f, inf, inf, -inf, inf, NaN, 0, 1.1875, inf, inf, inf}));
  CHECK(same(rounded("f8E4M3FNUZ"), {0, NaN, NaN, NaN, NaN, NaN, tiny, 1.25, 16, NaN, NaN}));
  CHECK(same(rounded("f8E5M2FNUZ"),
             {0, 448, 448, NaN, NaN, NaN, 0.00146484375f, 1.25, 16, NaN, 256}));
  CHECK(same(rounded("f8E4M3B11FNUZ"),
             {0, NaN, NaN, NaN, NaN, NaN, 0.00146484375f, 1.25, 16, NaN, NaN}));
  // Positive powers of two alone, halves upwards.
  const Array y = array({1.f, 1.49f, 1.5f, 3.f, 0.f, -0.f, -1.f, inf, NaN, 0x1p-149f, 0x1p-126f,
                         0x1p127f, 0x1.8p127f});
  CHECK(same(converted<float>("f8E8M0FNU", "f32", y),
             {1, 1, 2, 4, NaN, NaN, NaN, NaN, NaN, 0x1p-127f, 0x1p-126f, 0x1p127f, NaN}));
  // One rounding of F64: above the middle of 1 and 1.125 by less than F32 tells.
  const Array near = array({1.0625 + 1e-12, 1.0625}, F64);
  CHECK(converted<double>("f8E4M3FN", "f64", near) == std::vector<double>{1.125, 1});
  // The derivative is that of a conversion.
  const ClosedJaxpr p = parse_stablehlo(through("f8E4M3FN", "f32", 2));
  const auto f = [p](Array v) { return eval_jaxpr(p, {v * v})[0].sum(); };
  CHECK(floats(jit(grad(f))(array({1.5, -3.}))) == Floats{3, -6});
}

TEST_CASE("arithmetic of few bits", "[interop][stablehlo]") {
  const Array x = array({7, -8, 3, -1}).astype(I8), y = array({1, 2, 3, 4}).astype(I8);
  const auto of = [&](const std::string& op) {
    return run(binary(op, "i4", 4), {x, y})[0].to_vector<int>();
  };
  using Ints = std::vector<int>;
  CHECK(of("add") == Ints{-8, -6, 6, 3});
  CHECK(of("subtract") == Ints{6, 6, 0, -5});
  CHECK(of("multiply") == Ints{7, 0, -7, -4});
  CHECK(of("divide") == Ints{7, -4, 1, 0});
  CHECK(of("shift_left") == Ints{-2, 0, -8, 0});
  CHECK(of("maximum") == Ints{7, 2, 3, 4});
  // Arguments of other values are taken modulo 16.
  CHECK(run(binary("maximum", "i4", 1), {array({23}).astype(I8), array({-24}).astype(I8)})[0]
            .to_vector<int>() == Ints{7});
  const Array a = array({1.1, 16., 240.}), b = array({3.3, 15.6, 240.});
  CHECK(
      same(run(binary("multiply", "f8E4M3FN", 3), {a, b})[0].to_vector<float>(), {3.75, 256, NaN}));
}

TEST_CASE("constants of few bits", "[interop][stablehlo]") {
  const auto constant = [](const std::string& body, const std::string& element, int64_t n) {
    const std::string t = "tensor<" + std::to_string(n) + "x" + element + ">";
    return run(in_main("", t,
                       "%c = stablehlo.constant dense<" + body + "> : " + t + "\nreturn %c : " + t),
               {})[0]
        .to_vector<float>();
  };
  CHECK(constant("[-8, 7, 15]", "i4", 3) == Floats{-8, 7, -1});
  CHECK(constant("\"0x010F08\"", "i4", 3) == Floats{1, -1, -8});
  CHECK(constant("\"0x010F08\"", "ui4", 3) == Floats{1, 15, 8});
  CHECK(constant("-2", "i2", 2) == Floats{-2, -2});
  CHECK(
      same(constant("\"0x7EFF80010C\"", "f8E4M3FN", 5), {448, NaN, -0.f, 0.001953125f, 0.0234375}));
  CHECK(same(constant("\"0x7CFD80017B\"", "f8E5M2", 5),
             {inf, NaN, -0.f, 0.0000152587890625f, 57344}));
  CHECK(same(constant("[0x7F, 0xFF, 0x00, 0xFE, 2.500000e-01]", "f8E8M0FNU", 5),
             {1, NaN, 0x1p-127f, 0x1p127f, 0.25f}));
  CHECK(same(constant("[0x80, 0x7F, 1.07]", "f8E4M3FNUZ", 3), {NaN, 240, 1.125}));
}

TEST_CASE("what few bits refuse", "[interop][stablehlo]") {
  const auto of = [](const std::string& body, const std::string& element) {
    const std::string t = "tensor<2x" + element + ">";
    const std::string text =
        in_main("", t, "%c = stablehlo.constant dense<" + body + "> : " + t + "\nreturn %c : " + t);
    return error_of<ParseError>([&] { parse_stablehlo(text, "p.mlir"); });
  };
  CHECK_THAT(of("[1, 16]", "i4"), Catch::Contains("an element of i4, found '16'"));
  CHECK_THAT(of("[1, -9]", "i4"), Catch::Contains("an element of i4, found '-9'"));
  CHECK_THAT(of("[1, -1]", "ui4"), Catch::Contains("an element of ui4, found '-1'"));
  CHECK_THAT(of("[1.0, 0x100]", "f8E5M2"), Catch::Contains("found '0x100'"));
  CHECK_THAT(of("\"0x010203\"", "i4"), Catch::Contains("3 bytes for a constant of 2"));
  CHECK_THAT(refusal(binary("shift_right_logical", "i4", 2)),
             Catch::Contains("missing op 'stablehlo.shift_right_logical' of i4"));
  CHECK_THAT(refusal(binary("add", "f4E2M1FN", 2)),
             Catch::Contains("missing type") && Catch::Contains("f4E2M1FN"));
}
