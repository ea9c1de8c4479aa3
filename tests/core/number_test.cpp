// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/core/number_test.cpp: the edge cases of plain arithmetic. Nest values must give the same
// results.
#include "core/scalar/number.h"

#include <catch2/catch.hpp>
#include <tuple>

#include "nest_eval.h"

namespace weft::number_test {
using namespace num;
namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
const float quiet = std::numeric_limits<float>::quiet_NaN();

template <class T>
std::vector<T> corner_cases() {
  using L = std::numeric_limits<T>;
  if constexpr (Float<T>)
    return {T(0),
            T(-0.0),
            T(1),
            T(-1),
            T(0.5),
            T(1.5),
            T(2.5),
            T(-2.5),
            T(3),
            T(-7),
            T(126.5),
            T(-128.9),
            T(300),
            T(-70000.25),
            T(2147483648.0),
            T(-2147483649.0),
            T(1e19),
            T(-1e19),
            L::min(),
            L::denorm_min(),
            L::max(),
            L::lowest(),
            L::infinity(),
            -L::infinity(),
            L::quiet_NaN()};
  else
    return {
        T(0),  T(1),  T(2),  T(3),  T(7),  T(-1), T(-2), T(-7), L::min(), L::max(), T(L::max() - 1),
        T(31), T(32), T(63), T(64), T(100)};
}
template <class T>
bool same(T a, T b) {
  return (a != a && b != b) || num::detail::to_bits(a) == num::detail::to_bits(b);
}
// Any NaN equals any other, whatever its bits.
template <class T>
bool same_bits(uint64_t a, T b) {
  return same(num::detail::from_bits<T>(a), b);
}

}  // namespace

#define CHECK_BINARY(T, f)                                                      \
  {                                                                             \
    const test::Emitted<T, T> e([](auto a, auto b) { return f(a, b); });        \
    int wrong = 0;                                                              \
    for (T a : corner_cases<T>())                                               \
      for (T b : corner_cases<T>()) wrong += !same_bits(e.bits(a, b), f(a, b)); \
    INFO(#T " " #f);                                                            \
    CHECK(wrong == 0);                                                          \
  }
#define CHECK_UNARY(T, f)                                               \
  {                                                                     \
    const test::Emitted<T> e([](auto a) { return f(a); });              \
    int wrong = 0;                                                      \
    for (T a : corner_cases<T>()) wrong += !same_bits(e.bits(a), f(a)); \
    INFO(#T " " #f);                                                    \
    CHECK(wrong == 0);                                                  \
  }

TEST_CASE("integer arithmetic wraps and is total") {
  const auto lowest = std::numeric_limits<int32_t>::min();
  CHECK(div(7, 0) == -1);
  CHECK(div(7u, 0u) == 0xffffffffu);
  CHECK(div(lowest, -1) == lowest);
  CHECK(div(-7, 2) == -3);
  CHECK(rem(7, 0) == 7);
  CHECK(rem(lowest, -1) == 0);
  CHECK(rem(-7, 2) == -1);
  CHECK(abs(lowest) == lowest);
  CHECK(add(std::numeric_limits<int32_t>::max(), 1) == lowest);
  CHECK(mul<uint16_t>(65535, 65535) == 1);
  CHECK(mul<int8_t>(-128, -1) == -128);
  CHECK(neg(lowest) == lowest);
}

TEST_CASE("shifts by the width or more, or a negative count, give 0 or the sign") {
  CHECK(shift_left(1, 31) == std::numeric_limits<int32_t>::min());
  CHECK(shift_left(1, 32) == 0);
  CHECK(shift_left(1, -1) == 0);
  CHECK(shift_right_logical(-1, 28) == 15);
  CHECK(shift_right_logical(-1, 32) == 0);
  CHECK(shift_right_arithmetic(-8, 1) == -4);
  CHECK(shift_right_arithmetic(-8, 99) == -1);
  CHECK(shift_right_arithmetic(8, -5) == 0);
  CHECK(shift_right_arithmetic<uint8_t>(0x80, 9) == 0xff);
  CHECK(popcount<int8_t>(-1) == 8);
  CHECK(clz(0u) == 32);
  CHECK(clz<int16_t>(1) == 15);
  CHECK(mulhi(0xffffffffu, 0xffffffffu) == 0xfffffffeu);
  CHECK(mulhi<int64_t>(-1, 1) == -1);
  CHECK(mulhi<uint64_t>(~0ull, ~0ull) == ~0ull - 1);
}

TEST_CASE("conversions follow JAX") {
  CHECK(convert<int32_t>(quiet) == 0);
  CHECK(convert<int32_t>(3e9f) == std::numeric_limits<int32_t>::max());
  CHECK(convert<int32_t>(-inf) == std::numeric_limits<int32_t>::min());
  CHECK(convert<uint8_t>(-3.0f) == 0);
  CHECK(convert<uint8_t>(-0.5f) == 0);
  CHECK(convert<uint8_t>(255.9f) == 255);
  CHECK(convert<int8_t>(-128.9f) == -128);
  CHECK(convert<uint64_t>(1.9e19) == std::numeric_limits<uint64_t>::max());
  CHECK(convert<int64_t>(-9.3e18) == std::numeric_limits<int64_t>::min());
  CHECK(convert<int8_t>(300) == 44);
  CHECK(convert<uint32_t>(int8_t{-1}) == 0xffffffffu);
  CHECK(convert<bool>(quiet));
  CHECK(!convert<bool>(-0.0f));
  CHECK(convert<float>(16777217) == 16777216.0f);
}

TEST_CASE("minimum and maximum propagate NaN and order the zeros") {
  CHECK(is_nan(minimum(quiet, 1.0f)));
  CHECK(is_nan(maximum(1.0f, quiet)));
  CHECK(std::signbit(minimum(0.0f, -0.0f)));
  CHECK(std::signbit(minimum(-0.0f, 0.0f)));
  CHECK(!std::signbit(maximum(-0.0f, 0.0f)));
  CHECK(!std::signbit(maximum(0.0f, -0.0f)));
  CHECK(round_even(2.5) == 2.0);
  CHECK(rem(-7.5f, 2.0f) == -1.5f);
  CHECK(is_nan(rem(1.0f, 0.0f)));
}

TEST_CASE("rounding to the narrow floats is to nearest even") {
  CHECK(round_to_bf16(1.0f + 0x1p-8f) == 1.0f);
  CHECK(round_to_bf16(1.0f + 0x3p-8f) == 1.0f + 0x1p-6f);
  CHECK(round_to_bf16(std::numeric_limits<float>::max()) == inf);
  CHECK(is_nan(round_to_bf16(std::bit_cast<float>(0x7f800001u))));
  CHECK(round_to_f16(1.0f + 0x1p-11f) == 1.0f);
  CHECK(round_to_f16(1.0f + 0x3p-11f) == 1.0f + 0x1p-9f);
  CHECK(round_to_f16(65519.0f) == 65504.0f);
  CHECK(round_to_f16(-65520.0f) == -inf);
  CHECK(round_to_f16(0x1p-25f) == 0.0f);
  CHECK(round_to_f16(0x1.8p-25f) == 0x1p-24f);
  CHECK(round_to_f16(0x1.002p-14f) == 0x1p-14f);
  CHECK(std::signbit(round_to_f16(-0.0f)));
  CHECK(is_nan(round_to_f16(quiet)));
}

TEMPLATE_TEST_CASE("integer arithmetic in kernels equals plain arithmetic", "", int8_t, int16_t,
                   int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t) {
  CHECK_BINARY(TestType, add);
  CHECK_BINARY(TestType, sub);
  CHECK_BINARY(TestType, mul);
  CHECK_BINARY(TestType, div);
  CHECK_BINARY(TestType, rem);
  CHECK_BINARY(TestType, minimum);
  CHECK_BINARY(TestType, maximum);
  CHECK_BINARY(TestType, bit_and);
  CHECK_BINARY(TestType, bit_or);
  CHECK_BINARY(TestType, bit_xor);
  CHECK_BINARY(TestType, shift_left);
  CHECK_BINARY(TestType, shift_right_logical);
  CHECK_BINARY(TestType, shift_right_arithmetic);
  CHECK_BINARY(TestType, mulhi);
  CHECK_UNARY(TestType, neg);
  CHECK_UNARY(TestType, abs);
  CHECK_UNARY(TestType, bit_not);
  CHECK_UNARY(TestType, popcount);
  CHECK_UNARY(TestType, clz);
  const test::Emitted<TestType, TestType> less([](auto a, auto b) { return a < b; }),
      at_least([](auto a, auto b) { return a >= b; });
  for (TestType a : corner_cases<TestType>())
    for (TestType b : corner_cases<TestType>())
      CHECK((less.bits(a, b) == (a < b) && at_least.bits(a, b) == (a >= b)));
}

TEMPLATE_TEST_CASE("float arithmetic in kernels equals plain arithmetic", "", float, double) {
  CHECK_BINARY(TestType, add);
  CHECK_BINARY(TestType, sub);
  CHECK_BINARY(TestType, mul);
  CHECK_BINARY(TestType, div);
  CHECK_BINARY(TestType, rem);
  CHECK_BINARY(TestType, minimum);
  CHECK_BINARY(TestType, maximum);
  CHECK_BINARY(TestType, copysign);
  CHECK_BINARY(TestType, flip_sign);
  CHECK_UNARY(TestType, sqrt);
  CHECK_UNARY(TestType, abs);
  CHECK_UNARY(TestType, neg);
  CHECK_UNARY(TestType, floor);
  CHECK_UNARY(TestType, ceil);
  CHECK_UNARY(TestType, trunc);
  CHECK_UNARY(TestType, round_even);
  CHECK_UNARY(TestType, is_nan);
  CHECK_UNARY(TestType, is_finite);
  CHECK_UNARY(TestType, sign_bit);
  const test::Emitted<TestType, TestType> order([](auto a, auto b) {
    const auto bit = [](auto m, int32_t v) { return select(m, Ir<int32_t>(v), Ir<int32_t>(0)); };
    return bit(a < b, 1) | bit(a <= b, 2) | bit(a == b, 4) | bit(a != b, 8) | bit(a > b, 16) |
           bit(!(a >= b), 32);
  });
  for (TestType a : corner_cases<TestType>())
    for (TestType b : corner_cases<TestType>()) {
      const int want =
          (a < b) + 2 * (a <= b) + 4 * (a == b) + 8 * (a != b) + 16 * (a > b) + 32 * !(a >= b);
      CHECK(order.template as<int32_t>(a, b) == want);
    }
}

namespace {
template <class From, class... To>
void check_conversions() {
  const auto one = [&]<class U>(U*) {
    const test::Emitted<From> e([](auto a) { return convert<U>(a); });
    for (From a : corner_cases<From>()) CHECK(same_bits(e.bits(a), convert<U>(a)));
  };
  (one(static_cast<To*>(nullptr)), ...);
}
}  // namespace

TEMPLATE_TEST_CASE("conversions in kernels equal plain conversions", "", int8_t, int16_t, int32_t,
                   int64_t, uint8_t, uint16_t, uint32_t, uint64_t, float, double) {
  check_conversions<TestType, bool, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
                    uint64_t, float, double>();
  const test::Emitted<bool> widen([](auto m) { return convert<TestType>(m); });
  CHECK(widen.template as<TestType>(true) == TestType(1));
  CHECK(widen.template as<TestType>(false) == TestType(0));
}

TEST_CASE("constants are folded and index arithmetic stays small") {
  nest::Builder b("fold");
  Writing w(b);
  const Ir<int64_t> i = Ir<int64_t>::at(b.index(0));
  CHECK((i + 0).id == i.id);
  CHECK((i * 1).id == i.id);
  CHECK((i * 0).is(0));
  CHECK((i - i).is(0));
  CHECK(((i + 3) - 3).id == i.id);
  CHECK((3 + i + 4).id == (i + 7).id);
  CHECK((Ir<int64_t>(6) * 7).is(42));
  CHECK((Ir<float>(2) + 1).is(3.0f));
  const Ir<bool> m = i < 5;
  CHECK(select(Ir<bool>(true), i, i + 1).id == i.id);
  CHECK(select(m, i, i).id == i.id);
  CHECK((m & true).id == m.id);
  CHECK((m && false).is(false));
  CHECK((!!m).id == m.id);
  CHECK(convert<uint64_t>(i).id == i.id);
  CHECK(convert<Ir<uint64_t>>(i).id == i.id);
  static_assert(std::same_as<int_of<Ir<double>>, Ir<int64_t>> &&
                std::same_as<uint_of<float>, uint32_t>);
  static_assert(std::same_as<mask_t<Ir<float>>, Ir<bool>> &&
                std::same_as<scalar_t<Ir<int8_t>>, int8_t>);
}

TEST_CASE("a branch runs one side") {
  const test::Emitted<float> e([](auto x) {
    return branch(x < decltype(x)(0), [&] { return sqrt(-x) + Ir<float>(1); }, [&] { return x; });
  });
  CHECK(e.as<float>(-4) == 3.0f);
  CHECK(e.as<float>(7) == 7.0f);
  const auto steps = [&](float x) {
    return test::LaneEval(e.kernel(), {num::detail::to_bits(x)}).executed();
  };
  CHECK(steps(-4) > steps(4));
  nest::Builder b("known");
  Writing w(b);
  CHECK(branch(Ir<bool>(true), [] { return Ir<float>(1); }, [] { return Ir<float>(2); }).is(1.0f));
}

TEST_CASE("complex division and length are robust") {
  const Cx<double> big{1e308, 1e308};
  CHECK((big / big).re == 1.0);
  CHECK((big / big).im == 0.0);
  CHECK(abs(Cx<double>{3e307, 4e307}) == Approx(5e307));
  CHECK(abs(Cx<double>{3e-310, 4e-310}) == Approx(5e-310));
  CHECK(abs(Cx<float>{inf, quiet}) == inf);
  CHECK((Cx<float>{1, 1} / Cx<float>{inf, inf}).re == 0.0f);
  CHECK((Cx<float>{1, 0} / Cx<float>{0, 0}).re == inf);
  const test::Emitted<double, double> e(
      [](auto a, auto b) { return abs(Cx(a, b) / Cx(b, a) * conj(Cx(a, a))); });
  for (double a : corner_cases<double>())
    for (double b : corner_cases<double>())
      CHECK(same_bits(e.bits(a, b), abs(Cx(a, b) / Cx(b, a) * conj(Cx(a, a)))));
}

}  // namespace weft::number_test
