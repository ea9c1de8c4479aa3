// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/rewrites/separate_lanes.cpp: writes the loop with lanes, and follows the lane axes
// through its programs.
#include "ops/control/rewrites/separate_lanes.h"

#include <algorithm>

#include "core/effects.h"
#include "core/jaxpr_builder.h"
#include "core/loops/axis_classes.h"
#include "core/op.h"
#include "ops/control/rewrites/mapped_loop.h"
#include "ops/kit/fold.h"
#include "tracer/base_ops.h"
#include "tracer/concrete.h"
#include "weft/lax/compare.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/reduce.h"

namespace weft {
namespace {

// Returns for each value the set of lane axes that it has: all of them in front, or none.
// Returns nothing if a value has them elsewhere.
std::optional<Ints> lanes_of_inputs(const AxisClasses& an, const JaxprData& body, int lanes) {
  Ints sets;
  for (int32_t v = 1; v < body.n_in; ++v) {
    const std::vector<int> places = an.places(Atom{v}, lanes);
    int64_t set = 0;
    for (int l = 0; l < lanes; ++l) {
      if (places[l] < 0) continue;
      if (places[l] != l) return {};
      set |= int64_t{1} << l;
    }
    if (set != 0 && set != (int64_t{1} << lanes) - 1) return {};
    sets.push_back(set);
  }
  return sets;
}

// Returns the program that computes other variables of this program. `mask`: it takes a mask first,
// which it does not read.
Jaxpr computing(const JaxprData& j, const std::vector<Atom>& out, std::optional<Type> mask = {}) {
  JaxprBuilder b(j);
  if (mask) b.add_input(*mask);
  b.copy_inputs();
  for (const Eqn& e : j.eqns) b.copy(e);
  return dce(b.finish(out));
}

// The bound of the counter, of which the condition reads these carries.
Array bound_of(const While& p, Atom bound, const Arrays& carry) {
  return bound.is_literal() ? literal_array(p.cond_jaxpr->literals[bound.literal()])
                            : carry[bound.index];
}

// The programs of the loop with lanes. Each lane counts its own trips.
While with_lanes(const While& p, const MappedLoop& m) {
  While r = p;
  r.lanes = m.lanes.sizes();
  for (int l = 0; l < m.lanes.ndim(); ++l) r.lane_ids.push_back(l);
  const Type mask(Bool, m.lanes);
  r.body_jaxpr = computing(*p.body_jaxpr, m.next, mask);
  if (!m.mask) {
    const Jaxpr go = computing(*p.cond_jaxpr, {m.go});
    r.cond_jaxpr = program(go->in_types(), [&](const Arrays& carry) {
      const Array goes_on = eval_jaxpr(go, carry)[0];
      const Ints further = axis_range(goes_on.ndim());
      return Arrays{lax::reduce_or(goes_on, Ints(further.begin() + m.lanes.ndim(), further.end()))};
    });
    return r;
  }
  const Jaxpr step = r.body_jaxpr;
  const Types step_in = step->in_types();
  const size_t first = step_in.size() - m.next.size(), count = first + m.counter->carry;
  Types in = step_in;
  in[count] = Type(in[count].dtype(), m.lanes);
  r.body_jaxpr = program(in, [&](const Arrays& x) {
    Arrays args = x;
    args[first + *m.mask] = base::ones(mask);
    args[count] = base::zeros(step_in[count]);
    Arrays out = eval_jaxpr(step, args);
    out[m.counter->carry] = base::add(x[count], base::ones(in[count]));
    return out;
  });
  r.cond_jaxpr = program(Types(in.begin() + first, in.end()), [&](const Arrays& carry) {
    const Array runs = carry[*m.mask];
    if (!m.counter->bound) return Arrays{runs};
    const Array bound = bound_of(p, *m.counter->bound, carry);
    return Arrays{lax::bitwise_and(runs, lax::lt(carry[m.counter->carry], bound))};
  });
  return r;
}

Array repeated(const Array& scalar, const Shape& lanes) {
  return spread(scalar, lanes, axis_range(lanes.ndim()));
}

// A lane whose mask is false although its condition holds keeps the loop running until the counter
// reaches its bound. Returns the counter after these trips.
Array after_waiting(const Array& counter, const Array& waits, const Array& bound) {
  const Arrays init{counter, bound, waits};
  const auto goes_on = [](const Arrays& c) {
    return Arrays{lax::bitwise_and(c[2], lax::lt(c[0], c[1]))};
  };
  const auto step = [](const Arrays& c) {
    return Arrays{base::add(c[0], base::ones(c[0].type())), c[1], c[2]};
  };
  const Types in = types_of(init);
  return while_flat({program(in, goes_on), {}}, {program(in, step), {}}, init)[0];
}

// Returns true if the lanes of the loop can run apart. Sets the lane axes of its operands.
bool separable(While& r, const std::vector<bool>& loop_invariant, const Types& in) {
  const int lanes = static_cast<int>(r.lanes.size());
  Ints sets(r.body_jaxpr->n_in - 1, 0);
  for (size_t t = 0; t < loop_invariant.size(); ++t)
    if (!loop_invariant[t]) sets[sets.size() - loop_invariant.size() + t] = full_set(r.lanes);
  const std::optional<Ints> found = lane_axes_of(r.body_jaxpr, lanes, sets);
  if (!found) return false;
  r.lane_axes = *found;
  return axes_run_apart("while", make_params(r), in, 0, lanes);  // variable 0: the mask
}

// The results of a loop that carries its mask, from the initial carries and those of the loop with
// lanes. `goes_on`: the lanes whose condition holds before the loop.
Arrays joint_results(const While& p, const MappedLoop& m, const Arrays& init, const Array& goes_on,
                     Arrays r) {
  const Array &mask = init[*m.mask], &count = init[m.counter->carry];
  const Array counts = r[m.counter->carry];
  Array last = lax::reduce_max(counts, axis_range(m.lanes.ndim()));
  if (m.counter->bound)
    last = after_waiting(last, any_lane(lax::bitwise_and(goes_on, lax::bitwise_not(mask))),
                         bound_of(p, *m.counter->bound, init));
  r[m.counter->carry] = last;
  r[*m.mask] = lax::select(any_lane(goes_on), r[*m.mask], mask);
  // The lanes that ran the last trip.
  for (const size_t t : m.last_mask)
    r[t] = lax::select(lax::eq(last, count), init[t], lax::eq(counts, repeated(last, m.lanes)));
  return r;
}

}  // namespace

bool axes_run_apart(const char* loop, const AnyParams& params, const Types& operands,
                    int32_t variable, int axes) {
  const Op* op = find_op(loop);
  const AxisClasses an(program(operands, [&](const Arrays& x) { return bind_op(*op, x, params); }));
  const Scope& top = an.top();
  const size_t i = top.j->eqns.size() - 1;
  const std::set<int> mixed = an.mixed(top, i);
  const Scope& body = *top.bodies[i].back();
  for (int axis = 0; axis < axes; ++axis)
    if (mixed.contains(an.find(body.axis(variable, axis)))) return false;
  return true;
}

std::optional<Ints> lane_axes_of(const Jaxpr& body, int lanes, const Ints& known) {
  const AxisClasses an(body, lanes, known);
  const std::vector<bool> apart = an.independent_lanes(lanes);
  if (!std::ranges::all_of(apart, [](bool x) { return x; })) return {};
  return lanes_of_inputs(an, *body, lanes);
}

std::optional<Arrays> separate_lanes(const While& p, const Arrays& x, bool in_loop) {
  // A constant of the condition would be another operand than that of the body.
  if (!p.lanes.empty() || p.max_trips >= 0 || p.cond_nconsts > 0) return {};
  if (effect_of(p.body_jaxpr) != Effect::none || effect_of(p.cond_jaxpr) != Effect::none) return {};
  const std::optional<MappedLoop> m = mapped_loop(p, x, in_loop);
  if (!m) return {};
  While r = with_lanes(p, *m);
  const BodyOp o = body_op(p);
  LoopValues<Array> v = o.operands(x);
  const Arrays init = v.carry;
  Array goes_on;
  if (m->mask) {
    goes_on = eval_jaxpr(computing(*p.cond_jaxpr, {m->go}), init)[0];
    // The first trip runs the lanes of the mask if any condition holds.
    v.carry[*m->mask] = lax::bitwise_and(init[*m->mask], repeated(any_lane(goes_on), m->lanes));
    v.carry[m->counter->carry] = repeated(init[m->counter->carry], m->lanes);
  }
  const Arrays operands = in_order(v);
  if (!separable(r, o.loop_invariant, types_of(operands))) return {};
  const Arrays results = bind_op(*find_op("while"), operands, make_params(r));
  return m->mask ? joint_results(p, *m, init, goes_on, results) : results;
}

}  // namespace weft
