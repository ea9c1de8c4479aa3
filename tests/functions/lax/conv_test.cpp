// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/lax/conv_test.cpp: convolutions as users call them: dimension numbers, padding,
// layers, maps over images and kernels, mistakes. (The conformance suites compare values with JAX.)
#include "support/check.h"

using namespace weft;
using namespace weft::test;

namespace {

// Returns integers, whose sums do not round.
Array numbers(const Shape& s, int m, int k) {
  return ((arange(s.elements()) * m) % k - k / 2).astype(F32).reshape(s);
}
const lax::ConvDimensions last = {"NHWC", "HWIO", "NHWC"};

// Sums the products of each kernel element with the slice of x that it covers.
Array by_slices(const Array& x, const Array& k) {
  const int64_t h = x.shape()[1] - k.shape()[0] + 1, w = x.shape()[2] - k.shape()[1] + 1;
  Array sum;
  for (int64_t i = 0; i < k.shape()[0]; ++i)
    for (int64_t j = 0; j < k.shape()[1]; ++j) {
      const Array part =
          einsum("bhwc,co->bhwo", x[{slice(), slice(i, i + h), slice(j, j + w)}], k[{i, j}]);
      sum = sum.empty_handle() ? part : sum + part;
    }
  return sum;
}

}  // namespace

TEST_CASE("a convolution is a sum of shifted products", "[functions][conv]") {
  const Array x = numbers({2, 6, 5, 3}, 7, 11), k = numbers({3, 2, 3, 4}, 5, 13);
  const auto conv = [](Array a, Array b) {
    return lax::conv_general_dilated(a, b, {1, 1}, "VALID", {.dimension_numbers = last});
  };
  CHECK(array_equal(conv(x, k), by_slices(x, k)));
  CHECK(array_equal(jit(conv)(x, k), by_slices(x, k)));
  CHECK(array_equal(grad([&](Array b) { return (conv(x, b) * conv(x, b)).sum(); })(k),
                    grad([&](Array b) { return (by_slices(x, b) * by_slices(x, b)).sum(); })(k)));
  CHECK(array_equal(grad([&](Array a) { return (conv(a, k) * conv(a, k)).sum(); })(x),
                    grad([&](Array a) { return (by_slices(a, k) * by_slices(a, k)).sum(); })(x)));
  // The axes may have other orders. By default the features come before space.
  const Array nchw = x.transpose({0, 3, 1, 2}), oihw = k.transpose({3, 2, 0, 1});
  CHECK(array_equal(lax::conv_general_dilated(nchw, oihw, {1, 1}, "VALID"),
                    by_slices(x, k).transpose({0, 3, 1, 2})));
  CHECK(array_equal(lax::conv_general_dilated(x, oihw, {1, 1}, "VALID",
                                              {.dimension_numbers = {"NHWC", "OIHW", "HWNC"}}),
                    by_slices(x, k).transpose({1, 2, 0, 3})));
}

TEST_CASE("strides, dilations and padding", "[functions][conv]") {
  const Array x = numbers({1, 7, 6, 2}, 7, 11), k = numbers({3, 3, 2, 2}, 5, 13);
  const auto conv = [&](std::vector<int64_t> strides, const lax::ConvPadding& padding,
                        lax::ConvDilatedOptions o = {}) {
    o.dimension_numbers = last;
    return lax::conv_general_dilated(x, k, strides, padding, o);
  };
  const Array padded = pad(x, {{0, 0}, {1, 2}, {0, 1}, {0, 0}});
  const Array whole = by_slices(padded, k);
  CHECK(array_equal(conv({1, 1}, {{1, 2}, {0, 1}}), whole));
  CHECK(array_equal(conv({2, 3}, {{1, 2}, {0, 1}}),
                    whole[{slice(), slice(none, none, 2), slice(none, none, 3)}]));
  // The number of positions is rounded up. An odd amount of padding adds the extra element at the
  // end, or at the beginning.
  CHECK(conv({2, 4}, "SAME").shape() == Shape{1, 4, 2, 2});
  CHECK(array_equal(conv({2, 4}, "SAME"), conv({2, 4}, {{1, 1}, {0, 1}})));
  CHECK(array_equal(conv({2, 4}, "SAME_LOWER"), conv({2, 4}, {{1, 1}, {1, 0}})));
  const Array spread = lax::pad(k, 0.f, {{0, 0, 1}, {0, 0, 0}, {}, {}});
  CHECK(array_equal(conv({1, 1}, "VALID", {.rhs_dilation = {2, 1}}), by_slices(x, spread)));
  const Array apart = lax::pad(x, 0.f, {{}, {0, 0, 2}, {2, 2, 0}, {}});
  CHECK(array_equal(conv({1, 1}, {{0, 0}, {2, 2}}, {.lhs_dilation = {3, 1}}), by_slices(apart, k)));
  // The padding may be negative, and the image may be too small for the kernel.
  CHECK(array_equal(conv({1, 1}, {{-1, 0}, {0, -2}}),
                    by_slices(x[{slice(), slice(1, none), slice(0, 4)}], k)));
  CHECK(conv({1, 1}, {{-3, -3}, {0, 0}}).shape() == Shape{1, 0, 4, 2});
}

TEST_CASE("groups are convolutions side by side", "[functions][conv]") {
  const Array x = numbers({2, 5, 5, 4}, 7, 11), k = numbers({2, 2, 2, 6}, 5, 13);
  const auto half = [](const Array& a, int64_t axis, int64_t i) {
    const int64_t n = a.shape()[axis] / 2;
    return lax::slice_in_dim(a, i * n, (i + 1) * n, 1, axis);
  };
  const auto joined = [&](int64_t axis_of_x) {
    return concatenate({by_slices(half(x, axis_of_x, 0), half(k, 3, 0)),
                        by_slices(half(x, axis_of_x, 1), half(k, 3, 1))},
                       -1);
  };
  CHECK(
      array_equal(lax::conv_general_dilated(x, k, {1, 1}, "VALID",
                                            {.dimension_numbers = last, .feature_group_count = 2}),
                  joined(3)));
  const Array wide = numbers({2, 2, 4, 6}, 5, 13);
  const Array batches = concatenate(
      {by_slices(half(x, 0, 0), half(wide, 3, 0)), by_slices(half(x, 0, 1), half(wide, 3, 1))}, -1);
  CHECK(array_equal(lax::conv_general_dilated(x, wide, {1, 1}, "VALID",
                                              {.dimension_numbers = last, .batch_group_count = 2}),
                    batches));
}

TEST_CASE("a convolutional layer", "[functions][conv]") {
  const Array x = numbers({2, 7, 6, 3}, 7, 11), k = numbers({3, 3, 3, 4}, 5, 13),
              b = numbers({4}, 1, 7);
  CHECK(nn::conv(x, k).shape() == Shape{2, 7, 6, 4});
  CHECK(array_equal(nn::conv(x, k, {.padding = "VALID", .bias = b}), by_slices(x, k) + b));
  CHECK(nn::conv(x[{slice(), 0}], k[0], {.strides = {2}}).shape() == Shape{2, 3, 4});
}

TEST_CASE("maps over images, kernels and both", "[functions][conv]") {
  const Array x = numbers({3, 2, 5, 5, 2}, 7, 11), k = numbers({3, 2, 2, 2, 4}, 5, 13);
  const auto conv = [](Array a, Array b) {
    return lax::conv_general_dilated(a, b, {1, 1}, "VALID", {.dimension_numbers = last});
  };
  const auto one = [&](const Array& a, const Array& b) { return by_slices(a, b); };
  const auto all = [&](bool images, bool kernels) {
    Arrays rows;
    for (int i = 0; i < 3; ++i) rows.push_back(one(x[images ? i : 0], k[kernels ? i : 0]));
    return stack(rows);
  };
  const Array both = all(true, true);
  CHECK(array_equal(vmap(conv)(x, k), both));
  CHECK(array_equal(jit(vmap(conv))(x, k), both));
  CHECK(array_equal(vmap(conv, {0, none})(x, k[0]), all(true, false)));
  CHECK(array_equal(vmap(conv, {none, 0})(x[0], k), all(false, true)));
  // The convolution is written as StableHLO, which has no lanes, and parsed.
  for (const bool images : {true, false})
    for (const bool kernels : {true, false}) {
      if (!images && !kernels) continue;
      const Array a = images ? x : x[0], b = kernels ? k : k[0];
      const Axes in{images ? Axes(0) : Axes(none), kernels ? Axes(0) : Axes(none)};
      const std::string text = jit(vmap(conv, in)).lower(a, b).stablehlo();
      CHECK(array_equal(eval_jaxpr(parse_stablehlo(text), {a, b})[0], all(images, kernels)));
    }
}

TEST_CASE("mistakes in convolutions", "[functions][conv][errors]") {
  const Array x = zeros({1, 2, 5}), k = zeros({3, 2, 2});
  const auto conv = [&](const Array& a, const Array& b, const lax::ConvPadding& padding,
                        const lax::ConvDilatedOptions& o = {}) {
    lax::conv_general_dilated(a, b, {1}, padding, o);
  };
  check_error<ShapeError>([&] { conv(x[0], k, "SAME"); },
                          "1 window strides need operands of rank 3, got f32[2,5]");
  check_error<ShapeError>([&] { conv(x, k, "same"); }, "got \"same\"");
  check_error<ShapeError>([&] { conv(x, k, "SAME", {.lhs_dilation = {2}}); },
                          "does not go with a lhs_dilation");
  check_error<ShapeError>([&] { conv(x, k, {{0, 0}, {0, 0}}); }, "one entry a spatial axis, 1");
  check_error<ShapeError>([&] { conv(x, k, "SAME", {.dimension_numbers = {"NWC", "WIO", "NHC"}}); },
                          "'NHC' of the result must have the letter W once");
  check_error<ShapeError>([&] { conv(x, k, "SAME", {.dimension_numbers = {"NWC", "WIO", "NC"}}); },
                          "must have a letter for each of the 3 axes");
  check_error<ShapeError>([&] { conv(x, zeros({3, 4, 2}), "SAME"); },
                          "the 2 features of lhs in 1 groups must be the 4 that rhs takes");
  check_error<DTypeError>([&] { conv(x, k.astype(F64), "SAME"); }, "same dtypes");
  check_error<ShapeError>([&] { conv(x, k, "SAME"), conv(x, k, {{-9, 0}}); }, "is negative");
  check_error<ShapeError>([&] { conv(x[0], k, "SAME"); }, "conv_test.cpp:");
  check_error<ShapeError>([&] { nn::conv(zeros({3}), k); }, "conv: takes x (batch");
}
