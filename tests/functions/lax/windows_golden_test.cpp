// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/lax/windows_golden_test.cpp: compares windows, pools and convolutions with JAX's
// results for the same calls (tests/golden/generators/make_windows.py). It compares values,
// gradients, tangents and maps, eagerly and compiled.
#include <cmath>
#include <limits>
#include <map>

#include "functions/array_calls.h"
#include "weft/weft.h"

using namespace weft;
using weft::testing::Call, weft::testing::Calls, weft::testing::steps;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity(),
                 not_a_number = std::numeric_limits<double>::quiet_NaN();

const Array image = steps({2, 5, 6, 3}, 7, 23), row = steps({9}, 5, 17),
            plane = steps({4, 5}, 3, 13), kernel = steps({3, 2, 3, 4}, 5, 19),
            brief = steps({4}, 3, 7), lines = steps({2, 7, 3}, 7, 23),
            first = steps({2, 3, 6, 5}, 7, 23), filters = steps({4, 3, 3, 2}, 5, 19),
            local_kernels = steps({2, 12, 3, 2}, 5, 17);

Calls pools() {
  using namespace nn;
  return {
      {"max_pool", {[](Array v) { return max_pool(v, {2, 2}, {.strides = {2, 2}}); }, image}},
      {"max_pool_same",
       {[](Array v) { return max_pool(v, {3, 3}, {.strides = {2, 1}, .padding = "SAME"}); },
        image}},
      {"max_pool_pairs",
       {[](Array v) { return max_pool(v, {2, 3}, {.padding = {{1, 0}, {0, 2}}}); }, image}},
      {"max_pool_single",
       {[](Array v) { return max_pool(v, {3}, {.strides = {2}, .padding = "SAME"}); }, lines[0]}},
      {"max_pool_ties",
       {[](Array v) { return max_pool(round(v), {3, 2}, {.padding = "SAME"}); }, image}},
      {"min_pool",
       {[](Array v) { return min_pool(v, {2, 3}, {.strides = {1, 2}, .padding = "SAME"}); },
        image}},
      {"avg_pool", {[](Array v) { return avg_pool(v, {2, 2}, {.strides = {2, 2}}); }, image}},
      {"avg_pool_same",
       {[](Array v) { return avg_pool(v, {3, 2}, {.strides = {2, 1}, .padding = "SAME"}); },
        image}},
      {"avg_pool_counted",
       {[](Array v) {
          return avg_pool(v, {3, 2},
                          {.strides = {2, 1}, .padding = "SAME", .count_include_pad = false});
        },
        image}},
  };
}

Calls windows() {
  using namespace lax;
  const Array odd = array(
      {3., not_a_number, -1., inf, 0., -0., -2.5, not_a_number, 1., 1., not_a_number, -inf, -inf});
  const auto product = [](Array a, Array b) { return a * b; };
  return {
      {"window_sum",
       {[](Array v) {
          return reduce_window(v, 0.f, lax::add, {2, 3},
                               {.window_strides = {1, 2},
                                .padding = {{1, 0}, {2, -1}},
                                .base_dilation = {2, 1},
                                .window_dilation = {1, 2}});
        },
        plane}},
      {"window_max",
       {[](Array v) {
          return reduce_window(v, -inf, lax::max, {2, 3},
                               {.window_strides = {2, 1}, .padding = {{0, 1}, {2, 0}}});
        },
        plane}},
      {"window_min",
       {[](Array v) { return reduce_window_min(v, {3, 2}, {.padding = "SAME_LOWER"}); }, plane}},
      {"window_max_odd", {[](Array v) { return reduce_window_max(v, {3}); }, odd}},
      {"window_sum_odd", {[](Array v) { return reduce_window_sum(v, {2}); }, odd}},
      {"window_prod",
       {[=](Array v) {
          return reduce_window(v, 1.f, product, {2, 2},
                               {.window_strides = {1, 2}, .padding = "SAME"});
        },
        plane}},
      {"window_init",
       {[](Array v) { return reduce_window(v, 2.f, lax::add, {3}, {.window_strides = {2}}); },
        row}},
      {"window_long",
       {[](Array v) {
          return reduce_window_sum(v, {70}, {.window_strides = {3}, .padding = {{5, 1}}});
        },
        steps({90}, 5, 31)}},
      {"window_long_max",
       {[](Array v) {
          return reduce_window_max(v, {70}, {.window_strides = {3}, .padding = {{5, 1}}});
        },
        steps({90}, 37, 91)}},
      {"scatter_add",
       {[](Array s) {
          return select_and_scatter_add(s, plane, {2, 2},
                                        {.window_strides = {1, 2}, .padding = {{0, 0}, {1, 0}}});
        },
        steps({3, 3}, 5, 7)}},
      {"scatter_add_le",
       {[](Array s) {
          return select_and_scatter_add(s, plane, {2, 2},
                                        {.select = "le", .window_strides = {2, 1}});
        },
        steps({2, 4}, 5, 7)}},
      {"gather_add",
       {[](Array s) {
          return select_and_gather_add(
              s, plane, {2, 2},
              {.select = "le", .window_strides = {1, 2}, .padding = {{0, 0}, {1, 0}}});
        },
        steps({4, 5}, 5, 7)}},
  };
}

Calls convolutions() {
  using namespace lax;
  const auto turned = [](const Array& v, std::vector<int64_t> strides, const ConvPadding& padding,
                         const ConvTransposeOptions& o = {}) {
    return conv_transpose(v, kernel, strides, padding, o);
  };
  return {
      {"conv", {[](Array v) { return conv(v, filters, {2, 1}, "SAME"); }, first}},
      {"conv_padded",
       {[](Array v) {
          return conv_with_general_padding(v, filters, {1, 2}, {{1, 0}, {2, 1}},
                                           {.lhs_dilation = {2, 1}, .rhs_dilation = {1, 2}});
        },
        first}},
      {"conv_transpose",
       {[](Array v) { return nn::conv_transpose(v, kernel, {.strides = {2, 2}}); }, image}},
      {"conv_transpose_valid", {[=](Array v) { return turned(v, {1, 3}, "VALID"); }, image}},
      {"conv_transpose_dilated",
       {[](Array v) {
          return nn::conv_transpose(v, kernel, {.strides = {2, 1}, .kernel_dilation = {1, 2}});
        },
        image}},
      {"conv_transpose_pairs",
       {[=](Array v) { return turned(v, {2, 1}, {{1, 2}, {0, 1}}); }, image}},
      {"conv_transpose_consistent",
       {[=](Array v) {
          return turned(v, {2, 1}, {{1, 0}, {0, 1}}, {.use_consistent_padding = true});
        },
        image}},
      {"conv_transpose_turned",
       {[](Array v) {
          return nn::conv_transpose(v, steps({3, 2, 4, 3}, 5, 19),
                                    {.strides = {2, 2}, .transpose_kernel = true});
        },
        image}},
      {"conv_transpose_letters",
       {[](Array v) {
          return conv_transpose(v, steps({3, 4, 3, 2}, 5, 19), {2, 1}, "VALID",
                                {.dimension_numbers = {"NCHW", "IOHW", "NHWC"}});
        },
        first}},
      {"conv_transpose_kernel",
       {[](Array k) { return conv_transpose(lines, k, {2}, "SAME"); }, steps({3, 3, 2}, 5, 19)}},
      {"patches",
       {[](Array v) { return conv_general_dilated_patches(v, {2, 2}, {1, 2}, {{1, 0}, {0, 0}}); },
        first}},
      {"patches_letters",
       {[](Array v) {
          return conv_general_dilated_patches(
              v, {2, 3}, {1, 1}, "SAME",
              {.rhs_dilation = {2, 1}, .dimension_numbers = {"NWHC", "OIHW", "NHWC"}});
        },
        image}},
      {"patches_apart",
       {[](Array v) {
          return conv_general_dilated_patches(v, {2, 2}, {2, 2}, {{0, 1}, {0, 0}},
                                              {.lhs_dilation = {2, 1}});
        },
        first}},
      {"conv_local",
       {[](Array v) {
          return conv_general_dilated_local(v, local_kernels, {2, 2}, "VALID", {2, 2});
        },
        first}},
      {"conv_local_kernel",
       {[](Array k) {
          return conv_general_dilated_local(image, k, {2, 2}, "VALID", {2, 2},
                                            {.dimension_numbers = {"NHWC", "HWIO", "NHWC"}});
        },
        steps({2, 3, 12, 2}, 5, 17)}},
      {"convolve", {[](Array v) { return convolve(v, brief); }, row}},
      {"convolve_same", {[](Array v) { return convolve(v, brief, "same"); }, row}},
      {"convolve_valid", {[](Array v) { return convolve(v, brief, "valid"); }, row}},
      {"convolve_short", {[](Array v) { return convolve(v, row, "same"); }, brief}},
      {"correlate", {[](Array v) { return correlate(v, brief); }, row}},
      {"correlate_same", {[](Array v) { return correlate(v, brief, "same"); }, row}},
      {"correlate_full", {[](Array v) { return correlate(v, brief, "full"); }, row}},
      {"correlate_short", {[](Array v) { return correlate(v, row, "full"); }, brief}},
  };
}

const Array odd_row = array({3., not_a_number, -1., inf, 0., -0., -2.5, not_a_number, 1., 1.,
                             not_a_number, -inf, -inf}),
            volume = steps({1, 3, 4, 3, 2}, 7, 23), cube = steps({2, 3, 2, 2, 2}, 5, 19);

// The cases are empty arrays, NaN, one axis and three, and each operand.
Calls more_windows() {
  using namespace lax;
  const Array column = odd_row.reshape({13, 1});
  return {
      {"min_pool_single",
       {[](Array v) { return nn::min_pool(v, {3}, {.strides = {2}, .padding = "SAME"}); },
        lines[0]}},
      {"min_pool_odd", {[](Array v) { return nn::min_pool(v, {3}); }, column}},
      {"max_pool_volume",
       {[](Array v) {
          return nn::max_pool(v, {2, 2, 2}, {.strides = {1, 2, 1}, .padding = "SAME"});
        },
        volume}},
      {"avg_pool_volume",
       {[](Array v) {
          return nn::avg_pool(v, {2, 3, 1},
                              {.strides = {2, 1, 1},
                               .padding = {{1, 1}, {0, 2}, {0, 0}},
                               .count_include_pad = false});
        },
        volume}},
      {"max_pool_odd", {[](Array v) { return nn::max_pool(v, {3}, {.padding = "SAME"}); }, column}},
      {"avg_pool_odd", {[](Array v) { return nn::avg_pool(v, {2}); }, column}},
      {"max_pool_none", {[](Array v) { return nn::max_pool(v, {2, 2}); }, zeros({0, 5, 6, 3})}},
      {"window_min_row",
       {[](Array v) {
          return reduce_window_min(v, {3},
                                   {.window_strides = {2},
                                    .padding = {{1, 1}},
                                    .base_dilation = {2},
                                    .window_dilation = {2}});
        },
        row}},
      {"window_max_none", {[](Array v) { return reduce_window_max(v, {10}); }, row}},
      {"window_sum_none", {[](Array v) { return reduce_window_sum(v, {2, 2}); }, zeros({4, 0})}},
      {"window_max_apart",
       {[](Array v) {
          return reduce_window_max(
              v, {2, 2}, {.padding = "SAME", .base_dilation = {1, 2}, .window_dilation = {2, 1}});
        },
        plane}},
      {"scatter_add_row",
       {[](Array s) { return select_and_scatter_add(s, row, {3}, {.window_strides = {2}}); },
        steps({4}, 5, 7)}},
      {"gather_add_row",
       {[](Array s) {
          return select_and_gather_add(s, row, {3}, {.window_strides = {2}, .padding = {{1, 1}}});
        },
        steps({9}, 5, 7)}},
  };
}

Calls more_convolutions() {
  using namespace lax;
  const Array beside = where(arange(13) == 1, 2.f, odd_row).reshape({1, 1, 13});
  return {
      {"conv_volume", {[](Array v) { return conv(v, cube, {1, 2, 1}, "SAME"); }, volume}},
      {"conv_volume_kernel", {[](Array k) { return conv(volume, k, {1, 2, 1}, "VALID"); }, cube}},
      {"conv_row",
       {[](Array v) { return conv(v, steps({3, 2, 4}, 5, 19), {2}, "SAME_LOWER"); },
        steps({2, 2, 9}, 7, 23)}},
      {"conv_kernel", {[](Array k) { return conv(first, k, {2, 1}, "SAME"); }, filters}},
      {"conv_none",
       {[](Array v) { return conv(v, filters, {1, 1}, "VALID"); }, zeros({0, 3, 6, 5})}},
      {"conv_features",
       {[](Array v) { return conv(v, zeros({4, 0, 3, 2}), {1, 1}, "VALID"); },
        zeros({2, 0, 6, 5})}},
      {"conv_far", {[](Array v) { return conv(v, steps({4, 3, 7, 2}), {1, 1}, "VALID"); }, first}},
      {"conv_odd",
       {[](Array v) { return conv(v, steps({1, 1, 2}) + 0.125f, {1}, "VALID"); }, beside}},
      {"conv_padded_kernel",
       {[](Array k) {
          return conv_with_general_padding(first, k, {1, 2}, {{1, 0}, {2, 1}},
                                           {.lhs_dilation = {2, 1}, .rhs_dilation = {1, 2}});
        },
        filters}},
      {"conv_padded_cropped",
       {[](Array v) {
          return conv_with_general_padding(v, cube, {1, 1, 2}, {{-1, 1}, {0, -1}, {2, 0}},
                                           {.lhs_dilation = {2, 1, 2}, .rhs_dilation = {1, 2, 1}});
        },
        volume}},
      {"conv_transpose_volume",
       {[](Array v) {
          return lax::conv_transpose(v, steps({2, 1, 2, 2, 3}, 5, 19), {2, 1, 2}, "SAME");
        },
        steps({1, 2, 3, 2, 2}, 7, 23)}},
      {"conv_local_row",
       {[](Array v) {
          return conv_general_dilated_local(v, steps({3, 4, 8}, 5, 17), {1}, "VALID", {2});
        },
        steps({2, 2, 9}, 7, 23)}},
      {"nn_conv", {[](Array v) { return nn::conv(v, kernel, {.strides = {2, 1}}); }, image}},
      {"nn_conv_kernel",
       {[](Array k) {
          return nn::conv(
              image, k,
              {.padding = {{1, 0}, {0, 2}}, .input_dilation = {2, 1}, .kernel_dilation = {1, 2}});
        },
        kernel}},
      {"nn_conv_groups",
       {[](Array v) {
          return nn::conv(v, steps({3, 1, 6}, 5, 19),
                          {.padding = "VALID", .feature_group_count = 3});
        },
        lines}},
  };
}

// Sums and products of multiples of 1/4 are exact. Their means are not, and neither is a long sum
// of XLA's.
void compare(const Array& got, const testing::GoldenLine& want) {
  REQUIRE(got.dtype() == F32);
  REQUIRE(testing::shape_words(got.shape()) == want.shape);
  const auto values = got.to_vector<double>();
  for (size_t k = 0; k < values.size(); ++k) {
    INFO("element " << k);
    if (std::isnan(want.values[k]))
      CHECK(std::isnan(values[k]));
    else if (std::isinf(want.values[k]))
      CHECK(values[k] == want.values[k]);
    else
      CHECK(std::abs(values[k] - want.values[k]) <= 2e-6 * std::max(1., std::abs(want.values[k])));
  }
}

}  // namespace

TEST_CASE("windows, pools and convolutions give what JAX gives", "[functions][window]") {
  const auto want = testing::golden_lines("windows.txt");
  Calls calls = pools();
  calls.merge(windows());
  calls.merge(convolutions());
  calls.merge(more_windows());
  calls.merge(more_convolutions());
  CHECK(testing::compare_calls(calls, want, compare) == want.size());
}
