// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/effects/lane_calls.h: ops that act on the host separately for each lane: print, check, or
// call a user function (docs/decisions/0040).
//
// Such an op records the maps around it: `lanes` are their sizes, outermost first. Operand i has
// the lanes in the set lane_axes[i] (lanes.h) as its leading axes, in order. Results have all
// lanes. With `masked`, the last operand, bool[lanes], is true for active lanes. For the other
// lanes the op does nothing, and their results are zeros.
#pragma once
#include "ops/control/lanes.h"
#include "ops/kit/native.h"
#include "runtime/ordered_output.h"

namespace weft {

// The fields of P that the batching rule needs: Ints lanes, lane_ids, lane_axes (lanes.h); bool
// masked.
template <class P>
size_t values_of(const P& p, const Types& in) {
  return in.size() - (p.masked ? 1 : 0);
}

// Returns the types of the values of one lane. Programs may come from text, so all parameters are
// checked.
Types lane_types(const char* op, const Types& in, const Ints& lanes, const Ints& lane_ids,
                 const Ints& lane_axes, bool masked);
template <class P>
Types lane_types(const char* op, const Types& in, const P& p) {
  return lane_types(op, in, p.lanes, p.lane_ids, p.lane_axes, p.masked);
}
// Returns the result types for all lanes.
Types with_lanes(const Types& out, const Ints& lanes);

// One step of batching: the new map becomes the outermost lane.
struct LaneBatch {
  Ints lanes, lane_ids, lane_axes;
  bool masked = false;
  Arrays x;
};
LaneBatch add_lane(const Arrays& x, const MaybeAxes& axis, LaneBatch before, int64_t size,
                   const BatchTrace& trace);

template <class P>
P with_lane(P p, const LaneBatch& b) {
  p.lanes = b.lanes;
  p.lane_ids = b.lane_ids;
  p.lane_axes = b.lane_axes;
  p.masked = b.masked;
  return p;
}
// Returns true if the op runs once in each lane of the map. If no operand is mapped, this is false
// for an op without an order, and for the columns of a derivative.
template <class P>
bool runs_in_each_lane(const BatchArgs<P>& b) {
  return std::any_of(b.axis.begin(), b.axis.end(), [](MaybeAxis a) { return bool(a); }) ||
         (!b.trace.columns && b.op.effects(make_params(b.params)) == Effect::ordered);
}
// Returns the unchanged op if it does not run in each lane. Only the ids of its existing lanes
// change.
template <class P>
std::optional<Batched> batch_unmapped(const BatchArgs<P>& b) {
  if (runs_in_each_lane(b)) return {};
  P p = b.params;
  for (int64_t& id : p.lane_ids) ++id;
  Arrays out = b.op.bind(b.x, p);
  return Batched{out, MaybeAxes(out.size())};
}
// Binds the op for all lanes of the map.
template <class P>
Batched batch_lane_call(const BatchArgs<P>& b) {
  if (auto same = batch_unmapped(b)) return *same;
  const LaneBatch l = add_lane(
      b.x, b.axis, {b.params.lanes, b.params.lane_ids, b.params.lane_axes, b.params.masked, {}},
      b.size, b.trace);
  Arrays out = b.op.bind(l.x, with_lane(b.params, l));
  return {out, MaybeAxes(out.size(), 0)};
}

// NativeCall::axis_map of such an op: lane axes map to themselves; the other axes are part of the
// computation.
std::vector<std::vector<int>> lane_axis_map(const Types& in, const Types& out, const Ints& lanes,
                                            const Ints& lane_axes, bool masked);

// Iterates over the active lanes, in order.
class LaneWalk {
 public:
  LaneWalk(const Types& in, const Types& out, const Ints& lanes, const Ints& lane_axes, bool masked,
           const NativeArgs& a);
  // Calls f for each active lane. `path` contains the lane numbers, outermost first; `in` and `out`
  // are the lane's values.
  using Visit = FunctionRef<void(LanePath path, const std::vector<const void*>& in,
                                 const std::vector<void*>& out)>;
  void for_each(Visit f);

 private:
  const Ints& lanes_;
  const bool masked_;
  const bool* active_ = nullptr;  // set if masked
  std::vector<const void*> in_;
  std::vector<void*> out_;
  // for each operand and map: bytes from one lane to the next
  std::vector<std::vector<int64_t>> step_;
  std::vector<int64_t> out_step_;  // for each result: bytes from one lane to the next
  int64_t all_ = 1;
};

// Defines such an op. run(params, types of a lane, walk) does the work.
template <class P>
Def<P> lane_call_op(const char* name, const char* doc,
                    void (*run)(const P&, const Types& lane_in, LaneWalk&)) {
  const auto native = [name, run](const Types& in, const Types& out, const P& p) -> NativeFn {
    const Types lane = lane_types(name, in, p);
    return [in, out, lane, p, run](const NativeArgs& a) {
      LaneWalk walk(in, out, p.lanes, p.lane_axes, p.masked, a);
      run(p, lane, walk);
    };
  };
  Def<P> d;
  d.name = name;
  d.doc = doc;
  d.batch = batch_lane_call<P>;
  d.reference = [native, name](const Arrays& x, const P& p) {
    const Types in = types_of(x), out = find_op(name)->type(in, make_params(p));
    return run_native(native(in, out, p), x, out);
  };
  d.implementations = [native] {
    return std::vector<Implementation<P>>{{.name = "native", .make = [native](const Use<P>& u) {
                                             NativeCall call{native(u.in, u.out, u.params)};
                                             call.axis_map =
                                                 lane_axis_map(u.in, u.out, u.params.lanes,
                                                               u.params.lane_axes, u.params.masked);
                                             return call;
                                           }}};
  };
  return d;
}

}  // namespace weft
