// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/body_op_partial.cpp: partial evaluation of ops with bodies. It finds the known part
// of while, scan and cond. For scan and cond, which leave residuals, it also makes the unknown
// part.
#include "core/effects.h"
#include "core/loops/axis_classes.h"
#include "core/var_map.h"
#include "ops/control/body_op.h"
#include "ops/control/remat/scan_blocks.h"

namespace weft {

Unknown find_unknown(const BodyOp& o, const std::vector<bool>& unknown) {
  Unknown u;
  u.operand = o.operands(unknown);
  u.result.assign(o.result_lane_axes.size(), false);
  for (bool control : u.operand.control) u.everything = u.everything || control;
  const size_t n = o.lane_axes.carry.size(), m = u.result.size();
  for (bool again = !u.everything; again;) {
    again = false;
    u.bodies.clear();
    const std::vector<bool> ask = concat_lists(u.operand.carry, u.result);
    for (const Jaxpr& b : o.bodies) {
      u.bodies.push_back(partial_eval_jaxpr(b, o.to_body(u.operand, false), ask));
      const std::vector<bool>& out = u.bodies.back().out_unknown;
      again |= union_into(&u.operand.carry, sublist(out, 0, n));
      again |= union_into(&u.result, sublist(out, n, m)) && o.bodies.size() > 1;
    }
  }
  if (o.test && !u.everything) {
    u.test = partial_eval_jaxpr(o.test, o.to_cond(u.operand), {false});
    u.everything = u.test.out_unknown[0];
  }
  return u;
}

BodyOp known_part(const BodyOp& o, const Unknown& u) {
  BodyOp k = o;
  k.lane_axes = filter_list(o.lane_axes, u.operand, false);
  k.result_lane_axes = filter_list(o.result_lane_axes, u.result, false);
  return k;
}

Arrays both_parts(const Unknown& u, const Arrays& known, const Arrays& rest) {
  return merge_lists(concat_lists(u.operand.carry, u.result), rest, known);
}

namespace {

// A residual of one body for its unknown part. An operand of the known part that is passed
// unchanged is read directly, and a value that no step changes is computed before the loop. All
// others are results of the known part; in a cond they are zero if another branch runs.
struct Residual {
  size_t body = 0;
  Array value = {};  // an empty handle means a result of the known part
  bool row = false;  // one for each step
  int64_t lane_axes = 0;
  Type type = {};                // inside the body
  std::vector<int> places = {};  // the axis, in the body, that each lane is
};

// Returns true for each variable of the known part that depends only on constants without lanes, so
// that no step changes it. Such variables are computed before the loop. Equations that may not end
// are therefore excluded if the loop may have no steps.
VarMap<bool> invariants(const BodyOp& known, const JaxprData& j) {
  VarMap<bool> fixed(j, false);
  if (!known.stacks()) return fixed;
  const auto first = known.body_inputs().body_consts.first;
  for (size_t i = 0; i < known.lane_axes.body_consts.size(); ++i)
    fixed[first + static_cast<int32_t>(i)] = known.lane_axes.body_consts[i] == 0;
  const bool steps_surely =
      known.lane_axes.control.empty() && std::get<Scan>(known.like).length > 0;
  for (const Eqn& e : j.eqns) {
    bool all = effect_of(e) == Effect::none && (steps_surely || surely_ends(e));
    for (Atom a : e.in) all = all && fixed.get(a, true);
    if (all) fixed.set_results(e, true);
  }
  return fixed;
}

// Returns the residuals of body b. x: the known operands.
std::vector<Residual> residuals_of(const BodyOp& known, const LoopValues<Array>& x, const Split& s,
                                   size_t b) {
  const JaxprData& j = *s.known;
  const int lanes = static_cast<int>(known.lanes.size());
  const Ints lane_axes = known.to_body(known.lane_axes, int64_t{0});
  std::optional<AxisClasses> axes;
  if (lanes) axes.emplace(s.known, lanes, sublist(lane_axes, 1, lane_axes.size() - 1));
  const Arrays in = known.to_body(x, Array());
  const LoopRanges inputs = known.body_inputs();
  const VarMap<bool> fixed = invariants(known, j);
  const size_t results = j.out.size() - static_cast<size_t>(s.residuals);
  std::vector<Residual> r;
  std::vector<bool> before(results, false);
  for (size_t k = results; k < j.out.size(); ++k) {
    const Atom a = j.out[k];
    const size_t i = a.index;
    Residual d{.body = b, .row = known.stacks(), .type = j.type(a)};
    if (axes) d.places = axes->places(a, lanes);
    const bool given = !a.is_literal() && a.index < j.n_in && !inputs.control.contains(a.index);
    if (given && !inputs.carry.contains(a.index)) {
      d.value = in[i];
      d.lane_axes = lane_axes[i];
      d.row = inputs.xs.contains(a.index);
    }
    before.push_back(d.value.empty_handle() && !a.is_literal() && fixed[i]);
    r.push_back(std::move(d));
  }
  if (std::find(before.begin(), before.end(), true) == before.end()) return r;
  Arrays args = in;  // only constants are read
  std::fill(args.begin() + inputs.body_consts.end(), args.end(), Array());
  // Equations with effects run in the loop.
  const Arrays made = eval_jaxpr(dce(s.known, before, /*effects=*/false), args);
  for (size_t k = 0, next = 0; k < r.size(); ++k) {
    if (!before[results + k]) continue;
    r[k].value = made[next++];
    r[k].row = false;
  }
  return r;
}

// Body b of the known part. It returns its results and those residuals of all bodies that are
// results.
Jaxpr known_body(const Split& s, size_t b, const std::vector<Residual>& residuals, size_t bodies,
                 const Types& takes) {
  const size_t results = s.known->out.size() - static_cast<size_t>(s.residuals);
  std::vector<bool> keep(results, true);
  for (const Residual& r : residuals)
    if (r.body == b) keep.push_back(r.value.empty_handle());
  if (bodies == 1) return dce(s.known, keep);
  return program(takes, [&](const Arrays& in) {
    const Arrays out = eval_jaxpr(s.known, in);
    Arrays made = sublist(out, 0, results);
    size_t next = results;
    for (const Residual& r : residuals) {
      const bool own = r.body == b;
      if (r.value.empty_handle()) made.push_back(own ? out[next] : base::zeros(r.type));
      next += own;
    }
    return made;
  });
}

// Returns true if the linear part computes nonlinear functions of its residuals, in a checkpoint or
// by a custom rule.
bool nonlinear_in_residuals(const Jaxpr& linear_part) {
  return any_equation({linear_part}, [](const JaxprData&, const Eqn& e) {
    return e.op->nonlinear_in_residuals(e.params);
  });
}

// The unknown part. It takes the residuals before the unknown operands.
struct UnknownPart {
  BodyOp o;
  LoopValues<Array> x;
};
UnknownPart unknown_part(const BodyOp& o, const LoopValues<Array>& x, const Unknown& u,
                         const std::vector<Residual>& residuals, const Arrays& made) {
  LoopValues<Array> left;
  LoopValues<int64_t> left_lane_axes;
  // For cond, residuals that are results of the known part come first.
  std::vector<size_t> order, at(residuals.size());  // at: position in its group
  for (bool passed_on : {false, true})
    for (size_t i = 0; i < residuals.size(); ++i)
      if (o.stacks() ? passed_on : residuals[i].value.empty_handle() != passed_on)
        order.push_back(i);
  size_t next = 0;
  for (size_t i : order) {
    const Residual& r = residuals[i];
    Arrays& group = r.row ? left.xs : left.body_consts;
    at[i] = group.size();
    group.push_back(r.value.empty_handle() ? made[next++] : r.value);
    (r.row ? left_lane_axes.xs : left_lane_axes.body_consts).push_back(r.lane_axes);
  }
  UnknownPart q{o, concat_lists(left, filter_list(x, u.operand))};
  q.x.control = x.control;
  q.o.lane_axes = concat_lists(left_lane_axes, filter_list(o.lane_axes, u.operand));
  q.o.lane_axes.control = o.lane_axes.control;
  q.o.result_lane_axes = filter_list(o.result_lane_axes, u.result);
  const auto after_control = [](const auto& g) {
    auto r = g;
    r.control.clear();
    return in_order(r);
  };
  for (size_t b = 0; b < o.bodies.size(); ++b) {
    const std::vector<bool> fill =
        lanes_to_fill(o.bodies[b], o.lanes, after_control(o.lane_axes), after_control(u.operand));
    const auto leave = nonlinear_in_residuals(u.bodies[b].rest)
                           ? InactiveLanes::Leave::an_active_lane
                           : InactiveLanes::Leave::ones;
    q.o.bodies[b] = program(q.o.takes(q.x), [&](const Arrays& in) {
      LoopValues<Array> g = q.o.body_inputs(in);
      std::optional<InactiveLanes> inactive;
      if (o.active()) inactive.emplace(in[0], fill, leave);
      Arrays args;
      for (size_t i = 0; i < residuals.size(); ++i) {
        const Residual& r = residuals[i];
        if (r.body != b) continue;
        const Array& v = (r.row ? g.xs : g.body_consts)[at[i]];
        args.push_back(inactive ? inactive->filled(v, r.places) : v);
      }
      append(args, drop_first(g.body_consts, left.body_consts.size()));
      append(args, g.carry);
      append(args, drop_first(g.xs, left.xs.size()));
      return eval_jaxpr(u.bodies[b].rest, args);
    });
  }
  return q;
}

}  // namespace

Arrays run_parts(const Op& op, const BodyOp& o, const LoopValues<Array>& v, const Unknown& u,
                 FunctionRef<Arrays(const BodyOp&, const LoopValues<Array>&)> run_unknown) {
  const LoopValues<Array> known_x = filter_list(v, u.operand, false);
  BodyOp k = known_part(o, u);
  std::vector<Residual> residuals;
  for (size_t b = 0; b < o.bodies.size(); ++b)
    append(residuals, residuals_of(k, known_x, u.bodies[b], b));
  for (size_t b = 0; b < o.bodies.size(); ++b)
    k.bodies[b] = known_body(u.bodies[b], b, residuals, o.bodies.size(), k.takes(known_x));
  const size_t results = k.lane_axes.carry.size() + k.result_lane_axes.size();
  for (const Residual& r : residuals)
    if (r.value.empty_handle()) k.result_lane_axes.push_back(0);
  const Arrays known = k.bind(op, known_x);
  const UnknownPart q = unknown_part(o, v, u, residuals, drop_first(known, results));
  return both_parts(u, known, run_unknown(q.o, q.x));
}

// The known part computes the known results and the residuals, which the unknown part reads.
Arrays body_op_partial(const Op& op, const BodyOp& o, const Arrays& x,
                       const std::vector<bool>& unknown, PartialEvalTrace& trace) {
  const Unknown u = find_unknown(o, unknown);
  if (u.everything) return trace.record(op, x, o.as_before());
  const LoopValues<Array> v = o.operands(x);
  if (runs_in_blocks(o, u)) return record_scan_in_blocks(op, o, v, u, trace);
  return run_parts(op, o, v, u, [&](const BodyOp& q, const LoopValues<Array>& in) {
    return trace.record(op, in_order(in), q.params());
  });
}

}  // namespace weft
