// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/interop/precision_test.cpp: the precision of products, in jaxprs and in StableHLO, through
// transforms and back.
#include "support/check.h"

using namespace weft;
using namespace weft::test;

namespace {

using lax::Precision;

size_t occurrences(const std::string& text, const std::string& word) {
  size_t n = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
  return n;
}
template <class F, class... A>
std::string written(F f, const A&... a) {
  return to_stablehlo(make_jaxpr(f)(a...));
}
const char* const both =
    "precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]";

}  // namespace

TEST_CASE("products keep the precision that they are asked for", "[stablehlo]") {
  const Array a = arange(6.).reshape({2, 3}), b = a.T();
  const ProductOptions exact{.precision = Precision::HIGHEST};
  const auto asked = [&](auto f) { return occurrences(written(f, a, b), both); };
  CHECK(asked([](Array x, Array y) { return dot(x, y); }) == 0);
  CHECK(asked([&](Array x, Array y) { return dot(x, y, exact); }) == 1);
  CHECK(asked([&](Array x, Array y) { return matmul(x, y, exact); }) == 1);
  CHECK(asked([&](Array x, Array y) { return tensordot(x, y, 1, exact); }) == 1);
  CHECK(asked([&](Array x, Array) { return inner(x, x, exact); }) == 1);
  CHECK(asked([&](Array x, Array) { return vdot(x, x, exact); }) == 1);
  CHECK(asked([&](Array x, Array) { return vecdot(x, x, -1, exact); }) == 1);
  CHECK(asked([](Array x, Array y) {
          return einsum("ij,jk,kl->il", x, y, x, {.precision = Precision::HIGHEST});
        }) == 2);
  CHECK(asked([](Array x, Array y) {
          return lax::dot_general(x, y, {{1}, {0}}, {}, Precision::HIGHEST);
        }) == 1);
  CHECK(
      occurrences(
          written([](Array x, Array y) { return dot(x, y, {.precision = Precision::HIGH}); }, a, b),
          "precision HIGH>") == 2);
}

TEST_CASE("derivatives and maps of products keep their precision", "[stablehlo]") {
  const Array a = arange(6.).reshape({2, 3}), b = a.T();
  const auto loss = [](Array x, Array y) {
    return square(dot(x, y, {.precision = Precision::HIGHEST})).sum();
  };
  CHECK(occurrences(written(grad<0, 1>(loss), a, b), both) == 3);
  CHECK(occurrences(written(vmap(loss), stack({a, a}), stack({b, b})), both) == 1);
  const auto forward = [&](Array x, Array y) {
    return jvp(loss, std::tuple{x, y}, std::tuple{x, y}).second;
  };
  CHECK(occurrences(written(forward, a, b), both) == 3);
}

TEST_CASE("convolutions keep the precision that they are asked for", "[stablehlo]") {
  const Array x = arange(8.).reshape({1, 1, 8}), k = arange(3.).reshape({1, 1, 3});
  const auto conv = [](Array x, Array k) {
    return lax::conv_general_dilated(x, k, {1}, "SAME", {.precision = Precision::HIGHEST});
  };
  CHECK(occurrences(written(conv, x, k), both) == 1);
  const auto sum = [&](Array x, Array k) { return square(conv(x, k)).sum(); };
  CHECK(occurrences(written(grad<0, 1>(sum), x, k), both) == 3);
  CHECK(occurrences(written(
                        [](Array x, Array k) {
                          return lax::conv_with_general_padding(x, k, {1}, {{1, 1}},
                                                                {.precision = Precision::HIGHEST});
                        },
                        x, k),
                    both) == 1);
  CHECK(occurrences(written(
                        [](Array x, Array k) {
                          return lax::conv_transpose(swapaxes(x, 1, 2), k.reshape({3, 1, 1}), {2},
                                                     "SAME", {.precision = Precision::HIGHEST});
                        },
                        x, k),
                    both) == 1);
}

TEST_CASE("precision is read back", "[stablehlo]") {
  const Array a = arange(6.).reshape({2, 3}), b = a.T();
  for (const Precision p : {Precision::DEFAULT, Precision::HIGH, Precision::HIGHEST}) {
    const ClosedJaxpr c =
        make_jaxpr([p](Array x, Array y) { return dot(x, y, {.precision = p}); })(a, b);
    const std::string hlo = to_stablehlo(c), text = to_string(c.jaxpr);
    CHECK(to_stablehlo(parse_stablehlo(hlo)) == hlo);
    CHECK(read_jaxpr(text) == c.jaxpr);
    CHECK(occurrences(text, "precision=") == (p == Precision::DEFAULT ? 0 : 1));
  }
  // In the short form, the more exact one of two precisions is used.
  const std::string two =
      R"(func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [DEFAULT, HIGHEST] : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
})";
  CHECK(occurrences(to_stablehlo(parse_stablehlo(two)), "precision HIGHEST>") == 2);
}

TEST_CASE("products have the accuracy of their dtype", "[stablehlo]") {
  // 1 + 2^-12 is squared. BF16 or TF32 factors would lose the small part.
  const Array x = full({64, 64}, 1 + 0x1p-12);
  const float got =
      jit([](Array v) { return dot(v, v, {.precision = Precision::HIGHEST}); })(x)[{0, 0}]
          .item<float>();
  CHECK(got == Approx(64 * (1 + 0x1p-12) * (1 + 0x1p-12)).epsilon(1e-6));
}
