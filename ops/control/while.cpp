// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/while.cpp: the loop with a predicate.
//
// while[lanes](enter?, cond consts, body consts, init) -> carry
//   c = init;  a = enter & cond(c);  while any(a): { c = select(a, body(a, c), c);  a = enter &
//   cond(c) }
#include <fmt/format.h>

#include <limits>

#include "weft/ops/control/control_flow.h"
#include "weft/ops/control/lanes.h"
#include "weft/ops/control/loop_blocks.h"
#include "weft/ops/elementwise/compare.h"
#include "weft/ops/elementwise/elementwise.h"

namespace weft {
namespace {

// The operands by their roles.
struct Parts {
  Array enter;
  Arrays cc, bc, init;
};
Parts split(const Arrays& x, const While& p) {
  Parts r;
  size_t k = 0;
  if (p.enter) r.enter = x[k++];
  r.cc = part(x, k, static_cast<size_t>(p.cond_nconsts));
  k += r.cc.size();
  r.bc = part(x, k, static_cast<size_t>(p.body_nconsts));
  k += r.bc.size();
  r.init = part(x, k, x.size() - k);
  return r;
}
Arrays joined(const Array& enter, const Arrays& cc, const Arrays& bc, const Arrays& init) {
  Arrays x;
  if (!enter.empty_handle()) x.push_back(enter);
  append(x, cc);
  append(x, bc);
  append(x, init);
  return x;
}
size_t active_inputs(const While& p) { return p.lanes.empty() ? 0 : 1; }

// Whether the body hands carry t on untouched.
bool passes(const While& p, size_t t) {
  const Atom out = p.body_jaxpr->out[t];
  return !out.is_literal() &&
         out.index ==
             static_cast<int32_t>(active_inputs(p) + static_cast<size_t>(p.body_nconsts) + t);
}

// What counts up to max_trips.
DType counter_of(int64_t max_trips) {
  return max_trips > std::numeric_limits<int32_t>::max() ? I64 : I32;
}

Types while_type(const Types& in, const While& p) {
  const size_t enter = p.enter ? 1 : 0;
  require_counts("while", {p.cond_nconsts, p.body_nconsts}, enter, in);
  const size_t nc = static_cast<size_t>(p.cond_nconsts), nb = static_cast<size_t>(p.body_nconsts),
               first = enter + nc + nb;
  const Types carry = part(in, first, in.size() - first);
  require_lanes("while", p.lanes, p.lane_ids, p.has, in.size() - enter, in);
  if (p.enter && in[0] != Type(Bool, Shape(p.lanes)))
    reject_dtype("while", "enter must be a bool of the shape of the lanes", in);
  const Types body_out = p.body_jaxpr->out_types(), cond_out = p.cond_jaxpr->out_types();
  if (cond_out.size() != 1 || cond_out[0].dtype() != Bool || cond_out[0].shape().sizes() != p.lanes)
    throw DTypeError(
        fmt::format("while: cond_fun must return a boolean scalar, but got output type(s) {}",
                    to_string(cond_out)));
  if (body_out.size() != carry.size())
    reject_shape("while", "body returns another number of carries", in);
  for (size_t t = 0; t < carry.size(); ++t)
    if (!(body_out[t].strong() == carry[t].strong()))
      reject_shape("while",
                   fmt::format("body returns {} for carry {} of type {}", to_string(body_out[t]), t,
                               to_string(carry[t])),
                   in);
  Types cond_in = part(in, enter, nc), body_in = mask_input(p.lanes);
  append(cond_in, carry);
  append(body_in, part(in, enter + nc, nb));
  append(body_in, carry);
  require_body("while", p.cond_jaxpr, cond_in, in);
  require_body("while", p.body_jaxpr, body_in, in);
  const Ints has = all_lanes(p.has, in.size() - enter);
  for (size_t t = 0; t < carry.size(); ++t)
    if (!passes(p, t))
      require_all_or_none("while", "carry", t, p.lanes, has[nc + nb + t], carry[t]);
  if (p.max_trips < -1 ||
      (p.max_trips >= 0 && (carry.empty() || carry[0].dtype() != counter_of(p.max_trips))))
    reject_shape("while",
                 "max_trips needs a counter as the first carry, i32 or (beyond 2^31 - 1) i64", in);
  return carry;
}

Arrays while_reference(const Arrays& x, const While& p) {
  Parts r = split(x, p);
  Arrays c = r.init;
  for (;;) {
    Arrays in = r.cc;
    append(in, c);
    Array a = eval_jaxpr(p.cond_jaxpr, in)[0];
    if (p.enter) a = lax::bitwise_and(a, r.enter);
    Ints axes;
    for (size_t i = 0; i < p.lanes.size(); ++i) axes.push_back(static_cast<int64_t>(i));
    if (!static_cast<bool>(axes.empty() ? a : base::reduce_any(a, axes))) return c;
    in.clear();
    if (!p.lanes.empty()) in.push_back(a);
    append(in, r.bc);
    append(in, c);
    const Arrays next = eval_jaxpr(p.body_jaxpr, in);
    const Ints has = all_lanes(p.has, r.cc.size() + r.bc.size() + c.size());
    for (size_t t = 0; t < c.size(); ++t)
      c[t] = has[r.cc.size() + r.bc.size() + t] == 0 || passes(p, t)
                 ? next[t]
                 : select_lanes(a, next[t], c[t]);
  }
}

// ---- forward mode: tangents join the carries

Dual while_dual(const DualArgs<While>& d) {
  const While& p = d.params;
  const size_t na = active_inputs(p);
  const Parts x = split(d.x, p), dx = split(d.dx, p);
  const size_t nbc = x.bc.size(), n = x.init.size();
  std::vector<bool> on;
  for (const Array& t : dx.init) on.push_back(!t.empty_handle());
  std::vector<bool> body_on(na, false);
  for (const Array& t : dx.bc) body_on.push_back(!t.empty_handle());
  JvpJaxpr body;
  for (;;) {
    std::vector<bool> in = body_on;
    in.insert(in.end(), on.begin(), on.end());
    body = jvp_jaxpr(p.body_jaxpr, in, on);
    if (body.out_nonzero == on) break;
    on = body.out_nonzero;
  }
  Arrays bc_dot, init_dot;
  for (const Array& t : dx.bc)
    if (!t.empty_handle()) bc_dot.push_back(t);
  for (size_t t = 0; t < n; ++t)
    if (on[t]) init_dot.push_back(instantiate(dx.init[t], x.init[t].type()));
  // New body: [active] bc bc_dot carry carry_dot; jvp_jaxpr wants all primals first.
  Types types = part(p.body_jaxpr->in_types(), 0, na);
  append(types, types_of(x.bc));
  append(types, types_of(bc_dot));
  append(types, types_of(x.init));
  append(types, types_of(init_dot));
  While q = p;
  q.body_nconsts = static_cast<int64_t>(nbc + bc_dot.size());
  q.body_jaxpr = program(types, [&](const Arrays& a) {
    size_t k = na + nbc;
    Arrays in = part(a, 0, k);
    const Arrays bd = part(a, k, bc_dot.size());
    append(in, part(a, k + bd.size(), n));
    append(in, bd);
    append(in, part(a, k + bd.size() + n, init_dot.size()));
    return eval_jaxpr(body.jaxpr, in);
  });
  Types cond_types = types_of(x.cc);
  append(cond_types, types_of(x.init));
  append(cond_types, types_of(init_dot));
  q.cond_jaxpr = program(cond_types, [&](const Arrays& a) {
    return eval_jaxpr(p.cond_jaxpr, part(a, 0, x.cc.size() + n));
  });
  const Ints has = all_lanes(p.has, x.cc.size() + nbc + n);
  q.has = part(has, 0, x.cc.size() + nbc);
  for (size_t i = 0; i < nbc; ++i)
    if (!dx.bc[i].empty_handle()) q.has.push_back(has[x.cc.size() + i]);
  append(q.has, part(has, x.cc.size() + nbc, n));
  for (size_t t = 0; t < n; ++t)
    if (on[t]) q.has.push_back(has[x.cc.size() + nbc + t]);
  Arrays bc = x.bc, init = x.init;
  append(bc, bc_dot);
  append(init, init_dot);
  const Arrays out = d.op.bind(joined(x.enter, x.cc, bc, init), q);
  Dual r;
  r.out = part(out, 0, n);
  size_t next = n;
  for (size_t t = 0; t < n; ++t) r.tangent.push_back(on[t] ? out[next++] : Array());
  return r;
}

// ---- batching

// Least fixed point of the mapped carries, and whether the predicate is mapped under it.
struct Mapped {
  std::vector<bool> carry;
  bool predicate = false;
};
Mapped settle(const BatchArgs<While>& b, const Parts& x, const MaybeAxes& axes) {
  const While& p = b.params;
  const size_t na = active_inputs(p), ne = p.enter ? 1 : 0, ncc = x.cc.size(), nbc = x.bc.size(),
               n = x.init.size();
  const Ints has = all_lanes(p.has, ncc + nbc + n);
  const auto axis_for = [&](size_t operand, bool mapped) {
    return mapped ? MaybeAxis(lane_count(has[operand])) : MaybeAxis();
  };
  Mapped m;
  for (size_t t = 0; t < n; ++t) m.carry.push_back(axes[ne + ncc + nbc + t].has_value());
  const auto grow = [&] {
    for (;;) {
      MaybeAxes in(na, std::nullopt);
      for (size_t i = 0; i < nbc; ++i)
        in.push_back(axis_for(ncc + i, axes[ne + ncc + i].has_value()));
      for (size_t t = 0; t < n; ++t) in.push_back(axis_for(ncc + nbc + t, m.carry[t]));
      const MaybeAxes out = probe_axes(p.body_jaxpr, in, b.level);
      bool changed = false;
      for (size_t t = 0; t < n; ++t)
        if (out[t] && !m.carry[t]) m.carry[t] = changed = true;
      if (!changed) return;
    }
  };
  grow();
  MaybeAxes in;
  for (size_t i = 0; i < ncc; ++i) in.push_back(axis_for(i, axes[ne + i].has_value()));
  for (size_t t = 0; t < n; ++t) in.push_back(axis_for(ncc + nbc + t, m.carry[t]));
  m.predicate =
      probe_axes(p.cond_jaxpr, in, b.level)[0].has_value() || (p.enter && axes[0].has_value());
  if (m.predicate) {  // lanes leave at different trips: all that changes is mapped
    for (size_t t = 0; t < n; ++t) m.carry[t] = m.carry[t] || !passes(p, t);
    grow();
  }
  return m;
}

Batched while_batch(const BatchArgs<While>& b) {
  const While& p = b.params;
  const Parts x = split(b.x, p);
  const size_t na = active_inputs(p), ne = p.enter ? 1 : 0, ncc = x.cc.size(), nbc = x.bc.size(),
               n = x.init.size();
  const Ints has = all_lanes(p.has, ncc + nbc + n);
  const Mapped m = settle(b, x, b.axis);
  const LaneStep s = lane_step(m.predicate, p.lanes, p.lane_ids, x.enter,
                               p.enter ? b.axis[0] : MaybeAxis(), b.level);
  std::vector<bool> mapped;
  for (size_t i = 0; i < ncc + nbc; ++i) mapped.push_back(b.axis[ne + i].has_value());
  mapped.insert(mapped.end(), m.carry.begin(), m.carry.end());
  const auto place = [&](size_t i) {
    return mapped[i] ? MaybeAxis(s.place(lane_count(has[i]))) : MaybeAxis();
  };
  Arrays operands;
  for (size_t i = 0; i < ncc + nbc + n; ++i) {
    const Array& a = b.x[ne + i];
    operands.push_back(mapped[i] ? move_mapped(a, b.axis[ne + i], *place(i), b.size) : a);
  }
  While q = p;
  q.lanes = s.lanes;
  q.lane_ids = s.ids;
  q.enter = !s.enter.empty_handle();
  Types body_types = mask_input(s.lanes);
  const size_t own = body_types.size();
  append(body_types, part(types_of(operands), ncc, nbc + n));
  const Rewritten body = rewritten(body_types, own, [&](const Arrays& in) {
    const Array active = own ? in[0] : Array();
    Arrays args;
    MaybeAxes axes;
    if (na) {
      args.push_back(active);
      axes.push_back(m.predicate ? MaybeAxis(0) : MaybeAxis());
    }
    for (size_t i = 0; i < nbc + n; ++i) {
      args.push_back(in[own + i]);
      axes.push_back(place(ncc + i));
    }
    Batched r = batch_eval(p.body_jaxpr, args, axes, b.level, body_mask(s, active));
    Arrays out;
    for (size_t t = 0; t < n; ++t) {
      const Array& before = in[own + nbc + t];
      const size_t i = ncc + nbc + t;
      const Array x = m.carry[t] ? move_mapped(r.out[t], r.axis[t], *place(i), b.size) : r.out[t];
      out.push_back(passes(p, t) ? before : s.changed(has[i], active, x, before));
    }
    return out;
  });
  Types cond_types = part(types_of(operands), 0, ncc);
  append(cond_types, part(types_of(operands), ncc + nbc, n));
  const Rewritten cond = rewritten(cond_types, 0, [&](const Arrays& in) {
    MaybeAxes axes;
    for (size_t i = 0; i < ncc; ++i) axes.push_back(place(i));
    for (size_t t = 0; t < n; ++t) axes.push_back(place(ncc + nbc + t));
    // Lanes that are done gave false before; those that do not enter were never asked.
    Batched r = batch_eval(p.cond_jaxpr, in, axes, b.level, body_mask(s, s.enter));
    return Arrays{m.predicate ? move_mapped(r.out[0], r.axis[0], 0, b.size) : r.out[0]};
  });
  Arrays cc, bc;
  q.cond_jaxpr = opened({cond}, &cc)[0];
  q.body_jaxpr = opened({body}, &bc)[0];
  q.cond_nconsts = static_cast<int64_t>(ncc + cc.size());
  q.body_nconsts = static_cast<int64_t>(nbc + bc.size());
  q.has.assign(cc.size(), 0);
  for (size_t i = 0; i < ncc; ++i) q.has.push_back(s.has(has[i], mapped[i]));
  q.has.insert(q.has.end(), bc.size(), 0);
  for (size_t i = ncc; i < ncc + nbc + n; ++i) {
    const bool changes = i >= ncc + nbc && !passes(p, i - ncc - nbc);
    q.has.push_back(changes ? s.has_changed(has[i]) : s.has(has[i], mapped[i]));
  }
  append(cc, part(operands, 0, ncc));
  append(bc, part(operands, ncc, nbc));
  Batched r;
  r.out = b.op.bind(joined(s.enter, cc, bc, part(operands, ncc + nbc, n)), q);
  for (size_t t = 0; t < n; ++t) r.axis.push_back(place(ncc + nbc + t));
  return r;
}

// ---- partial evaluation

// The loop as a scan with its trips known: the unknown carries. What passes through is a constant
// of the steps: a scan's carries have all lanes or none.
Arrays bounded_steps(const PartialArgs<While>& a, const std::vector<bool>& unknown,
                     const Array& trips) {
  const While& p = a.params;
  const Parts x = split(a.x, p);
  const size_t na = active_inputs(p), ncc = x.cc.size(), nbc = x.bc.size(), n = x.init.size();
  const Ints has = all_lanes(p.has, ncc + nbc + n);
  BoundedLoop l;
  l.trips = trips;
  l.consts = x.bc;
  l.const_unknown = part(a.unknown, a.unknown.size() - nbc - n, nbc);
  l.step.has = part(has, ncc, nbc);
  Ints carry_has;
  for (size_t t = 0; t < n; ++t) {
    const bool pass = passes(p, t);
    (pass ? l.consts : l.carry).push_back(x.init[t]);
    (pass ? l.const_unknown : l.carry_unknown).push_back(unknown[t]);
    (pass ? l.step.has : carry_has).push_back(has[ncc + nbc + t]);
  }
  append(l.step.has, carry_has);
  Types types = part(p.body_jaxpr->in_types(), 0, na);
  append(types, types_of(l.consts));
  append(types, types_of(l.carry));
  l.step.jaxpr = program(types, [&](const Arrays& in) {
    Arrays args = part(in, 0, na + nbc), out;
    size_t pass = na + nbc, change = na + l.consts.size();
    for (size_t t = 0; t < n; ++t) args.push_back(in[passes(p, t) ? pass++ : change++]);
    const Arrays all = eval_jaxpr(p.body_jaxpr, args);
    for (size_t t = 0; t < n; ++t)
      if (!passes(p, t)) out.push_back(all[t]);
    return out;
  });
  l.step.length = p.max_trips;
  l.step.num_consts = static_cast<int64_t>(l.consts.size());
  l.step.num_carry = static_cast<int64_t>(l.carry.size());
  l.step.lanes = p.lanes;
  l.step.lane_ids = p.lane_ids;
  l.step.trips = true;
  return record_bounded(a.level, l);
}

// Which carries are unknown (the least fixed point over the body), whether the predicate is, and
// what is known of the programs.
struct Unknown {
  std::vector<bool> consts, carry;
  bool predicate = false;
  Jaxpr cond, body;
};
Jaxpr without_residuals(const Split& s) {
  std::vector<bool> keep(s.known->out.size(), true);
  std::fill(keep.end() - s.residuals, keep.end(), false);
  return dce(s.known, keep);
}
Unknown settle_unknown(const PartialArgs<While>& a, const Parts& x) {
  const While& p = a.params;
  const size_t na = active_inputs(p), ne = p.enter ? 1 : 0, ncc = x.cc.size(), nbc = x.bc.size(),
               n = x.init.size();
  Unknown u;
  u.consts = part(a.unknown, ne + ncc, nbc);
  u.carry = part(a.unknown, ne + ncc + nbc, n);
  for (;;) {
    std::vector<bool> in(na, false);
    append(in, u.consts);
    append(in, u.carry);
    const Split s = partial_eval_jaxpr(p.body_jaxpr, in, u.carry);
    if (s.out_unknown == u.carry) {
      u.body = without_residuals(s);
      break;
    }
    u.carry = s.out_unknown;
  }
  std::vector<bool> in = part(a.unknown, ne, ncc);
  append(in, u.carry);
  const Split s = partial_eval_jaxpr(p.cond_jaxpr, in, {false});
  u.cond = without_residuals(s);
  u.predicate = s.out_unknown[0] || (p.enter && a.unknown[0]);
  return u;
}

// Without a bound on the trips: known carries are computed, the rest recorded with the whole loop
// (forward mode needs no more). With a bound: the known loop counts the trips, and a scan with
// those trips is split, in blocks if it is long.
Arrays while_partial(const PartialArgs<While>& a) {
  const While& p = a.params;
  const Parts x = split(a.x, p);
  const size_t ncc = x.cc.size(), nbc = x.bc.size(), n = x.init.size();
  const Unknown u = settle_unknown(a, x);
  if (u.predicate) return a.level.record(a.op, a.x, make_params(p));
  // The known loop: carries that are known, in the same order.
  While k = p;
  k.cond_jaxpr = u.cond;
  k.body_jaxpr = u.body;
  Arrays cc, bc, init;
  const Ints has = all_lanes(p.has, ncc + nbc + n);
  k.has.clear();
  const auto keep_known = [&](const Arrays& from, const std::vector<bool>& unknown, size_t at,
                              Arrays* to) {
    for (size_t i = 0; i < from.size(); ++i)
      if (!unknown[i]) {
        to->push_back(from[i]);
        k.has.push_back(has[at + i]);
      }
  };
  keep_known(x.cc, part(a.unknown, p.enter ? 1 : 0, ncc), 0, &cc);
  keep_known(x.bc, u.consts, ncc, &bc);
  keep_known(x.init, u.carry, ncc + nbc, &init);
  k.cond_nconsts = static_cast<int64_t>(cc.size());
  k.body_nconsts = static_cast<int64_t>(bc.size());
  const Arrays known = a.op.bind(joined(x.enter, cc, bc, init), k);
  const bool bounded = p.max_trips >= 0;
  const Arrays rest =
      bounded ? bounded_steps(a, u.carry, known[0]) : a.level.record(a.op, a.x, make_params(p));
  Arrays out;
  size_t next = 0, next_rest = 0;
  for (size_t t = 0; t < n; ++t) {
    if (!u.carry[t])
      out.push_back(known[next++]);
    else if (!bounded)
      out.push_back(rest[t]);
    else
      out.push_back(passes(p, t) ? x.init[t] : rest[next_rest++]);
  }
  return out;
}

// One trip as two programs, with the mask and the selects of the definition written out.
std::vector<Jaxpr> while_steps(const LowerArgs<While>& l) {
  const While p = l.params;
  const size_t ne = p.enter ? 1 : 0, ncc = static_cast<size_t>(p.cond_nconsts),
               nbc = static_cast<size_t>(p.body_nconsts), n = l.out.size();
  const bool lanes = !p.lanes.empty();
  const Ints has = all_lanes(p.has, ncc + nbc + n);
  Types test = part(l.in, 0, ne + ncc), step;
  append(test, part(l.in, ne + ncc + nbc, n));
  if (lanes) step.push_back(Type(Bool, Shape(p.lanes)));
  append(step, part(l.in, ne + ncc, nbc + n));
  Ints axes;
  for (size_t i = 0; i < p.lanes.size(); ++i) axes.push_back(static_cast<int64_t>(i));
  const Jaxpr t = program(test, [&](const Arrays& x) {
    Array a = eval_jaxpr(p.cond_jaxpr, part(x, ne, ncc + n))[0];
    if (ne) a = lax::bitwise_and(a, x[0]);
    return lanes ? Arrays{base::reduce_any(a, axes), a} : Arrays{a};
  });
  const Jaxpr s = program(step, [&](const Arrays& x) {
    Arrays out = eval_jaxpr(p.body_jaxpr, x);
    for (size_t k = 0; k < n; ++k)
      if (lanes && has[ncc + nbc + k] != 0 && !passes(p, k))
        out[k] = select_lanes(x[0], out[k], x[1 + nbc + k]);
    return out;
  });
  return {t, s};
}

const Primitive<While>& while_op = define<While>({
    .name = "while",
    .doc = "Repeats body while cond holds; with lanes, for each lane by itself.",
    .type = while_type,
    .reference = while_reference,
    .dual = while_dual,
    .transpose = [](const TransposeArgs<While>&) -> Arrays {
      throw DifferentiationError(
          "Reverse-mode differentiation does not work for while_loop or fori_loop with dynamic "
          "start/stop values. Give the loop a "
          ".max_trips, use scan, or fori_loop with static start/stop.");
    },
    .batch = while_batch,
    .partial = while_partial,
    .lower =
        [](const LowerArgs<While>& a) {
          Lowering l;
          l.form = Lowering::Form::loop;
          const While& p = a.params;
          l.loop = {.kind = LoopForm::Kind::loop_while,
                    .bodies = {p.cond_jaxpr, p.body_jaxpr},
                    .lanes = p.lanes,
                    .has = p.has,
                    .enter = p.enter,
                    .cond_consts = static_cast<int>(p.cond_nconsts),
                    .consts = static_cast<int>(p.body_nconsts),
                    .carry = static_cast<int>(a.out.size())};
          l.lockstep = [in = a.in, out = a.out, p] { return while_steps({in, out, p}); };
          return l;
        },
    .compile_eagerly = true,
});

}  // namespace

Arrays while_flat(const Closed& cond, const Closed& body, const Arrays& init,
                  std::optional<int64_t> max_trips) {
  While p;
  p.cond_nconsts = static_cast<int64_t>(cond.consts.size());
  p.body_nconsts = static_cast<int64_t>(body.consts.size());
  p.cond_jaxpr = open_constants(cond.jaxpr);
  p.body_jaxpr = open_constants(body.jaxpr);
  Arrays carry = init;
  if (max_trips) {
    // One more carry in front counts, and the loop ends when it reaches the bound.
    p.max_trips = *max_trips;
    const DType counter = counter_of(*max_trips);
    const Array zero = scalar_of_int(counter, 0), one = scalar_of_int(counter, 1),
                bound = scalar_of_int(counter, *max_trips);
    const size_t ncc = cond.consts.size(), nbc = body.consts.size();
    Types cond_types = types_of(cond.consts), body_types = types_of(body.consts);
    cond_types.push_back(zero.type());
    body_types.push_back(zero.type());
    append(cond_types, types_of(init));
    append(body_types, types_of(init));
    const auto without_counter = [](const Arrays& in, size_t consts) {
      Arrays a = part(in, 0, consts);
      append(a, part(in, consts + 1, in.size() - consts - 1));
      return a;
    };
    p.cond_jaxpr = program(cond_types, [&](const Arrays& in) {
      return Arrays{
          lax::bitwise_and(eval_jaxpr(open_constants(cond.jaxpr), without_counter(in, ncc))[0],
                           lax::lt(in[ncc], bound))};
    });
    p.body_jaxpr = program(body_types, [&](const Arrays& in) {
      Arrays out{base::add(in[nbc], one)};
      append(out, eval_jaxpr(open_constants(body.jaxpr), without_counter(in, nbc)));
      return out;
    });
    carry.insert(carry.begin(), zero);
  }
  Arrays out = while_op.bind(joined(Array(), cond.consts, body.consts, carry), p);
  if (max_trips) out.erase(out.begin());
  return out;
}

}  // namespace weft
