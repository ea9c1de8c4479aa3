// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/interop/stablehlo_small_test.cpp: integers of two and four bits and floats of four to eight
// bits, which are stored in other dtypes. The expected numbers are JAX's on its CPU.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "interop/run_stablehlo.h"
#include "support/check.h"
#include "weft/stablehlo.h"

using namespace weft;
using namespace weft::test;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

std::string in_main(const std::string& in, const std::string& out, const std::string& lines) {
  return "func.func @main(" + in + ") -> " + out + " {\n" + lines + "\n}\n";
}
std::string refusal(const std::string& text) {
  return error_of<FormatError>([&] { parse_stablehlo(text, "p.mlir"); });
}

// Converts x to the element type and back.
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
// Applies one op to two arguments of this type, which are stored in a wider dtype.
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
  const Array x = array({-9., -8.5, -1.7, 7.9, 8., 100., not_a_number, inf, -inf});
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
      array({-0., 464., 465., -1e9, inf, not_a_number, 0.00146484375, 1.1875, 15.75, 61440., 248.});
  const auto rounded = [&](const std::string& e) { return converted<float>(e, "f32", x); };
  const float tiny = 0.001953125f;
  CHECK(same(rounded("f8E4M3FN"), {-0.f, 448, not_a_number, not_a_number, not_a_number,
                                   not_a_number, tiny, 1.25, 16, not_a_number, 256}));
  CHECK(same(rounded("f8E5M2"),
             {-0.f, 448, 448, -inf, inf, not_a_number, 0.00146484375f, 1.25, 16, inf, 256}));
  CHECK(
      same(rounded("f8E4M3"), {-0.f, inf, inf, -inf, inf, not_a_number, tiny, 1.25, 16, inf, inf}));
  CHECK(
      same(rounded("f8E3M4"), {-0.f, inf, inf, -inf, inf, not_a_number, 0, 1.1875, inf, inf, inf}));
  CHECK(same(rounded("f8E4M3FNUZ"), {0, not_a_number, not_a_number, not_a_number, not_a_number,
                                     not_a_number, tiny, 1.25, 16, not_a_number, not_a_number}));
  CHECK(same(rounded("f8E5M2FNUZ"), {0, 448, 448, not_a_number, not_a_number, not_a_number,
                                     0.00146484375f, 1.25, 16, not_a_number, 256}));
  CHECK(same(rounded("f8E4M3B11FNUZ"),
             {0, not_a_number, not_a_number, not_a_number, not_a_number, not_a_number,
              0.00146484375f, 1.25, 16, not_a_number, not_a_number}));
  // The type has only positive powers of two. Values halfway between two of them are rounded up.
  const Array y = array({1.f, 1.49f, 1.5f, 3.f, 0.f, -0.f, -1.f, inf, not_a_number, 0x1p-149f,
                         0x1p-126f, 0x1p127f, 0x1.8p127f});
  CHECK(same(converted<float>("f8E8M0FNU", "f32", y),
             {1, 1, 2, 4, not_a_number, not_a_number, not_a_number, not_a_number, not_a_number,
              0x1p-127f, 0x1p-126f, 0x1p127f, not_a_number}));
  // F64 values are rounded only once. The first one is above the midpoint of 1 and 1.125 by less
  // than F32 can represent.
  const Array near = array({1.0625 + 1e-12, 1.0625}, F64);
  CHECK(converted<double>("f8E4M3FN", "f64", near) == std::vector<double>{1.125, 1});
  // The derivative is that of a conversion.
  const ClosedJaxpr p = parse_stablehlo(through("f8E4M3FN", "f32", 2));
  const auto f = [p](Array v) { return eval_jaxpr(p, {v * v})[0].sum(); };
  CHECK(floats(jit(grad(f))(array({1.5, -3.}))) == Floats{3, -6});
}

// All bit patterns are finite numbers. Values out of range become the largest number of their sign,
// and not_a_number becomes -0.
TEST_CASE("conversions to floats of four and six bits", "[interop][stablehlo]") {
  const Array x = array({0., -0.,  0.1,  0.25, 0.26, -0.25, 0.5,          0.74, 0.75, 0.76,
                         1., 1.25, 1.26, 1.75, 2.5,  3.5,   4.9,          5.,   5.1,  6.,
                         7., 8.,   100., 1e30, inf,  -inf,  not_a_number, -6.9, -7.5});
  const auto rounded = [&](const std::string& e) { return converted<float>(e, "f32", x); };
  CHECK(same(rounded("f4E2M1FN"), {0, -0.f, 0, 0, 0.5, -0.f, 0.5, 0.5, 1, 1, 1,  1,    1.5, 2, 2,
                                   4, 4,    4, 6, 6,   6,    6,   6,   6, 6, -6, -0.f, -6,  -6}));
  CHECK(same(rounded("f6E2M3FN"), {0, -0.f, 0.125, 0.25, 0.25, -0.25, 0.5,  0.75, 0.75, 0.75,
                                   1, 1.25, 1.25,  1.75, 2.5,  3.5,   5,    5,    5,    6,
                                   7, 7.5,  7.5,   7.5,  7.5,  -7.5,  -0.f, -7,   -7.5}));
  CHECK(same(rounded("f6E3M2FN"), {0, -0.f, 0.125, 0.25, 0.25, -0.25, 0.5,  0.75, 0.75, 0.75,
                                   1, 1.25, 1.25,  1.75, 2.5,  3.5,   5,    5,    5,    6,
                                   7, 8,    28,    28,   28,   -28,   -0.f, -7,   -8}));
  const Array n = array({-9, -5, -1, 0, 3, 5, 7}).astype(I32);
  CHECK(converted<float>("f4E2M1FN", "i32", n) == Floats{-6, -4, -1, 0, 3, 4, 6});
  CHECK(same(run(binary("add", "f4E2M1FN", 3), {array({4., -6., 0.5}), array({4., -1., 0.5})})[0]
                 .to_vector<float>(),
             {6, -6, 1}));
}

namespace {

// Bitcasts x to another element type.
Array bits(const std::string& from, const std::string& to, const Array& x) {
  return run(in_main("%x: tensor<" + from + ">", "tensor<" + to + ">",
                     "%y = stablehlo.bitcast_convert %x : (tensor<" + from + ">) -> tensor<" + to +
                         ">\nreturn %y : tensor<" + to + ">"),
             {x})[0];
}

}  // namespace

TEST_CASE("bitcasts of integers of few bits", "[interop][stablehlo]") {
  using Ints = std::vector<int>;
  const Array x = array({{1, 2}, {-3, 7}, {-8, 0}}).astype(I8);
  CHECK(bits("3x2xi4", "3xi8", x).to_vector<int>() == Ints{33, 125, 8});
  CHECK(bits("3x2xi4", "3xui8", x).to_vector<int>() == Ints{33, 125, 8});
  CHECK(bits("3x2xi4", "3x2xui4", x).to_vector<int>() == Ints{1, 2, 13, 7, 8, 0});
  CHECK(bits("3x2xui4", "3x2xi4", array({{1, 2}, {13, 7}, {8, 15}}).astype(U8)).to_vector<int>() ==
        Ints{1, 2, -3, 7, -8, -1});
  CHECK(bits("2x4xi4", "2xi16", array({{-8, -7, -6, -5}, {-4, -3, -2, -1}}).astype(I8))
            .to_vector<int>() == Ints{-17768, -292});
  CHECK(bits("3xi8", "3x2xi4", array({1, 0x23, -5}).astype(I8)).to_vector<int>() ==
        Ints{1, 0, 3, 2, -5, -1});
  CHECK(bits("3xi16", "3x4xui4", array({1, 0x23, -5}).astype(I16)).to_vector<int>() ==
        Ints{1, 0, 0, 0, 3, 2, 0, 0, 11, 15, 15, 15});
  CHECK(bits("3xi8", "3x4xi2", array({1, 0x23, -5}).astype(I8)).to_vector<int>() ==
        Ints{1, 0, 0, 0, -1, 0, -2, 0, -1, -2, -1, -1});
  CHECK(bits("2xi4", "2x2xui2", array({6, -1}).astype(I8)).to_vector<int>() == Ints{2, 1, 3, 3});
  CHECK(bits("2x2xui2", "2xi4", array({{2, 1}, {3, 3}}).astype(U8)).to_vector<int>() ==
        Ints{6, -1});
  CHECK(bits("2xi4", "2x4xi1", array({6, -1}).astype(I8)).to_vector<int>() ==
        Ints{0, 1, 1, 0, 1, 1, 1, 1});
  CHECK(bits("1x4xi1", "1xui4", array({{false, true, true, false}})).to_vector<int>() == Ints{6});
  CHECK(bits("f32", "8xui4", Array(1.5f)).to_vector<int>() == Ints{0, 0, 0, 0, 0, 12, 15, 3});
  CHECK(bits("8xui4", "f32", array({0, 0, 0, 0, 0, 12, 15, 3}).astype(U8)).item<float>() == 1.5);
  CHECK(bits("16xi4", "f64", bits("f64", "16xi4", array(-1e-300, F64))).item<double>() == -1e-300);
  CHECK(same(bits("4xui4", "4xf4E2M1FN", array({1, 9, 7, 8}).astype(U8)).to_vector<float>(),
             {0.5, -0.5, 6, -0.f}));
  CHECK_THAT(error_of<FormatError>([&] { bits("2x2xi4", "4xi8", x); }),
             Catch::Contains("the type of fewer bits has a last axis of 2 more"));
}

TEST_CASE("all bits of floats of eight", "[interop][stablehlo]") {
  std::string hex;
  for (int i = 0; i < 256; ++i) hex += fmt::format("{:02X}", i);
  for (const std::string e : {"f8E3M4", "f8E4M3", "f8E5M2", "f8E4M3FN", "f8E4M3FNUZ",
                              "f8E4M3B11FNUZ", "f8E5M2FNUZ", "f8E8M0FNU"}) {
    CAPTURE(e);
    const std::string t = "tensor<256x" + e + ">";
    const Array values = run(
        in_main("", t,
                "%c = stablehlo.constant dense<\"0x" + hex + "\"> : " + t + "\nreturn %c : " + t),
        {})[0];
    const Array all = arange(256, U8);
    CHECK(same(bits("256xui8", "256x" + e, all).to_vector<float>(), values.to_vector<float>()));
    const std::vector<int> back = bits("256x" + e, "256xui8", values).to_vector<int>();
    const std::vector<float> v = values.to_vector<float>();
    for (size_t i = 0; i < 256; ++i)
      if (!std::isnan(v[i])) CHECK(back[i] == static_cast<int>(i));
  }
  // not_a_number has the bits that JAX gives it.
  const Array nans = array({not_a_number, std::copysign(not_a_number, -1.f)});
  using Ints = std::vector<int>;
  const auto of = [&](const std::string& e) {
    return bits("2x" + e, "2xui8", nans).to_vector<int>();
  };
  CHECK(of("f8E4M3FN") == Ints{127, 255});
  CHECK(of("f8E5M2") == Ints{126, 254});
  CHECK(of("f8E3M4") == Ints{120, 248});
  CHECK(of("f8E4M3") == Ints{124, 252});
  CHECK(of("f8E4M3FNUZ") == Ints{128, 128});
  CHECK(of("f8E8M0FNU") == Ints{255, 255});
}

TEST_CASE("ops that read few bits", "[interop][stablehlo]") {
  using Ints = std::vector<int>;
  const Array x = array({7, -8, 3, -1}).astype(I8), places = array({1, 1, 4, 3}).astype(I8);
  const auto shifted = [&](const std::string& op, const std::string& e, const Array& a) {
    return run(binary(op, e, 4), {a, places.astype(a.dtype())})[0].to_vector<int>();
  };
  CHECK(shifted("shift_right_logical", "i4", x) == Ints{3, 4, 0, 1});
  CHECK(shifted("shift_right_arithmetic", "i4", x) == Ints{3, -4, 0, -1});
  const Array u = array({7, 8, 3, 15}).astype(U8);
  CHECK(shifted("shift_right_logical", "ui4", u) == Ints{3, 4, 0, 1});
  CHECK(shifted("shift_right_arithmetic", "ui4", u) == Ints{3, 12, 0, 15});
  const auto counted = [&](const std::string& op, const std::string& e, const Array& a) {
    const std::string t = "tensor<4x" + e + ">";
    return run(in_main("%x: " + t, t, "%y = stablehlo." + op + " %x : " + t + "\nreturn %y : " + t),
               {a})[0]
        .to_vector<int>();
  };
  CHECK(counted("popcnt", "i4", x) == Ints{3, 1, 2, 4});
  CHECK(counted("popcnt", "ui4", u) == Ints{3, 1, 2, 4});
  CHECK(counted("count_leading_zeros", "i4", x) == Ints{1, 0, 2, 0});
  CHECK(counted("count_leading_zeros", "ui4", u) == Ints{1, 0, 2, 0});
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
  // Arguments out of range are taken modulo 16.
  CHECK(run(binary("maximum", "i4", 1), {array({23}).astype(I8), array({-24}).astype(I8)})[0]
            .to_vector<int>() == Ints{7});
  const Array a = array({1.1, 16., 240.}), b = array({3.3, 15.6, 240.});
  CHECK(same(run(binary("multiply", "f8E4M3FN", 3), {a, b})[0].to_vector<float>(),
             {3.75, 256, not_a_number}));
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
  CHECK(same(constant("\"0x7EFF80010C\"", "f8E4M3FN", 5),
             {448, not_a_number, -0.f, 0.001953125f, 0.0234375}));
  CHECK(same(constant("\"0x7CFD80017B\"", "f8E5M2", 5),
             {inf, not_a_number, -0.f, 0.0000152587890625f, 57344}));
  CHECK(same(constant("[0x7F, 0xFF, 0x00, 0xFE, 2.500000e-01]", "f8E8M0FNU", 5),
             {1, not_a_number, 0x1p-127f, 0x1p127f, 0.25f}));
  CHECK(same(constant("[0x80, 0x7F, 1.07]", "f8E4M3FNUZ", 3), {not_a_number, 240, 1.125}));
}

TEST_CASE("ops that integers of few bits refuse", "[interop][stablehlo]") {
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
  CHECK_THAT(refusal(in_main("%x: tensor<2xf8E5M2>", "tensor<2xf8E5M2>",
                             "%y = stablehlo.reduce_precision %x, format = e4m1 : "
                             "tensor<2xf8E5M2>\nreturn %y : tensor<2xf8E5M2>")),
             Catch::Contains("missing op 'stablehlo.reduce_precision' of f8E5M2"));
  CHECK_THAT(refusal(binary("add", "f5E2M2FN", 2)),
             Catch::Contains("missing type") && Catch::Contains("f5E2M2FN"));
}
