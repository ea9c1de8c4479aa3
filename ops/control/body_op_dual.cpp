// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/body_op_dual.cpp: derivatives of ops with bodies. In forward mode, tangents are
// appended to the group of their values. In the transpose, cotangents of results become constants
// or rows. Cotangents of linear constants become results, or, if there are steps, are accumulated
// in carries.
#include "core/loops/accumulator.h"
#include "ops/control/body_op.h"
#include "weft/lax/compare.h"

namespace weft {

Dual body_op_dual(const Op& op, const BodyOp& o, const Arrays& x, const Arrays& dx) {
  const LoopValues<Array> v = o.operands(x), dv = o.operands(dx);
  const size_t n = o.lane_axes.carry.size(), m = o.result_lane_axes.size();
  // Finds the values that have a tangent: the least fixed point over the carries. A result has a
  // tangent if any body gives it one.
  LoopValues<bool> on = o.operands(is_nonzero(dx));
  on.cond_consts.assign(on.cond_consts.size(), false);
  std::vector<bool> result_on(m, false);
  std::vector<Jaxpr> bodies;
  for (bool again = true; again;) {
    again = false;
    bodies.clear();
    const std::vector<bool> in = o.to_body(on, false);
    const std::vector<bool> ask = concat_lists(on.carry, result_on);
    for (const Jaxpr& b : o.bodies) {
      const JvpJaxpr j = jvp_jaxpr(b, in, ask);
      again |= union_into(&on.carry, sublist(j.out_nonzero, 0, n));
      again |= union_into(&result_on, sublist(j.out_nonzero, n, m)) && o.bodies.size() > 1;
      bodies.push_back(j.jaxpr);
    }
  }
  const LoopValues<Array> dots =
      map_list([](const Array& t, const Array& p) { return instantiate(t, p.type()); },
               filter_list(dv, on), filter_list(v, on));
  const LoopValues<Array> all = concat_lists(v, dots);
  BodyOp q = o;
  q.lane_axes = concat_lists(o.lane_axes, filter_list(o.lane_axes, on));
  append(q.result_lane_axes, filter_list(o.result_lane_axes, result_on));
  q.bodies = bodies;
  const size_t n_on = dots.carry.size(), in_groups = n + o.lane_axes.xs.size();
  // The jvp of a body takes all values and then all tangents, as does that of a cond.
  for (size_t b = 0; b < bodies.size() && in_groups > 0; ++b)
    q.bodies[b] = program(q.takes(all), [&](const Arrays& a) {
      const LoopValues<Array> g = q.body_inputs(a);
      Arrays in = g.control;
      append(in, sublist(g.body_consts, 0, on.body_consts.size()));
      append(in, sublist(g.carry, 0, n));
      append(in, sublist(g.xs, 0, on.xs.size()));
      append(in, drop_first(g.body_consts, on.body_consts.size()));
      append(in, drop_first(g.carry, n));
      append(in, drop_first(g.xs, on.xs.size()));
      const Arrays out = eval_jaxpr(bodies[b], in);  // carry, results, tangents of both
      return concat_lists(concat_lists(sublist(out, 0, n), sublist(out, n + m, n_on)),
                          concat_lists(sublist(out, n, m), drop_first(out, n + m + n_on)));
    });
  if (o.test)
    q.test = program(types_of(o.to_cond(all)), [&](const Arrays& a) {
      return eval_jaxpr(o.test, sublist(a, 0, v.cond_consts.size() + n));
    });
  const Arrays out = q.bind(op, all);
  return {concat_lists(sublist(out, 0, n), sublist(out, n + n_on, m)),
          concat_lists(scatter_list(sublist(out, n, n_on), on.carry),
                       scatter_list(drop_first(out, n + n_on + m), result_on))};
}

namespace {

// The op that computes the cotangents.
struct Back {
  const Transposition& t;
  LoopValues<bool> linear;  // all carries are linear
  LoopValues<Type> in;      // types of the operands
  std::vector<bool> ct_on;  // the results that have a cotangent
  size_t nonlinear = 0;     // number of constants that are not linear
  size_t sums = 0;          // number of leading carries that sum cotangents of linear constants
  bool by_branch = false;   // each branch has its own cotangents
  BodyOp o = {};
  LoopValues<Array> x = {};
};

// A result of the op has all lanes or no lanes.
Ints left_with(const Ints& lane_axes, const Ints& lanes) {
  return map_list([&](int64_t h) { return h == full_set(lanes) ? h : 0; }, lane_axes);
}

// True if a branch contains a collective. It also reads lanes that took another branch, where the
// cotangent must be zero.
bool hears_others(const BodyOp& o) {
  return !o.stacks() && o.lanes.empty() && o.bodies.size() > 1 &&
         any_equation(o.bodies, [](const JaxprData&, const Eqn& e) { return e.op->collective(); });
}
Arrays of_branch(const Arrays& cts, const Arrays& control, int64_t branch, int64_t last) {
  const Array &index = control[0], k = scalar_of_int(I32, branch);
  Array taken = branch == 0      ? lax::le(index, k)
                : branch == last ? lax::ge(index, k)
                                 : lax::eq(index, k);
  if (control.size() > 1) taken = lax::bitwise_and(taken, control[1]);
  return map_list([&](const Array& ct) { return lax::select(taken, ct, base::zeros(ct.type())); },
                  cts);
}

// Runs the transpose of body number `which` once.
Arrays run_back(const Back& b, size_t which, const Arrays& a) {
  const Jaxpr& body = b.t.o.bodies[which];
  const BodyOp& o = b.t.o;
  const LoopValues<Array> g = b.o.body_inputs(a);
  // The cotangent is zero in lanes that did not run this body; the op keeps their carry.
  const auto masked = [&](const Array& v, int64_t h) {
    return o.active() && h != 0 ? mask_out(a[0], v) : v;
  };
  const size_t n_ct = filter_list(b.ct_on, b.ct_on).size();
  const size_t first = b.nonlinear + (b.by_branch ? which * n_ct : 0);
  const Arrays cts = o.stacks() ? sublist(g.xs, 0, n_ct) : sublist(g.body_consts, first, n_ct);
  const Arrays carry_ct = map_list(masked, drop_first(g.carry, b.sums), o.lane_axes.carry),
               result_ct = map_list(masked, cts, filter_list(o.result_lane_axes, b.ct_on)),
               ct = concat_lists(carry_ct, scatter_list(result_ct, b.ct_on));
  const auto zeros = [](const std::vector<bool>& like) { return Arrays(like.size()); };
  const LoopValues<Array> args{
      g.control,
      {},
      merge_lists(b.linear.body_consts, zeros(b.linear.body_consts), g.body_consts),
      zeros(b.linear.carry),
      merge_lists(b.linear.xs, zeros(b.linear.xs), o.stacks() ? drop_first(g.xs, n_ct) : Arrays())};
  const LoopValues<Array> back =
      o.body_inputs(transposed_jaxpr(body, in_order(args), o.to_body(b.linear, false), ct));
  const Arrays consts = filter_list(back.body_consts, b.linear.body_consts);
  const auto added = [](const Array& sum, const Array& ct) {
    return ct.empty_handle() ? sum : add_tangents(sum, base::convert(ct, sum.dtype()));
  };
  Arrays out = o.stacks() ? map_list(added, sublist(g.carry, 0, b.sums), consts)
                          : map_list(instantiate, consts,
                                     filter_list(b.in.body_consts, b.linear.body_consts));
  append(out, map_list(instantiate, back.carry, b.in.carry));
  return concat_lists(out, map_list(instantiate, filter_list(back.xs, b.linear.xs),
                                    map_list(row_type, filter_list(b.in.xs, b.linear.xs))));
}

}  // namespace

Arrays body_op_transpose(const Transposition& t) {
  const BodyOp& o = t.o;
  const size_t n = o.lane_axes.carry.size();
  Back b{t, o.operands(t.linear), o.operands(t.in),
         std::vector<bool>(o.result_lane_axes.size(), true)};
  b.linear.carry.assign(n, true);
  const LoopValues<int64_t> kept = filter_list(o.lane_axes, b.linear, false),
                            gone = filter_list(o.lane_axes, b.linear);
  b.nonlinear = kept.body_consts.size();
  b.x = filter_list(o.operands(t.x), b.linear, false);
  b.o = o;
  b.o.lane_axes = kept;
  b.o.lane_axes.carry.clear();
  // The steps run in the opposite order.
  if (Scan* p = std::get_if<Scan>(&b.o.like)) {
    p->reverse = !p->reverse;
    b.sums = gone.body_consts.size();
    // Narrow floats are summed in F32 and rounded after the last step.
    for (const Type& c : filter_list(b.in.body_consts, b.linear.body_consts))
      b.x.carry.push_back(base::zeros(Type(accumulator_dtype(c.dtype()), c.shape())));
    b.o.lane_axes.carry = left_with(gone.body_consts, o.lanes);
  }
  append(b.x.carry, map_list(instantiate, sublist(t.ct, 0, n), sublist(t.out, 0, n)));
  append(b.o.lane_axes.carry, o.lane_axes.carry);
  const Arrays ct = drop_first(t.ct, n);
  if (o.stacks()) b.ct_on = is_nonzero(ct);
  const Arrays cts =
      map_list(instantiate, filter_list(ct, b.ct_on), filter_list(drop_first(t.out, n), b.ct_on));
  const Ints ct_lane_axes = filter_list(o.result_lane_axes, b.ct_on);
  if (o.stacks()) {
    b.x.xs = concat_lists(cts, b.x.xs);
    b.o.lane_axes.xs = concat_lists(ct_lane_axes, kept.xs);
  } else {
    b.by_branch = hears_others(o);
    const auto last = std::ssize(o.bodies) - 1;
    for (int64_t k = 0; k <= (b.by_branch ? last : 0); ++k) {
      append(b.x.body_consts, b.by_branch ? of_branch(cts, b.x.control, k, last) : cts);
      append(b.o.lane_axes.body_consts, ct_lane_axes);
    }
  }
  b.o.result_lane_axes = left_with(o.stacks() ? gone.xs : gone.body_consts, o.lanes);
  for (size_t k = 0; k < b.o.bodies.size(); ++k)
    b.o.bodies[k] = program(b.o.takes(b.x), [&](const Arrays& a) { return run_back(b, k, a); });
  Arrays out = b.o.bind(t.op, b.x);
  const Types sums = filter_list(b.in.body_consts, b.linear.body_consts);
  for (size_t k = 0; k < b.sums; ++k) out[k] = base::convert(out[k], sums[k].dtype());
  // In the order of the operands: constants, carries, rows.
  Arrays result(t.in.size());
  size_t next = 0, i = o.lane_axes.control.size() + o.lane_axes.cond_consts.size();
  for (const auto* group : {&b.linear.body_consts, &b.linear.carry, &b.linear.xs})
    for (size_t k = 0; k < group->size(); ++k, ++i)
      if (const Array ct = (*group)[k] ? out[next++] : Array(); t.linear[i]) result[i] = ct;
  return result;
}

}  // namespace weft
