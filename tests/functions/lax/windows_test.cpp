// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/lax/windows_test.cpp: windows and pools as users call them: functions of any
// kind, ties, dtypes, shapes by name, mistakes. (windows_golden_test.cpp compares values with JAX.)
#include "core/op.h"
#include "support/check.h"

using namespace weft;
using namespace weft::test;

namespace {

Array numbers(const Shape& s, int m, int k) {
  return ((arange(s.elements()) * m) % k - k / 2).astype(F32).reshape(s);
}

}  // namespace

TEST_CASE("windows are folded by any function", "[functions][window]") {
  const Array x = numbers({4, 5}, 7, 11);
  // A function that is not commutative combines its window in row-major order: this one keeps the
  // last element.
  const auto last = [](Array, Array b) { return b; };
  CHECK(array_equal(lax::reduce_window(x, 0.f, last, {2, 3}), x[{slice(1, none), slice(2, none)}]));
  // The function may contain control flow, and run under a map.
  const auto larger = [](Array a, Array b) {
    return cond(a < b, [](Array, Array q) { return q; }, [](Array p, Array) { return p; }, a, b);
  };
  const auto by_cond = [&](Array v) {
    return lax::reduce_window(v, -100.f, larger, {2, 2}, {.padding = "SAME"});
  };
  CHECK(array_equal(by_cond(x), lax::reduce_window_max(x, {2, 2}, {.padding = "SAME"})));
  CHECK(array_equal(jit(vmap(by_cond))(stack({x, -x})), stack({by_cond(x), by_cond(-x)})));
  // With several operands it finds the largest element of each window and its position.
  const auto first_largest = [](Arrays a, Arrays b) {
    const Array keep = a[0] >= b[0];
    return Arrays{where(keep, a[0], b[0]), where(keep, a[1], b[1])};
  };
  const Array row = array({1., 4., 4., 2., 3.}).astype(F32);
  const Arrays r = lax::reduce_window(
      Arrays{row, arange(5)}, Arrays{array(-9.).astype(F32), array(-1)}, first_largest, {3});
  CHECK(array_equal(r[0], array({4., 4., 4.}).astype(F32)));
  CHECK(array_equal(r[1], array({1, 1, 2})));
  // A sum, a maximum or a minimum alone becomes the op of that name.
  const auto name_of = [&](auto f, Array init) {
    return make_jaxpr([&](Array v) { return lax::reduce_window(v, init, f, {2, 2}); })(x)
        .jaxpr->eqns[0]
        .op->name();
  };
  CHECK(name_of([](Array a, Array b) { return b + a; }, 0.f) == "reduce_window_sum");
  CHECK(name_of(lax::max, -std::numeric_limits<float>::infinity()) == "reduce_window_max");
  CHECK(name_of(lax::max, 0.f) != "reduce_window_max");
  CHECK(array_equal(lax::reduce_window(x, 3.f, lax::max, {2, 2}),
                    maximum(lax::reduce_window_max(x, {2, 2}), 3.f)));
}

// XLA behaves like this, and the expected numbers are JAX's.
TEST_CASE("init takes part once in each window, and padding takes none", "[functions][window]") {
  const Array x = arange(1., 7.);
  const auto sums = [&](const lax::WindowOptions& o, int64_t size = 3) {
    const auto f = [&](const lax::WindowOptions& w, Array (*sum)(Array, Array)) {
      const auto folds = [&](Array v) { return lax::reduce_window(v, 10.f, sum, {size}, w); };
      const Array r = folds(x);
      CHECK(array_equal(jit(folds)(x), r));
      CHECK(array_equal(vmap(folds)(stack({x, x}))[1], r));
      return floats(r);
    };
    const Floats plain = f(o, [](Array a, Array b) { return a + b; });
    // This is the same sum in a form that is not recognized as one.
    CHECK(f(o, [](Array a, Array b) { return maximum(a, b) + minimum(a, b); }) == plain);
    return plain;
  };
  const lax::ConvPadding around = std::vector<std::pair<int64_t, int64_t>>{{2, 1}};
  CHECK(sums({.padding = around}) == Floats{11, 13, 16, 19, 22, 25, 21});
  CHECK(sums({.padding = around, .base_dilation = {2}}) ==
        Floats{11, 11, 13, 12, 15, 13, 17, 14, 19, 15, 21, 16});
  CHECK(sums({.padding = around, .window_dilation = {2}}) == Floats{14, 16, 19, 22, 18});
  CHECK(sums({.padding = std::vector<std::pair<int64_t, int64_t>>{{-1, 2}}}) ==
        Floats{19, 22, 25, 21, 16});
  CHECK(sums({.padding = std::vector<std::pair<int64_t, int64_t>>{{6, 6}}}) ==
        Floats{10, 10, 10, 10, 11, 13, 16, 19, 22, 25, 21, 16, 10, 10, 10, 10});
  CHECK(sums({.padding = std::vector<std::pair<int64_t, int64_t>>{{1, 1}}}, 1) ==
        Floats{10, 11, 12, 13, 14, 15, 16, 10});
  const Array products =
      lax::reduce_window(x, 10.f, lax::mul, {3}, lax::WindowOptions{.padding = around});
  CHECK(floats(products) == Floats{10, 20, 60, 240, 600, 1200, 300});
  const Arrays two =
      lax::reduce_window(Arrays{x, x * 10}, Arrays{Array(10.f), Array(100.f)},
                         [](Arrays a, Arrays b) { return Arrays{a[0] + b[0], a[1] + b[1]}; }, {3},
                         {.padding = around});
  CHECK(floats(two[0]) == Floats{11, 13, 16, 19, 22, 25, 21});
  CHECK(floats(two[1]) == Floats{110, 130, 160, 190, 220, 250, 210});
  // These are the derivatives with respect to x and init.
  const auto total = [&](Array v, Array init) {
    return lax::reduce_window(v, init,
                              [](Array a, Array b) { return maximum(a, b) + minimum(a, b); }, {3},
                              {.padding = around})
        .sum();
  };
  const auto [by_x, by_init] = grad<0, 1>(total)(x, Array(10.f));
  CHECK(floats(by_x) == Floats{3, 3, 3, 3, 3, 2});
  CHECK(by_init.item<float>() == 7);
}

TEST_CASE("among equal elements the first gets the cotangent", "[functions][window]") {
  const Array x = zeros({2, 4});
  const auto slope = [](auto f) { return grad([f](Array v) { return f(v).sum(); }); };
  const Array first = array({1., 0., 1., 0., 0., 0., 0., 0.}).astype(F32).reshape({2, 4});
  const auto max = [](Array v) {
    return lax::reduce_window_max(v, {2, 2}, {.window_strides = {2, 2}});
  };
  const auto min = [](Array v) {
    return lax::reduce_window_min(v, {2, 2}, {.window_strides = {2, 2}});
  };
  CHECK(array_equal(slope(max)(x), first));
  CHECK(array_equal(jit(slope(min))(x), first));
  // Padding is never selected, even if all elements are equal to its value.
  const Array least = full({3}, -std::numeric_limits<float>::infinity());
  const auto padded = [](Array v) { return lax::reduce_window_max(v, {3}, {.padding = "SAME"}); };
  CHECK(array_equal(slope(padded)(least), array({2., 1., 0.}).astype(F32)));
  // A strided window is dilated, as is its operand. The derivatives are tested, too.
  const auto apart = [](Array v) {
    return lax::reduce_window_max(
        v, {2}, {.window_strides = {2}, .base_dilation = {2}, .window_dilation = {2}});
  };
  const Array row = array({1., 5., 2., 3.}).astype(F32);
  CHECK(array_equal(apart(row), array({5., 5., 3.}).astype(F32)));
  CHECK(array_equal(slope(apart)(row), array({0., 2., 0., 1.}).astype(F32)));
  CHECK(array_equal(jvp(apart, std::tuple{row}, std::tuple{row}).second, apart(row)));
}

TEST_CASE("choices and sums of any kind are scattered", "[functions][window]") {
  const Array x = numbers({4, 5}, 7, 11), s = numbers({3, 3}, 5, 7);
  const auto ge = [](Array a, Array b) { return a >= b; };
  const lax::ConvPadding pads = {{0, 0}, {1, 0}};
  const auto general = [&](Array source) {
    return lax::select_and_scatter(x, ge, {2, 2}, {1, 2}, pads, source, 0.f, lax::add);
  };
  const auto ours = [&](Array source) {
    return lax::select_and_scatter_add(source, x, {2, 2},
                                       {.window_strides = {1, 2}, .padding = pads});
  };
  CHECK(array_equal(general(s), ours(s)));
  CHECK(array_equal(jit(general)(s), ours(s)));
  CHECK(array_equal(vmap(general)(stack({s, -s})), stack({ours(s), ours(-s)})));
  // ">" moves on from an equal element, so that the last one is selected. Windows run one after
  // another.
  const auto gt = [](Array a, Array b) { return a > b; };
  const auto last = [](Array, Array b) { return b; };
  const Array ties = lax::select_and_scatter(zeros({4}), gt, {2}, {1}, "VALID",
                                             array({1., 2., 3.}).astype(F32), 7.f, last);
  CHECK(array_equal(ties, array({7., 1., 2., 3.}).astype(F32)));
}

TEST_CASE("pools of other dtypes and ranks", "[functions][window]") {
  const Array n = arange(8).reshape({1, 4, 2});
  CHECK(
      array_equal(nn::max_pool(n, {2}, {.strides = {2}}), array({2, 3, 6, 7}).reshape({1, 2, 2})));
  CHECK(nn::avg_pool(n, {2}).dtype() == F32);
  CHECK(nn::max_pool(n.astype(BF16), {2}).dtype() == BF16);
  CHECK(nn::max_pool(zeros({2, 3, 8, 8, 8, 4}), {2, 2, 2}, {.strides = {2, 2, 2}}).shape() ==
        Shape{2, 3, 4, 4, 4, 4});
  CHECK(nn::avg_pool(zeros({8, 4}), {3}, {.padding = "SAME"}).shape() == Shape{8, 4});
  // A window of padding alone has the smallest value of the dtype, and the mean of no elements.
  const Array one = ones({1, 1, 1});
  CHECK(array_equal(nn::max_pool(one, {1}, {.padding = {{1, 0}}}).ravel(),
                    array({-std::numeric_limits<double>::infinity(), 1.}).astype(F32)));
  CHECK(
      array_equal(nn::avg_pool(one, {2}, {.padding = {{1, 0}}}).ravel(), array({0.5}).astype(F32)));
  CHECK(
      array_equal(nn::avg_pool(one, {2}, {.padding = {{1, 0}}, .count_include_pad = false}).ravel(),
                  array({1.}).astype(F32)));
  const Array b = numbers({4}, 3, 5);
  CHECK(array_equal(nn::conv_transpose(one, ones({3, 1, 4}), {.strides = {2}, .bias = b}),
                    nn::conv_transpose(one, ones({3, 1, 4}), {.strides = {2}}) + b));
}

TEST_CASE("shapes and padding by name", "[functions][window]") {
  using Pads = std::vector<std::pair<int64_t, int64_t>>;
  CHECK(lax::padtype_to_pads({7, 6}, {3, 2}, {2, 3}, "SAME") == Pads{{1, 1}, {0, 0}});
  CHECK(lax::padtype_to_pads({6}, {4}, {1}, "SAME") == Pads{{1, 2}});
  CHECK(lax::padtype_to_pads({6}, {4}, {1}, "SAME_LOWER") == Pads{{2, 1}});
  CHECK(lax::padtype_to_pads({6}, {4}, {1}, "VALID") == Pads{{0, 0}});
  CHECK(lax::reduce_window_shape_tuple(
            {7, 6}, {3, 2}, {.window_strides = {2, 1}, .window_dilation = {1, 2}}) == Shape{3, 4});
  CHECK(lax::reduce_window_shape_tuple({2}, {3}) == Shape{0});
  const auto axes = lax::conv_dimension_numbers({1, 2, 3}, {2, 3, 4}, {"NWC", "WIO", "CNW"});
  CHECK(axes.lhs_spec == lax::Sizes{0, 2, 1});
  CHECK(axes.rhs_spec == lax::Sizes{2, 1, 0});
  CHECK(axes.out_spec == lax::Sizes{1, 0, 2});
}

TEST_CASE("mistakes in windows", "[functions][window][errors]") {
  const Array x = zeros({4, 5}), v = zeros({4}), image = zeros({1, 4, 5, 2});
  check_error<ShapeError>([&] { lax::reduce_window_sum(x, {2}); }, "need one entry an axis, 2");
  check_error<ShapeError>([&] { lax::reduce_window_sum(x, {2, 0}); }, "positive, got 0");
  check_error<ShapeError>([&] { lax::reduce_window_max(v, {2}, {.window_strides = {0}}); },
                          "positive, got 0");
  check_error<ShapeError>([&] { lax::reduce_window_min(v, {2}, {.padding = "same"}); },
                          "got \"same\"");
  check_error<ShapeError>([&] { lax::reduce_window_min(v, {2}, {.padding = {{0, 0}, {0, 0}}}); },
                          "need one entry an axis, 1");
  check_error<DTypeError>([&] { lax::reduce_window_max(v.astype(C64), {2}); }, "operands");
  check_error<ShapeError>([&] { lax::reduce_window(v, v, lax::add, {2}); },
                          "scalars as initial values");
  check_error<DTypeError>([&] { lax::reduce_window(v, array(1), lax::add, {2}); },
                          "an initial value of i32 for an operand of f32");
  const auto compare = [](Array a, Array b) { return a < b; };
  check_error<DTypeError>([&] { lax::reduce_window(v, 0.f, compare, {2}); },
                          "scalars of the types that it takes");
  check_error<ShapeError>([&] { lax::select_and_scatter_add(v, v, {2}); }, "an element a window");
  check_error<ShapeError>([&] { lax::select_and_gather_add(v, v, {2}, {.select = "gt"}); },
                          "must be \"ge\" or \"le\", got \"gt\"");
  const auto scatter = [&](auto select, const Array& source, const Array& init) {
    lax::select_and_scatter(v, select, {2}, {2}, "VALID", source, init, lax::add);
  };
  check_error<ShapeError>([&] { scatter(compare, v, 0.f); }, "a source with an element a window");
  check_error<DTypeError>([&] { scatter(lax::add, zeros({2}), 0.f); }, "select must give a bool");
  check_error<ShapeError>([&] { nn::max_pool(v, {2}); }, "a window of 1 axes needs x of");
  check_error<ShapeError>([&] { nn::min_pool(image, {2, 2}, {.strides = {1}}); },
                          "strides need one entry a spatial axis, 2");
  check_error<ShapeError>([&] { nn::avg_pool(image, {2, 2}, {.padding = {{0, 1}}}); },
                          "paddings need one entry a spatial axis, 2");
  const Array kernel = zeros({2, 2, 2, 3});
  check_error<ShapeError>([&] { lax::conv_transpose(image, kernel, {1}, "SAME"); },
                          "need one entry a spatial axis, 2");
  check_error<ShapeError>([&] { lax::conv_transpose(image, kernel, {1, 0}, "SAME"); },
                          "must be positive");
  check_error<ShapeError>([&] { lax::conv_transpose(image, kernel, {1, 1}, "SAME_LOWER"); },
                          "got \"SAME_LOWER\"");
  check_error<ShapeError>([&] { nn::conv_transpose(image, v); }, "conv_transpose: takes x (batch");
  check_error<ShapeError>([&] { lax::conv_general_dilated_patches(v, {2}, {1}, "SAME"); },
                          "needs lhs of rank 3");
  check_error<ShapeError>([&] { lax::conv_general_dilated_patches(image, {2, 0}, {1, 1}, "SAME"); },
                          "positive entry");
  check_error<ShapeError>(
      [&] { lax::conv_general_dilated_local(image, kernel, {1, 1}, "VALID", {2, 2}); },
      "the features and the places of the patches");
  check_error<ShapeError>([&] { lax::conv_dimension_numbers({1, 2}, {1, 2, 3}); }, "of one rank");
  check_error<ShapeError>([&] { convolve(x, v); }, "takes two vectors");
  check_error<ShapeError>([&] { correlate(v, zeros({0})); }, "not empty");
  check_error<ShapeError>([&] { convolve(v, v, "all"); }, "got \"all\"");
}
