// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/packed.cpp: rows of the lanes that take a branch, and a call for blocks of them.
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

// The compiler chooses a block by the cost of a lane. This one is for lanes that share work.
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
// Returns the rows of x with these numbers, which do not descend. A number out of range reads the
// nearest row.
Array rows_at(const Array& x, const Array& numbers) {
  return gather_windows(x, as_indices(numbers), row_dims(x), x.shape().with(0, 1).sizes(),
                        OutOfBounds::clip, {.sorted = true});
}

}  // namespace

bool packs_lanes(const BodyOp& o) {
  if (o.lanes.size() != 1 || o.lanes[0] < fewest_lanes) return false;
  const auto whole = [](int64_t axes) { return axes == 0; };
  if (std::ranges::any_of(o.result_lane_axes, whole)) return false;
  return std::ranges::all_of(o.bodies, [](const Jaxpr& j) { return effect_of(j) == Effect::none; });
}

Arrays run_packed(const PackedBody& body, const Arrays& x, const Ints& lane_axes, const Array& mask,
                  const Arrays& before) {
  const int64_t lanes = mask.shape()[0];
  const Array ones = lax::convert_element_type(mask, I32), none = number(lanes, mask.shape());
  // The place of each lane among those that are set, and the lane at each place.
  const Array places = lax::sub(lax::cumsum(ones), number(1, mask.shape()));
  const Array numbers =
      scatter_windows(none, as_indices(lax::select(mask, places, none)), iota(I32, mask.shape(), 0),
                      row_dims(mask), Update::set, OutOfBounds::zero, {.unique = true});
  const Arrays in = concat_lists({lax::reduce_sum(ones, {0}), numbers}, x);
  Call call;
  call.name = "packed";
  call.block = std::min((lanes + fewest_blocks - 1) / fewest_blocks, longest_block);
  call.in_blocks.assign(in.size(), false);
  call.in_blocks[1] = true;
  call.counted = true;
  // With the mask, all results have lanes, also constants.
  for (const bool masked : {false, true}) {
    call.jaxpr = program(types_of(in), [&](const Arrays& a) {
      const Array &which = a[1], active = lax::lt(which, number(lanes, which.shape()));
      const Arrays rows =
          map_list([&](const Array& v, int64_t axes) { return axes == 0 ? v : rows_at(v, which); },
                   drop_first(a, 2), lane_axes);
      Arrays out = body(rows, active);
      for (Array& r : out) r = masked ? mask_out(active, r) : r;
      return out;
    });
    if (!program_of_block(call.jaxpr, call.in_blocks, call.block)) continue;
    const auto row_of_lane = [&](const Array& packed, const Array& other) {
      return select_lanes(mask, rows_at(packed, places), other);
    };
    return map_list(row_of_lane, bind_op(*find_op("jit"), in, make_params(call)), before);
  }
  return {};
}

}  // namespace weft
