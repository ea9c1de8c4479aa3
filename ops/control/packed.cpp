// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/packed.cpp: rows of lanes, and programs for a block of lanes.
#include "ops/control/packed.h"

#include <algorithm>

#include "core/effects.h"
#include "core/loops/resize.h"
#include "ops/index/index.h"
#include "ops/structure/structure.h"
#include "weft/lax/compare.h"
#include "weft/lax/convert.h"
#include "weft/lax/cumulative.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/reduce.h"

namespace weft {
namespace {

// One lane that takes a branch costs as much as a block. With smaller blocks it costs less, but
// each block launches all steps of the branch.
constexpr int64_t fewest_blocks = 8, longest_block = 128;
// Fewer lanes run together: a block would not fill vectors.
constexpr int64_t fewest_lanes = 64;

// Windows are whole rows of x.
WindowDims row_dims(const Array& x) {
  WindowDims d;
  for (int64_t a = 1; a < x.ndim(); ++a) d.window_dims.push_back(a);
  d.collapsed = d.index_map = {0};
  return d;
}
Array as_indices(const Array& numbers) {
  return reshape_to(numbers, Shape({numbers.shape()[0], 1}));
}
Array number(int64_t n, const Shape& s) { return broadcast_in_dim(scalar_of_int(I32, n), s, {}); }

}  // namespace

bool packs_lanes(const BodyOp& o) {
  if (o.lanes.size() != 1 || o.lanes[0] < fewest_lanes) return false;
  const auto whole = [](int64_t axes) { return axes == 0; };
  if (std::ranges::any_of(o.result_lane_axes, whole)) return false;
  return std::ranges::all_of(o.bodies, [](const Jaxpr& j) { return effect_of(j) == Effect::none; });
}

PackedLanes::PackedLanes(int64_t lanes)
    : lanes_(lanes), block_(std::min((lanes + fewest_blocks - 1) / fewest_blocks, longest_block)) {}

Array count_lanes(const Array& mask) {
  return lax::reduce_sum(lax::convert_element_type(mask, I32), {0});
}

Array PackedLanes::numbers(const Array& mask) const {
  const Array before =
      lax::sub(lax::cumsum(lax::convert_element_type(mask, I32)), number(1, mask.shape()));
  const int64_t n = (lanes_ + block_ - 1) / block_ * block_;
  const Array places = lax::select(mask, before, number(n, mask.shape()));
  const Array none = number(lanes_, Shape({n}));
  return scatter_windows(none, as_indices(places), iota(I32, mask.shape(), 0), row_dims(none),
                         Update::set, OutOfBounds::zero, {.unique = true});
}

Array PackedLanes::in_range(const Array& numbers) const {
  return lax::lt(numbers, number(lanes_, numbers.shape()));
}

Arrays PackedLanes::rows(const Arrays& x, const Ints& lane_axes, const Array& numbers) const {
  const auto rows_of = [&](const Array& a, int64_t axes) {
    if (axes == 0) return a;
    return gather_windows(a, as_indices(numbers), row_dims(a), a.shape().with(0, 1).sizes(),
                          OutOfBounds::clip, {.sorted = true});
  };
  return map_list(rows_of, x, lane_axes);
}

Arrays PackedLanes::with_rows(const Arrays& x, const Array& numbers, const Arrays& rows) const {
  const auto write = [&](const Array& a, const Array& r) {
    return scatter_windows(a, as_indices(numbers), r, row_dims(a), Update::set, OutOfBounds::zero,
                           {.unique = true, .sorted = true});
  };
  return map_list(write, x, rows);
}

std::optional<Jaxpr> PackedLanes::of_block(const Jaxpr& j, const Ints& lane_axes) const {
  Bools in_blocks;
  for (int64_t axes : lane_axes) in_blocks.push_back(axes != 0);
  return program_of_block(j, in_blocks, block_);
}

}  // namespace weft
