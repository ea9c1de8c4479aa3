// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/lane_by_lane.cpp: runs the lanes of a map one after another.
#include "ops/control/lane_by_lane.h"

#include "ops/control/control_flow.h"
#include "ops/control/lanes.h"
#include "ops/structure/structure.h"
#include "weft/lax/convert.h"
#include "weft/lax/elementwise.h"

namespace weft {
namespace {

// Runs one lane as a chunk of the map, so that its lane number is known.
Arrays one_lane(FunctionRef<Arrays(const Arrays&)> f, const Arrays& x,
                const std::vector<bool>& mapped, const Array& number, const BatchTrace& trace) {
  Arrays rows = x;
  MaybeAxes axis(x.size());
  for (size_t i = 0; i < x.size(); ++i)
    if (mapped[i]) {
      rows[i] = base::insert_axis(x[i], 0, 1);
      axis[i] = 0;
    }
  MapOptions alone = trace;
  alone.one_by_one = true;
  const Batched b = vmap_flat(f, rows, axis, 1, alone, number);
  return map_list([](const Array& v, MaybeAxis a) { return a ? squeeze_axes(v, {*a}) : v; }, b.out,
                  b.axis);
}

Array lane_numbers(const BatchTrace& trace) {
  const Array lanes = iota(I32, {trace.size}, 0);
  return trace.first_lane.empty_handle()
             ? lanes
             : lax::add(lanes, broadcast_in_dim(trace.first_lane, {trace.size}, {}));
}

// Returns f(x) if the lane is active, else zeros.
Arrays if_active(FunctionRef<Arrays(const Arrays&)> f, const Array& active, const Arrays& x) {
  const Types in = types_of(x);
  const ClosedJaxpr run = record(in, f);
  const ClosedJaxpr skip =
      record(in, [&](const Arrays&) { return map_list(base::zeros, run.jaxpr->out_types()); });
  return cond_flat(lax::convert_element_type(active, I32), {skip, run}, x);
}

}  // namespace

Batched lane_by_lane(FunctionRef<Arrays(const Arrays&)> f, const Arrays& x, const MaybeAxes& axis,
                     const BatchTrace& trace, bool asks_for_lane) {
  const std::vector<bool> on = mapped(axis);
  Arrays rows =
      map_list([&](const Array& v, MaybeAxis a) { return move_mapped(v, a, 0, trace.size); },
               filter_list(x, on), filter_list(axis, on));
  const Array active = active_lanes(trace.mask, trace.size);
  if (!active.empty_handle()) rows.push_back(active);
  if (asks_for_lane) rows.push_back(lane_numbers(trace));
  const ClosedJaxpr body = record(map_list(row_type, types_of(rows)), [&](const Arrays& row) {
    Arrays all = x;
    size_t next = 0;
    for (size_t i = 0; i < x.size(); ++i)
      if (on[i]) all[i] = row[next++];
    const auto lane = [&](const Arrays& a) {
      return asks_for_lane ? one_lane(f, a, on, row.back(), trace) : f(a);
    };
    return active.empty_handle() ? lane(all) : if_active(lane, row[next], all);
  });
  Arrays out = scan_flat(body, {}, rows, trace.size);
  MaybeAxes at(out.size(), 0);
  return {std::move(out), std::move(at)};
}

}  // namespace weft
