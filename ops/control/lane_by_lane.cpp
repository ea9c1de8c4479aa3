// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/lane_by_lane.cpp: runs the lanes of a map one after another.
#include "weft/ops/control/lane_by_lane.h"

#include "weft/ops/control/control_flow.h"
#include "weft/ops/control/lanes.h"
#include "weft/ops/elementwise/convert.h"
#include "weft/ops/elementwise/elementwise.h"
#include "weft/ops/structure/structure.h"

namespace weft {
namespace {

// Runs one lane as a chunk of the map, so that its lane number is known.
Arrays one_lane(FunctionRef<Arrays(const Arrays&)> f, const Arrays& x,
                const std::vector<bool>& mapped, const Array& number, const BatchLevel& level) {
  Arrays rows = x;
  MaybeAxes axis(x.size());
  for (size_t i = 0; i < x.size(); ++i)
    if (mapped[i]) {
      rows[i] = base::insert_axis(x[i], 0, 1);
      axis[i] = 0;
    }
  MapOptions alone = level;
  alone.one_by_one = true;
  const Batched b = vmap_flat(f, rows, axis, 1, alone, number);
  return each([](const Array& v, MaybeAxis a) { return a ? squeeze_axes(v, {*a}) : v; }, b.out,
              b.axis);
}

Array lane_numbers(const BatchLevel& level) {
  const Array lanes = iota(I32, {level.size}, 0);
  return level.first_lane.empty_handle()
             ? lanes
             : lax::add(lanes, broadcast_in_dim(level.first_lane, {level.size}, {}));
}

// Returns f(x) if the lane is active, else zeros.
Arrays if_active(FunctionRef<Arrays(const Arrays&)> f, const Array& active, const Arrays& x) {
  const Types in = types_of(x);
  const Closed run = record(in, f);
  const Closed skip =
      record(in, [&](const Arrays&) { return each(base::zeros, run.jaxpr->out_types()); });
  return cond_flat(lax::convert_element_type(active, I32), {skip, run}, x);
}

}  // namespace

Batched lane_by_lane(FunctionRef<Arrays(const Arrays&)> f, const Arrays& x, const MaybeAxes& axis,
                     const BatchLevel& level, bool asks_for_lane) {
  const std::vector<bool> on = mapped(axis);
  Arrays rows = each([&](const Array& v, MaybeAxis a) { return move_mapped(v, a, 0, level.size); },
                     chosen(x, on), chosen(axis, on));
  const Array active = active_lanes(level.mask, level.size);
  if (!active.empty_handle()) rows.push_back(active);
  if (asks_for_lane) rows.push_back(lane_numbers(level));
  const Closed body = record(each(row_type, types_of(rows)), [&](const Arrays& row) {
    Arrays all = x;
    size_t next = 0;
    for (size_t i = 0; i < x.size(); ++i)
      if (on[i]) all[i] = row[next++];
    const auto lane = [&](const Arrays& a) {
      return asks_for_lane ? one_lane(f, a, on, row.back(), level) : f(a);
    };
    return active.empty_handle() ? lane(all) : if_active(lane, row[next], all);
  });
  Arrays out = scan_flat(body, {}, rows, level.size);
  MaybeAxes at(out.size(), 0);
  return {std::move(out), std::move(at)};
}

}  // namespace weft
