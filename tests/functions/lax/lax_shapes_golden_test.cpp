// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/lax/lax_shapes_golden_test.cpp: compares shapes, slices, scatters, sorts and
// products with jax.lax for the same calls (tests/golden/generators/make_lax_shapes.py). It
// compares values, gradients, tangents and maps, eagerly and compiled.
#include <cmath>
#include <limits>

#include "functions/array_calls.h"
#include "weft/weft.h"

using namespace weft;
using weft::testing::Call, weft::testing::Calls, weft::testing::steps;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity(),
                not_a_number = std::numeric_limits<float>::quiet_NaN();

Array whole(const std::vector<int>& v, const Shape& s) { return array(v, s).astype(I32); }

const Array plane = steps({4, 5}, 3, 13), block = steps({3, 4, 2}, 7, 23), row = steps({9}, 5, 17),
            single = steps({6}, 3, 7), triple = steps({3, 5}, 5, 11), few = steps({5, 3}),
            pictures = steps({2, 4, 3, 2}), kernel = steps({2, 3, 2, 4}, 5, 19),
            taps = steps({6, 2, 3}, 5, 19);
const Array spots = whole({1, 3, 1, 8, 9, -1}, {6, 1}), lines = whole({2, 0}, {2, 1}),
            far_lines = whole({7, -9}, {2, 1}), corners = whole({0, 1, 2, 2, 9, 9}, {3, 2});

Calls shapes() {
  using namespace lax;
  const Array odd = array({0.f, -0.f, inf, -inf, not_a_number, 2e-38f, 3e38f});
  return {
      {"reciprocal", {[](Array v) { return lax::reciprocal(v); }, row + 0.125f}},
      {"reciprocal_plane", {[](Array v) { return lax::reciprocal(v); }, plane + 0.125f}},
      {"reciprocal_odd", {[](Array v) { return lax::reciprocal(v); }, odd}},
      {"broadcast", {[](Array v) { return broadcast(v, {2, 3}); }, row}},
      {"broadcast_none", {[](Array v) { return broadcast(v, {0}); }, plane}},
      {"broadcast_in_dim", {[](Array v) { return broadcast_in_dim(v, {4, 2, 5}, {0, 2}); }, plane}},
      {"broadcast_in_dim_row",
       {[](Array v) { return broadcast_in_dim(v.reshape({9, 1}), {9, 3}, {0, 1}); }, row}},
      {"broadcast_to_rank", {[](Array v) { return broadcast_to_rank(v, 3); }, plane}},
      {"broadcast_to_rank_row", {[](Array v) { return broadcast_to_rank(v, 2); }, row}},
      {"reshape", {[](Array v) { return lax::reshape(v, {2, 10}); }, plane}},
      {"reshape_flat", {[](Array v) { return lax::reshape(v, {24}); }, block}},
      {"collapse", {[](Array v) { return collapse(v, 1); }, block}},
      {"collapse_front", {[](Array v) { return collapse(v, 0, 2); }, block}},
      {"expand_dims", {[](Array v) { return lax::expand_dims(v, {0, 3}); }, plane}},
      {"expand_dims_last", {[](Array v) { return lax::expand_dims(v, {-1}); }, row}},
      {"squeeze", {[](Array v) { return lax::squeeze(v.reshape({4, 1, 5}), {1}); }, plane}},
      {"squeeze_two", {[](Array v) { return lax::squeeze(v.reshape({1, 9, 1}), {0, -1}); }, row}},
      {"transpose", {[](Array v) { return lax::transpose(v, {2, 0, 1}); }, block}},
      {"transpose_plane", {[](Array v) { return lax::transpose(v, {1, 0}); }, plane}},
      {"rev", {[](Array v) { return rev(v, {0, 2}); }, block}},
      {"rev_row", {[](Array v) { return rev(v, {0}); }, row}},
      {"concatenate",
       {[](Array v) { return lax::concatenate({v, 2 * v, v[slice(0, 1)]}, 0); }, plane}},
      {"concatenate_last",
       {[](Array v) { return lax::concatenate({lax::slice(v, {0, 0}, {4, 0}), v, v}, 1); }, plane}},
      {"pad", {[](Array v) { return lax::pad(v, 0.5f, {{1, 0, 2}, {-1, 2, 0}}); }, plane}},
      {"pad_row", {[](Array v) { return lax::pad(v, v[2], {{-2, 1, 1}}); }, row}},
      {"full", {[](Array v) { return lax::full({2, 3}, v[1]); }, row}},
      {"full_line", {[](Array v) { return lax::full({4}, v[0][2]); }, plane}},
      {"full_like", {[](Array v) { return lax::full_like(plane, v[1]); }, row}},
      {"full_like_row", {[](Array v) { return lax::full_like(v, v[3]); }, row}},
      {"split", {[](Array v) { return lax::split(v, {2, 0, 3}, 1)[2]; }, plane}},
      {"split_rows", {[](Array v) { return lax::split(v, {1, 3})[0]; }, plane}},
      {"tile", {[](Array v) { return lax::tile(v, {2, 1, 3}); }, block}},
      {"tile_row", {[](Array v) { return lax::tile(v, {3}); }, row}},
  };
}

Calls slices() {
  using namespace lax;
  return {
      {"slice", {[](Array v) { return lax::slice(v, {1, 0}, {4, 5}, {2, 3}); }, plane}},
      {"slice_none", {[](Array v) { return lax::slice(v, {4}, {4}); }, row}},
      {"slice_in_dim", {[](Array v) { return slice_in_dim(v, -4, {}, 2, 1); }, plane}},
      {"slice_in_dim_row", {[](Array v) { return slice_in_dim(v, 1, -2); }, row}},
      {"index_in_dim", {[](Array v) { return index_in_dim(v, -1, 1); }, plane}},
      {"index_in_dim_less", {[](Array v) { return index_in_dim(v, 2, 0, false); }, block}},
      {"dynamic_slice", {[](Array v) { return dynamic_slice(v, {1, 4}, {2, 3}); }, plane}},
      {"dynamic_slice_row", {[](Array v) { return dynamic_slice(v, {-3}, {4}); }, row}},
      {"dynamic_slice_in_dim", {[](Array v) { return dynamic_slice_in_dim(v, 9, 2, 1); }, plane}},
      {"dynamic_slice_in_dim_row", {[](Array v) { return dynamic_slice_in_dim(v, 2, 3); }, row}},
      {"dynamic_index_in_dim", {[](Array v) { return dynamic_index_in_dim(v, 3, 1); }, plane}},
      {"dynamic_index_in_dim_less",
       {[](Array v) { return dynamic_index_in_dim(v, 1, 0, false); }, block}},
      {"dynamic_update_slice",
       {[](Array v) { return dynamic_update_slice(v, steps({2, 3}), {3, 1}); }, plane}},
      {"dynamic_update_slice_of",
       {[](Array v) { return dynamic_update_slice(row, v[0], {-4}); }, plane}},
      {"dynamic_update_slice_in_dim",
       {[](Array v) { return dynamic_update_slice_in_dim(v, steps({4, 2}), 2, 1); }, plane}},
      {"dynamic_update_slice_in_dim_row",
       {[](Array v) { return dynamic_update_slice_in_dim(v, v[weft::slice(0, 3)], 8, 0); }, row}},
      {"dynamic_update_index_in_dim",
       {[](Array v) { return dynamic_update_index_in_dim(v, steps({4}), 2, 1); }, plane}},
      {"dynamic_update_index_in_dim_row",
       {[](Array v) { return dynamic_update_index_in_dim(v, v[1], 7, 0); }, row}},
      {"gather", {[](Array v) { return gather(v, spots, {{}, {0}, {0}}, {1}); }, row}},
      {"gather_blocks",
       {[](Array v) { return gather(v, corners, {{1, 2}, {}, {0, 1}}, {2, 3}, {.mode = "clip"}); },
        plane}},
      {"gather_fill",
       {[](Array v) {
          return gather(v, corners, {{1, 2}, {}, {0, 1}}, {2, 3}, {.fill_value = 7.f});
        },
        plane}},
  };
}

Calls scatters() {
  using namespace lax;
  using Scatter = Array (*)(const Arg&, const Arg&, const Arg&, const ScatterDimensionNumbers&,
                            const ScatterOptions&);
  const std::map<std::string, Scatter> all = {
      {"scatter", lax::scatter},         {"scatter_add", lax::scatter_add},
      {"scatter_sub", lax::scatter_sub}, {"scatter_mul", lax::scatter_mul},
      {"scatter_min", lax::scatter_min}, {"scatter_max", lax::scatter_max}};
  const ScatterDimensionNumbers points{{}, {0}, {0}}, rows{{1}, {0}, {0}};
  const Array two = lax::slice(triple, {0, 0}, {2, 5});
  Calls t;
  for (const auto& [name, f] : all) {
    t[name] = {[f = f, points](Array v) { return f(v, spots, single, points, {}); }, row};
    t[name + "_of"] = {
        [f = f, rows](Array u) { return f(plane, lines, u, rows, {.unique_indices = true}); }, two};
    t[name + "_clip"] = {
        [f = f, rows, two](Array v) { return f(v, far_lines, two, rows, {.mode = "clip"}); },
        plane};
  }
  return t;
}

Calls products() {
  using namespace lax;
  const Array odd = array({3.f, not_a_number, -inf, 0.f, -0.f, inf, not_a_number, -1.f});
  const ConvDilatedOptions far{.lhs_dilation = {1, 2},
                               .rhs_dilation = {2, 1},
                               .dimension_numbers = {"NHWC", "HWIO", "NCHW"}};
  const auto apart = [far](const Array& v, const Array& k) {
    return conv_general_dilated(v, k, {2, 1}, {{1, -1}, {0, 2}}, far);
  };
  return {
      {"sort", {[](Array v) { return lax::sort(v, 1); }, block}},
      {"sort_row", {[](Array v) { return lax::sort(v); }, row}},
      {"sort_odd", {[](Array v) { return lax::sort(v); }, odd}},
      {"sort_key_val", {[](Array v) { return sort_key_val(lax::sin(v), v, 0).second; }, plane}},
      {"sort_key_val_row", {[](Array v) { return sort_key_val(v, lax::cos(v)).second; }, row}},
      {"top_k", {[](Array v) { return lax::top_k(v, 2).first; }, plane}},
      {"top_k_row", {[](Array v) { return lax::top_k(v, 4).first; }, row}},
      {"dot", {[](Array v) { return lax::dot(v, few); }, plane}},
      {"dot_vector", {[](Array v) { return lax::dot(steps({9}), v); }, row}},
      {"dot_none",
       {[](Array v) { return lax::dot(lax::slice(v, {0, 0}, {4, 0}), zeros({0, 3})); }, plane}},
      {"batch_matmul", {[](Array v) { return batch_matmul(v, steps({3, 2, 5})); }, block}},
      {"batch_matmul_right", {[](Array v) { return batch_matmul(steps({3, 1, 4}), v); }, block}},
      {"conv_general_dilated", {[=](Array v) { return apart(v, kernel); }, pictures}},
      {"conv_general_dilated_kernel", {[=](Array k) { return apart(pictures, k); }, kernel}},
      {"conv_general_dilated_groups",
       {[](Array v) {
          return conv_general_dilated(v, taps, {1}, "SAME", {.feature_group_count = 2});
        },
        steps({2, 4, 5})}},
      {"conv_general_dilated_batches",
       {[](Array k) {
          return conv_general_dilated(steps({4, 2, 5}), k, {1}, "SAME_LOWER",
                                      {.batch_group_count = 2});
        },
        taps}},
      {"conv_general_dilated_none",
       {[](Array v) { return conv_general_dilated(v, steps({4, 2, 3}), {2}, "SAME"); },
        zeros({0, 2, 5})}},
  };
}

}  // namespace

TEST_CASE("shapes, slices, scatters and products give what jax.lax gives", "[functions][lax]") {
  const auto want = testing::golden_lines("lax_shapes.txt");
  Calls calls = shapes();
  calls.merge(slices());
  calls.merge(scatters());
  calls.merge(products());
  const auto compare = [](const Array& got, const testing::GoldenLine& line) {
    testing::check_line(got, line, 2e-6);
  };
  size_t found = testing::compare_calls(calls, want, compare);
  const std::map<std::string, Array> counted = {
      {"iota", lax::iota(F32, 5)},
      {"iota_none", lax::iota(F32, 0)},
      {"broadcasted_iota", lax::broadcasted_iota(F32, {2, 3}, 1)},
      {"broadcasted_iota_deep", lax::broadcasted_iota(F32, {2, 3, 2}, 0)}};
  for (const auto& [name, got] : counted) compare(got, want.at(name)), ++found;
  CHECK(found == want.size());
}
