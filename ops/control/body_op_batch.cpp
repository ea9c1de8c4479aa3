// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/body_op_batch.cpp: batching rule of ops with bodies.
#include "ops/control/body_op.h"
#include "weft/lax/compare.h"

namespace weft {
namespace {

// The mapped operands and results: the least fixed point over the carries. If the predicate is
// mapped, lanes run different numbers of steps. Then all changed values are mapped, including those
// of the op as a whole, because the number of their changes depends on the lane.
struct Mapped {
  LoopValues<bool> operand;
  std::vector<bool> result;
  bool predicate = false;
};
Mapped find_mapped(const BodyOp& o, const MaybeAxes& axes, const BatchTrace& trace) {
  Mapped m{o.operands(mapped(axes)), std::vector<bool>(o.result_lane_axes.size(), false)};
  const size_t n = o.lane_axes.carry.size();
  const auto places = [&] {
    return map_list(
        [](bool on, int64_t lane_axes) {
          return on ? MaybeAxis(lane_count(lane_axes)) : MaybeAxis();
        },
        m.operand, o.lane_axes);
  };
  const auto spread = [&] {
    for (bool again = true; again;) {
      again = false;
      const MaybeAxes in = o.to_body(places(), MaybeAxis());
      for (const Jaxpr& b : o.bodies) {
        const std::vector<bool> out = mapped(probe_axes(b, in, trace));
        again |= union_into(&m.operand.carry, sublist(out, 0, n));
        union_into(&m.result, sublist(out, n, m.result.size()));
      }
    }
  };
  for (bool on : m.operand.control) m.predicate = m.predicate || on;
  if (o.test && !m.predicate) {
    spread();
    const LoopValues<MaybeAxis> at = places();
    m.predicate = probe_axes(o.test, o.to_cond(at), trace)[0].has_value();
  }
  if (m.predicate) {
    union_into(&m.operand.carry,
               map_list([](bool invariant) { return !invariant; }, o.loop_invariant));
    m.result.assign(m.result.size(), true);
  }
  spread();
  return m;
}

// One batching step of an op.
struct Step {
  const BodyOp& before;
  BodyOp after;
  Mapped mapped;
  LaneStep lanes;
  BatchTrace& trace;
  LoopValues<MaybeAxis> place;  // mapped axis of each operand after the step, as a body sees it
  MaybeAxes result_place;

  // Moves a value to the mapped axis `to`, if that is given.
  Array moved(const Array& x, MaybeAxis from, MaybeAxis to) const {
    return to ? move_mapped(x, from, *to, trace.size) : x;
  }
  // In a body: its own active lanes, combined with those of the enclosing body.
  LaneMask mask(const Array& active) const {
    return both_masks({active, active.empty_handle() ? Ints{} : lanes.ids}, trace.mask);
  }
};

// Moves the mapped axis of the index or the trip counts to the front, and adds the entry mask.
// Lanes that do not enter run no step.
Arrays moved_control(const Step& s, const Arrays& control, const MaybeAxes& from) {
  const Array& entry_mask = s.lanes.entry_mask;
  Arrays r;
  if (!s.before.test && !control.empty())
    r.push_back(s.moved(control[0], from[0], s.mapped.predicate ? MaybeAxis(0) : MaybeAxis()));
  if (entry_mask.empty_handle()) return r;
  if (s.before.stacks())
    r[0] = lax::select(entry_mask, r[0], base::zeros(r[0].type()));
  else
    r.push_back(entry_mask);
  return r;
}

TracedBody batched_body(const Step& s, const Jaxpr& body, const Types& takes) {
  const BodyOp& o = s.before;
  const size_t n = o.lane_axes.carry.size();
  return trace_body(takes, s.after.active(), [&](const Arrays& in) {
    const Array active = s.after.active() ? in[0] : Array();
    const LoopValues<Array> x = s.after.body_inputs(in);
    const Batched r =
        batch_eval(body, o.to_body(x, active),
                   o.to_body(s.place, s.mapped.predicate ? MaybeAxis(0) : MaybeAxis()), s.trace,
                   s.mask(active));
    Arrays out;
    for (size_t k = 0; k < n; ++k) {
      const Array y = s.moved(r.out[k], r.axis[k], s.place.carry[k]);
      out.push_back(o.loop_invariant[k]
                        ? x.carry[k]
                        : s.lanes.changed(o.lane_axes.carry[k], active, y, x.carry[k]));
    }
    for (size_t k = 0; k < o.result_lane_axes.size(); ++k)
      out.push_back(s.lanes.changed(o.result_lane_axes[k], active,
                                    s.moved(r.out[n + k], r.axis[n + k], s.result_place[k])));
    return out;
  });
}

TracedBody batched_test(const Step& s, const Types& takes) {
  return trace_body(takes, 0, [&](const Arrays& in) {
    // Finished lanes returned false before; for lanes that do not enter, the condition never ran.
    const Batched r = batch_eval(s.before.test, in, s.before.to_cond(s.place), s.trace,
                                 s.mask(s.lanes.entry_mask));
    return Arrays{s.moved(r.out[0], r.axis[0], s.mapped.predicate ? MaybeAxis(0) : MaybeAxis())};
  });
}

// Values that the bodies read from outside become constants before the other constants.
void set_bodies(Step& s, LoopValues<Array>* x) {
  BodyOp& q = s.after;
  const auto put_in_front = [](const Arrays& captured, Arrays* group, Ints* lane_axes) {
    group->insert(group->begin(), captured.begin(), captured.end());
    lane_axes->insert(lane_axes->begin(), captured.size(), 0);
  };
  const Types takes = q.takes(*x);
  std::vector<TracedBody> bodies;
  for (const Jaxpr& b : s.before.bodies) bodies.push_back(batched_body(s, b, takes));
  Arrays captured, by_test;
  q.bodies = hoist_captures(bodies, &captured);
  if (q.test) {
    const Types in = types_of(q.to_cond(*x));
    q.test = hoist_captures({batched_test(s, in)}, &by_test)[0];
    put_in_front(by_test, &x->cond_consts, &q.lane_axes.cond_consts);
  }
  put_in_front(captured, &x->body_consts, &q.lane_axes.body_consts);
}

}  // namespace

Batched body_op_batch(const Op& op, const BodyOp& o, const Arrays& x, const MaybeAxes& axes,
                      BatchTrace& trace) {
  LoopValues<Array> v = o.operands(x);
  const LoopValues<MaybeAxis> from = o.operands(axes);
  Mapped m = find_mapped(o, axes, trace);
  // The entry mask is the last control operand. A scan does not have it; its trip counts are 0 in
  // such lanes.
  const LaneStep lanes =
      lane_step(m.predicate, o.lanes, o.ids, o.entry_mask() ? v.control.back() : Array(),
                o.entry_mask() ? from.control.back() : MaybeAxis(), trace);
  Step s{o, o, m, lanes, trace, {}, {}};
  const auto place = [&](bool on, int64_t lane_axes) {
    return on ? MaybeAxis(lanes.place(lane_axes)) : MaybeAxis();
  };
  const auto changed_lane_axes = [&](int64_t old) { return lanes.changed_lane_axes(old); };
  s.place = map_list(place, m.operand, o.lane_axes);
  s.result_place = map_list(place, m.result, o.result_lane_axes);
  BodyOp& q = s.after;
  q.lanes = lanes.lanes;
  q.ids = lanes.ids;
  q.lane_axes = map_list([&](int64_t old, bool on) { return lanes.lane_axes(old, on); },
                         o.lane_axes, m.operand);
  for (size_t t = 0; t < q.lane_axes.carry.size(); ++t)
    if (!o.loop_invariant[t]) q.lane_axes.carry[t] = changed_lane_axes(o.lane_axes.carry[t]);
  q.result_lane_axes = map_list(changed_lane_axes, o.result_lane_axes);
  LoopValues<MaybeAxis> to = s.place;
  to.control.assign(to.control.size(), {});
  for (MaybeAxis& row : to.xs)
    if (row) ++*row;  // after the axis of steps
  v = map_list(
      [&](const Array& a, MaybeAxis at, MaybeAxis wanted) { return s.moved(a, at, wanted); }, v,
      from, to);
  v.control = moved_control(s, v.control, from.control);
  q.lane_axes.control.assign(v.control.size(), 0);
  set_bodies(s, &v);
  Batched r{q.bind(op, v), s.place.carry};
  for (MaybeAxis a : s.result_place) r.axis.push_back(a && o.stacks() ? MaybeAxis(*a + 1) : a);
  return r;
}

}  // namespace weft
