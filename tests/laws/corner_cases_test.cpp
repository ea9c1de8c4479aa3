// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/laws/corner_cases_test.cpp: corner cases of arithmetic and of derivatives, whose results
// JAX defines.
#include <fmt/format.h>

#include <cstdint>
#include <limits>

#include "autodiff/autodiff.h"
#include "batching/batch_trace.h"
#include "ops/structure/structure.h"
#include "support/catch.h"
#include "tracer/base_ops.h"
#include "tracer/concrete.h"
#include "tracer/record_trace.h"
#include "weft/lax/compare.h"
#include "weft/lax/convert.h"
#include "weft/lax/cumulative.h"
#include "weft/lax/dot.h"
#include "weft/lax/elementary.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/reduce.h"
#include "weft/lax/rounding.h"

using namespace weft;

namespace {

template <class T>
Array row(const std::vector<T>& v) {
  return array_of_bytes(Type(dtype_of_v<T>, {v.size()}), v.data());
}
using Doubles = std::vector<double>;
constexpr double inf = std::numeric_limits<double>::infinity();
const double not_a_number = std::numeric_limits<double>::quiet_NaN();

// Returns the gradient of the sum of f(x) at x.
template <class F>
Doubles gradient(F f, const Doubles& x) {
  const Linearized l =
      linearize_flat([&](const Arrays& a) { return Arrays{f(a[0])}; }, {row(x)}, {true});
  return l.linear.transpose({base::ones(l.out[0].type())})[0].template to_vector<double>();
}
std::string text(const Doubles& v) {
  std::string s;
  for (double x : v) s += x != x ? "nan " : fmt::format("{} ", x);
  return s;
}

}  // namespace

TEST_CASE("integers: division, remainder and shifts are total") {
  const int32_t least = std::numeric_limits<int32_t>::min();
  const Array x = row<int32_t>({7, -7, least, 5, -5}), y = row<int32_t>({2, 2, -1, 0, 0});
  CHECK(lax::div(x, y).to_vector<int32_t>() == std::vector<int32_t>{3, -3, least, -1, -1});
  CHECK(lax::rem(x, y).to_vector<int32_t>() == std::vector<int32_t>{1, -1, 0, 5, -5});
  CHECK(lax::div(row<uint8_t>({7}), row<uint8_t>({0})).to_vector<int>() == std::vector<int>{255});
  CHECK(lax::abs(row<int32_t>({least})).to_vector<int32_t>() == std::vector<int32_t>{least});
  const Array n = row<int32_t>({1, 31, 32, -1}), bits = row<int32_t>({-8, -8, -8, -8});
  CHECK(lax::shift_left(bits, n).to_vector<int32_t>() == std::vector<int32_t>{-16, 0, 0, 0});
  CHECK(lax::shift_right_logical(bits, n).to_vector<int32_t>() ==
        std::vector<int32_t>{0x7ffffffc, 1, 0, 0});
  CHECK(lax::shift_right_arithmetic(bits, n).to_vector<int32_t>() ==
        std::vector<int32_t>{-4, -1, -1, -1});
}

TEST_CASE("conversions truncate, saturate and wrap") {
  const Array x = row<double>({2.9, -2.9, not_a_number, 1e20, -1e20, inf});
  CHECK(lax::convert_element_type(x, I8).to_vector<int>() ==
        std::vector<int>{2, -2, 0, 127, -128, 127});
  CHECK(lax::convert_element_type(x, U8).to_vector<int>() ==
        std::vector<int>{2, 0, 0, 255, 0, 255});
  CHECK(lax::convert_element_type(x, Bool).to_vector<bool>() == std::vector<bool>(6, true));
  CHECK(lax::convert_element_type(row<int32_t>({300, -1}), U8).to_vector<int>() ==
        std::vector<int>{44, 255});
  // The conversion rounds once. A conversion through float would make a tie of 1 + 2^-8.
  const Array y = lax::convert_element_type(row<double>({1 + 0x1p-8 + 0x1p-40}), BF16);
  CHECK(y.to_vector<double>() == Doubles{1 + 0x1p-7});
}

TEST_CASE("rounding, extremes, powers of zero") {
  using lax::RoundingMethod;
  const Array x = row<double>({0.5, 1.5, -2.5, -0.2});
  CHECK(text(lax::round(x).to_vector<double>()) == text({1, 2, -3, -0.0}));
  CHECK(text(lax::round(x, RoundingMethod::TO_NEAREST_EVEN).to_vector<double>()) ==
        text({0, 2, -2, -0.0}));
  CHECK(text(lax::max(row<double>({-0.0, not_a_number, 1}), row<double>({0.0, 1, not_a_number}))
                 .to_vector<double>()) == text({0.0, not_a_number, not_a_number}));
  CHECK(text(lax::sign(row<double>({-0.0, not_a_number, -3})).to_vector<double>()) ==
        text({-0.0, not_a_number, -1}));
  CHECK(lax::integer_pow(row<double>({not_a_number, 0}), 0).to_vector<double>() == Doubles{1, 1});
  CHECK(
      text(lax::clamp(row<double>({2}), row<double>({5}), row<double>({1})).to_vector<double>()) ==
      text({1}));
  CHECK(lax::argmax(row<double>({1, not_a_number, 3, not_a_number}), 0).item<int>() == 1);
  CHECK(lax::argmin(row<double>({2, 1, 1}), 0).item<int>() == 1);
  CHECK(lax::reduce_max(row<double>({}), {0}).item<double>() == -inf);
  CHECK(lax::nextafter(row<double>({0}), row<double>({-1})).item<double>() ==
        -std::numeric_limits<double>::denorm_min());
}

TEST_CASE("derivatives at ties, kinks and zeros") {
  const Array ones = row<double>({1, 1});
  CHECK(gradient([&](const Array& x) { return lax::max(x, ones); }, {1, 2}) == Doubles{0.5, 1});
  CHECK(gradient([](const Array& x) { return lax::abs(x); }, {0, -2}) == Doubles{1, -1});
  CHECK(gradient([](const Array& x) { return lax::reduce_max(x, {0}); }, {3, 1, 3}) ==
        Doubles{0.5, 0, 0.5});
  CHECK(gradient([](const Array& x) { return lax::reduce_prod(x, {0}); }, {2, 0, 3}) ==
        Doubles{0, 6, 0});
  CHECK(gradient([](const Array& x) { return lax::reduce_prod(x, {0}); }, {0, 0, 3}) ==
        Doubles{0, 0, 0});
  CHECK(gradient([](const Array& x) { return lax::cumprod(x); }, {2, 0, 3}) == Doubles{1, 8, 0});
  CHECK(gradient([](const Array& x) { return lax::cummax(x); }, {1, 1}) == Doubles{1.5, 0.5});
  CHECK(gradient([](const Array& x) { return lax::clamp(scalar_of(F64, 0), x, scalar_of(F64, 1)); },
                 {0, 0.5, 1, 2}) == Doubles{0, 1, 0, 0});
  CHECK(gradient([](const Array& x) { return lax::sqrt(x); }, {0}) == Doubles{inf});
  // x^0 is 1 everywhere, so that its derivative is 0. JAX gives NaN at 0.
  CHECK(gradient([](const Array& x) { return lax::pow(x, scalar_of(F64, 0)); }, {0, 2}) ==
        Doubles{0, 0});
  CHECK(gradient([](const Array& x) { return lax::pow(x, scalar_of_int(I32, 0)); }, {0, 2}) ==
        Doubles{0, 0});
  CHECK(gradient([](const Array& x) { return lax::stop_gradient(x); }, {1}) == Doubles{0});
  CHECK(
      gradient([](const Array& x) { return pad_with(x, lax::reduce_sum(x, {0}), {1}, {-1}, {1}); },
               {1, 2, 3}) == Doubles{4, 4, 3});
}

TEST_CASE("a shared factor of a mapped product stays shared") {
  const Array w = row<double>({1, 2, 3});
  const Types in{Type(F64, {4, 3}), w.type()};
  const ClosedJaxpr c = record(in, [&](const Arrays& x) {
    return vmap_flat(
               [](const Arrays& a) { return Arrays{lax::dot_general(a[0], a[1], {{0}, {0}})}; }, x,
               {0, std::nullopt}, 4)
        .out;
  });
  CHECK(c.jaxpr->eqns.size() == 1);
  CHECK(to_string(c.jaxpr->out_types()) == "f64[4]");
}
