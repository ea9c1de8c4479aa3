// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/body_op_partial.cpp: partial evaluation of ops with bodies. It finds the known part
// of while, scan and cond. For scan and cond, which leave residuals, it also makes the unknown
// part.
#include "core/effects.h"
#include "core/loops/axis_classes.h"
#include "ops/control/body_op.h"
#include "ops/control/remat/scan_blocks.h"

namespace weft {

Unknown find_unknown(const BodyOp& o, const std::vector<bool>& unknown) {
  Unknown u;
  u.operand = o.operands(unknown);
  u.result.assign(o.result_has.size(), false);
  for (bool head : u.operand.head) u.everything = u.everything || head;
  const size_t n = o.has.carry.size(), m = u.result.size();
  for (bool again = !u.everything; again;) {
    again = false;
    u.bodies.clear();
    const std::vector<bool> ask = concat_lists(u.operand.carry, u.result);
    for (const Jaxpr& b : o.bodies) {
      u.bodies.push_back(partial_eval_jaxpr(b, o.taken(u.operand, false), ask));
      const std::vector<bool>& out = u.bodies.back().out_unknown;
      again |= union_into(&u.operand.carry, sublist(out, 0, n));
      again |= union_into(&u.result, sublist(out, n, m)) && o.bodies.size() > 1;
    }
  }
  if (o.test && !u.everything) {
    u.test = partial_eval_jaxpr(o.test, concat_lists(u.operand.test, u.operand.carry), {false});
    u.everything = u.test.out_unknown[0];
  }
  return u;
}

BodyOp known_part(const BodyOp& o, const Unknown& u) {
  BodyOp k = o;
  k.has = filter_list(o.has, u.operand, false);
  k.result_has = filter_list(o.result_has, u.result, false);
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
  int64_t has = 0;
  Type type = {};                // inside the body
  std::vector<int> places = {};  // the axis, in the body, that each lane is
};

// Returns true for each variable of the known part that depends only on constants without lanes, so
// that no step changes it. Such variables are computed before the loop. Equations that may not end
// are therefore excluded if the loop may have no steps.
std::vector<bool> invariants(const BodyOp& known, const JaxprData& j) {
  std::vector<bool> fixed(j.types.size(), false);
  if (!known.stacks()) return fixed;
  for (size_t i = 0; i < known.has.consts.size(); ++i)
    fixed[known.active() + i] = known.has.consts[i] == 0;
  const bool steps_surely = known.has.head.empty() && std::get<Scan>(known.like).length > 0;
  for (const Eqn& e : j.eqns) {
    bool all = effect_of(e) == Effect::none && (steps_surely || surely_ends(e));
    for (Atom a : e.in) all = all && (a.is_literal() || fixed[a.index]);
    for (int32_t k = 0; all && k < e.n_out; ++k) fixed[e.out + k] = true;
  }
  return fixed;
}

// Returns the residuals of body b. x: the known operands.
std::vector<Residual> residuals_of(const BodyOp& known, const Groups<Array>& x, const Split& s,
                                   size_t b) {
  const JaxprData& j = *s.known;
  const int lanes = static_cast<int>(known.lanes.size());
  const Ints has = known.taken(known.has, int64_t{0});
  std::optional<AxisClasses> axes;
  if (lanes) axes.emplace(s.known, lanes, sublist(has, 1, has.size() - 1));
  const Arrays in = known.taken(x, Array());
  const size_t consts = known.active() + known.has.consts.size(),
               rows = consts + known.has.carry.size();
  const std::vector<bool> fixed = invariants(known, j);
  const size_t results = j.out.size() - static_cast<size_t>(s.residuals);
  std::vector<Residual> r;
  std::vector<bool> before(results, false);
  for (size_t k = results; k < j.out.size(); ++k) {
    const Atom a = j.out[k];
    const size_t i = a.index;
    Residual d{.body = b, .row = known.stacks(), .type = j.type(a)};
    if (axes) d.places = axes->places(a, lanes);
    const bool given = !a.is_literal() && a.index < j.n_in && i >= known.active();
    if (given && (i < consts || i >= rows)) {
      d.value = in[i];
      d.has = has[i];
      d.row = i >= rows;
    }
    before.push_back(d.value.empty_handle() && !a.is_literal() && fixed[i]);
    r.push_back(std::move(d));
  }
  if (std::find(before.begin(), before.end(), true) == before.end()) return r;
  Arrays args = in;  // only constants are read
  std::fill(args.begin() + static_cast<std::ptrdiff_t>(consts), args.end(), Array());
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
  return any_equation(
      {linear_part}, [](const JaxprData&, const Eqn& e) { return e.op->nonlinear_in_residuals(); });
}

// The unknown part. It takes the residuals before the unknown operands.
struct UnknownPart {
  BodyOp o;
  Groups<Array> x;
};
UnknownPart unknown_part(const BodyOp& o, const Groups<Array>& x, const Unknown& u,
                         const std::vector<Residual>& residuals, const Arrays& made) {
  Groups<Array> left;
  Groups<int64_t> left_has;
  // For cond, residuals that are results of the known part come first.
  std::vector<size_t> order, at(residuals.size());  // at: position in its group
  for (bool passed_on : {false, true})
    for (size_t i = 0; i < residuals.size(); ++i)
      if (o.stacks() ? passed_on : residuals[i].value.empty_handle() != passed_on)
        order.push_back(i);
  size_t next = 0;
  for (size_t i : order) {
    const Residual& r = residuals[i];
    Arrays& group = r.row ? left.rows : left.consts;
    at[i] = group.size();
    group.push_back(r.value.empty_handle() ? made[next++] : r.value);
    (r.row ? left_has.rows : left_has.consts).push_back(r.has);
  }
  UnknownPart q{o, concat_lists(left, filter_list(x, u.operand))};
  q.x.head = x.head;
  q.o.has = concat_lists(left_has, filter_list(o.has, u.operand));
  q.o.has.head = o.has.head;
  q.o.result_has = filter_list(o.result_has, u.result);
  const auto behind_head = [](const auto& g) {
    auto r = g;
    r.head.clear();
    return in_order(r);
  };
  for (size_t b = 0; b < o.bodies.size(); ++b) {
    const std::vector<bool> fill =
        lanes_to_fill(o.bodies[b], o.lanes, behind_head(o.has), behind_head(u.operand));
    const auto leave = nonlinear_in_residuals(u.bodies[b].rest)
                           ? InactiveLanes::Leave::an_active_lane
                           : InactiveLanes::Leave::ones;
    q.o.bodies[b] = program(q.o.takes(q.x), [&](const Arrays& in) {
      Groups<Array> g = q.o.inputs(in);
      std::optional<InactiveLanes> inactive;
      if (o.active()) inactive.emplace(in[0], fill, leave);
      Arrays args;
      for (size_t i = 0; i < residuals.size(); ++i) {
        const Residual& r = residuals[i];
        if (r.body != b) continue;
        const Array& v = (r.row ? g.rows : g.consts)[at[i]];
        args.push_back(inactive ? inactive->filled(v, r.places) : v);
      }
      append(args, drop_first(g.consts, left.consts.size()));
      append(args, g.carry);
      append(args, drop_first(g.rows, left.rows.size()));
      return eval_jaxpr(u.bodies[b].rest, args);
    });
  }
  return q;
}

}  // namespace

Arrays run_parts(const Op& op, const BodyOp& o, const Groups<Array>& v, const Unknown& u,
                 FunctionRef<Arrays(const BodyOp&, const Groups<Array>&)> run_unknown) {
  const Groups<Array> known_x = filter_list(v, u.operand, false);
  BodyOp k = known_part(o, u);
  std::vector<Residual> residuals;
  for (size_t b = 0; b < o.bodies.size(); ++b)
    append(residuals, residuals_of(k, known_x, u.bodies[b], b));
  for (size_t b = 0; b < o.bodies.size(); ++b)
    k.bodies[b] = known_body(u.bodies[b], b, residuals, o.bodies.size(), k.takes(known_x));
  const size_t results = k.has.carry.size() + k.result_has.size();
  for (const Residual& r : residuals)
    if (r.value.empty_handle()) k.result_has.push_back(0);
  const Arrays known = k.bind(op, known_x);
  const UnknownPart q = unknown_part(o, v, u, residuals, drop_first(known, results));
  return both_parts(u, known, run_unknown(q.o, q.x));
}

// The known part computes the known results and the residuals, which the unknown part reads.
Arrays body_op_partial(const Op& op, const BodyOp& o, const Arrays& x,
                       const std::vector<bool>& unknown, PartialEvalTrace& trace) {
  const Unknown u = find_unknown(o, unknown);
  if (u.everything) return trace.record(op, x, o.as_before());
  const Groups<Array> v = o.operands(x);
  if (runs_in_blocks(o, u)) return record_scan_in_blocks(op, o, v, u, trace);
  return run_parts(op, o, v, u, [&](const BodyOp& q, const Groups<Array>& in) {
    return trace.record(op, in_order(in), q.params());
  });
}

}  // namespace weft
