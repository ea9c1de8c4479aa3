// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/scan.cpp: the loop with a fixed number of steps, which stacks what each step yields.
//
// scan[lanes, length](trips?, consts, init, xs) -> carry, ys
//   With trips, lane l takes the steps t < trips[l] (reverse: the same rows, last first); after its
//   last step its carry stays, and its rows of ys that were not written are zero.
#include <fmt/format.h>

#include <limits>

#include "weft/core/loops/axis_classes.h"
#include "weft/ops/control/control_flow.h"
#include "weft/ops/control/lanes.h"
#include "weft/ops/control/unroll.h"
#include "weft/ops/elementwise/compare.h"
#include "weft/ops/elementwise/elementwise.h"
#include "weft/ops/index/index.h"
#include "weft/ops/structure/structure.h"

namespace weft {
namespace {

struct Parts {
  Array trips;
  Arrays consts, init, xs;
};
Parts split(const Arrays& x, const Scan& p) {
  Parts r;
  size_t k = 0;
  if (p.trips) r.trips = x[k++];
  r.consts = part(x, k, static_cast<size_t>(p.num_consts));
  k += r.consts.size();
  r.init = part(x, k, static_cast<size_t>(p.num_carry));
  k += r.init.size();
  r.xs = part(x, k, x.size() - k);
  return r;
}
Arrays joined(const Array& trips, const Arrays& consts, const Arrays& init, const Arrays& xs) {
  Arrays x;
  if (!trips.empty_handle()) x.push_back(trips);
  append(x, consts);
  append(x, init);
  append(x, xs);
  return x;
}
size_t active_inputs(const Scan& p) { return p.lanes.empty() ? 0 : 1; }

Type stacked(const Type& t, int64_t n) { return t.with_shape(t.shape().inserted(0, n)); }
Type row_type(const Type& t) { return t.with_shape(t.shape().erased(0)); }

Types scan_type(const Types& in, const Scan& p) {
  const size_t first = p.trips ? 1 : 0, nc = static_cast<size_t>(p.num_consts),
               n = static_cast<size_t>(p.num_carry);
  require_counts("scan", {p.num_consts, p.num_carry}, first, in);
  if (p.length < 0 || p.unroll < 1)
    reject_shape("scan", "length must not be negative, unroll not below 1", in);
  if (p.jaxpr->out.size() < n)
    reject_shape("scan", "the body returns fewer values than there are carries", in);
  require_lanes("scan", p.lanes, p.lane_ids, p.has, in.size() - first + p.jaxpr->out.size() - n,
                in);
  if (p.trips && p.length > std::numeric_limits<int32_t>::max())
    reject_shape("scan", "trips are counted by an i32, length must not be beyond it", in);
  if (!p.lanes.empty() && !p.trips) reject_shape("scan", "lanes need trips", in);
  if (p.trips && (in[0].dtype() != I32 || in[0].shape().sizes() != p.lanes))
    reject_dtype("scan", "trips must be an i32 of the shape of the lanes", in);
  for (size_t i = first + nc + n; i < in.size(); ++i)
    if (in[i].ndim() == 0 || in[i].shape()[0] != p.length)
      reject_shape(
          "scan",
          fmt::format("got `length` argument of {} which disagrees with leading axis of {}",
                      p.length, to_string(in[i])),
          in);
  Types takes = mask_input(p.lanes);
  append(takes, part(in, first, nc + n));
  for (size_t i = first + nc + n; i < in.size(); ++i) takes.push_back(row_type(in[i]));
  require_body("scan", p.jaxpr, takes, in);
  const Types out = p.jaxpr->out_types();
  Types r;
  for (size_t t = 0; t < n; ++t) {
    if (!(out[t].strong() == in[first + nc + t].strong()))
      reject_shape("scan",
                   fmt::format("body returns {} for carry {} of type {}", to_string(out[t]), t,
                               to_string(in[first + nc + t])),
                   in);
    r.push_back(in[first + nc + t]);
  }
  const size_t nx = in.size() - first - nc - n;
  const Ints has = all_lanes(p.has, nc + n + nx + out.size() - n);
  for (size_t t = 0; t < n; ++t)
    require_all_or_none("scan", "carry", t, p.lanes, has[nc + t], out[t]);
  for (size_t k = n; k < out.size(); ++k) {
    require_all_or_none("scan", "result", k - n, p.lanes, has[nc + nx + k], out[k]);
    r.push_back(stacked(out[k], p.length));
  }
  return r;
}

// Row t of x, and writing it.
Array read_row(const Array& x, int64_t t) {
  const Type type = row_type(x.type());
  return array_of_bytes(type, static_cast<const std::byte*>(concrete(x).data()) + t * type.bytes());
}

Arrays scan_reference(const Arrays& x, const Scan& p) {
  const Parts r = split(x, p);
  const size_t nc = r.consts.size(), n = r.init.size(), m = p.jaxpr->out.size() - n;
  const Ints has = all_lanes(p.has, nc + n + r.xs.size() + m);
  Arrays c = r.init;
  std::vector<Fresh> ys;
  const Types out_types = p.jaxpr->out_types();
  for (size_t k = 0; k < m; ++k) {
    ys.push_back(fresh_array(stacked(out_types[n + k], p.length)));
    std::memset(ys.back().data, 0, static_cast<size_t>(ys.back().array.type().bytes()));
  }
  Ints axes;
  for (size_t i = 0; i < p.lanes.size(); ++i) axes.push_back(static_cast<int64_t>(i));
  for (int64_t s = 0; s < p.length; ++s) {
    const int64_t t = p.reverse ? p.length - 1 - s : s;
    Array active;
    if (p.trips) {
      active = lax::lt(scalar_of_int(I32, t), r.trips);
      if (!static_cast<bool>(axes.empty() ? active : base::reduce_any(active, axes))) continue;
    }
    Arrays in;
    if (!p.lanes.empty()) in.push_back(active);
    append(in, r.consts);
    append(in, c);
    for (const Array& a : r.xs) in.push_back(read_row(a, t));
    const Arrays out = eval_jaxpr(p.jaxpr, in);
    for (size_t k = 0; k < n; ++k)
      c[k] = p.lanes.empty() || has[nc + k] == 0 ? out[k] : select_lanes(active, out[k], c[k]);
    for (size_t k = 0; k < m; ++k) {
      const bool masked = !p.lanes.empty() && has[nc + n + r.xs.size() + k] != 0;
      const Array row = masked ? mask_out(active, out[n + k]) : out[n + k];
      const int64_t bytes = row.type().bytes();
      if (bytes)
        std::memcpy(static_cast<std::byte*>(ys[k].data) + t * bytes, concrete(row).data(),
                    static_cast<size_t>(bytes));
    }
  }
  for (Fresh& y : ys) c.push_back(y.array);
  return c;
}

// The jvp of the body takes [active] consts carry rows and then their tangents (of the constants
// cd, of the carries id, of the rows xd); that of the rewritten op has each behind its own.
Jaxpr dual_body(const Scan& p, const Jaxpr& body, const Parts& x, const Arrays& cd,
                const Arrays& id, const Arrays& xd) {
  const size_t na = active_inputs(p), n = x.init.size(), m = p.jaxpr->out.size() - n;
  Types types = part(p.jaxpr->in_types(), 0, na);
  for (const Arrays* a : {&x.consts, &cd, &x.init, &id}) append(types, types_of(*a));
  for (const Arrays* a : {&x.xs, &xd})
    for (const Array& v : *a) types.push_back(row_type(v.type()));
  return program(types, [&](const Arrays& a) {
    size_t k = na;
    const auto take = [&](const Arrays& like) {
      Arrays r = part(a, k, like.size());
      k += like.size();
      return r;
    };
    Arrays in = part(a, 0, na);
    const Arrays c = take(x.consts), dc = take(cd), s = take(x.init), ds = take(id), r = take(x.xs),
                 dr = take(xd);
    for (const Arrays* v : {&c, &s, &r, &dc, &ds, &dr}) append(in, *v);
    const Arrays out = eval_jaxpr(body, in);  // carry, y, carry_dot, y_dot
    Arrays result = part(out, 0, n);
    append(result, part(out, n + m, id.size()));
    append(result, part(out, n, m));
    append(result, part(out, n + m + id.size(), out.size() - n - m - id.size()));
    return result;
  });
}

Dual scan_dual(const DualArgs<Scan>& d) {
  const Scan& p = d.params;
  const size_t na = active_inputs(p);
  const Parts x = split(d.x, p), dx = split(d.dx, p);
  const size_t nc = x.consts.size(), n = x.init.size(), nx = x.xs.size(),
               m = p.jaxpr->out.size() - n;
  const auto given = [](const Arrays& a) {
    std::vector<bool> r;
    for (const Array& t : a) r.push_back(!t.empty_handle());
    return r;
  };
  const std::vector<bool> con = given(dx.consts), xon = given(dx.xs);
  std::vector<bool> on = given(dx.init);
  JvpJaxpr body;
  for (;;) {
    std::vector<bool> in(na, false), ask = on;
    append(in, con);
    append(in, on);
    append(in, xon);
    ask.insert(ask.end(), m, false);
    body = jvp_jaxpr(p.jaxpr, in, ask);
    const std::vector<bool> now = part(body.out_nonzero, 0, n);
    if (now == on) break;
    on = now;
  }
  Arrays cd, id, xd;
  for (size_t i = 0; i < nc; ++i)
    if (con[i]) cd.push_back(dx.consts[i]);
  for (size_t i = 0; i < n; ++i)
    if (on[i]) id.push_back(instantiate(dx.init[i], x.init[i].type()));
  for (size_t i = 0; i < nx; ++i)
    if (xon[i]) xd.push_back(dx.xs[i]);
  Scan q = p;
  q.num_consts = static_cast<int64_t>(nc + cd.size());
  q.num_carry = static_cast<int64_t>(n + id.size());
  const size_t n_on = id.size();
  q.jaxpr = dual_body(p, body.jaxpr, x, cd, id, xd);
  const Ints has = all_lanes(p.has, nc + n + nx + m);
  q.has.clear();
  const auto both = [&](size_t at, const std::vector<bool>& which) {
    append(q.has, part(has, at, which.size()));
    for (size_t i = 0; i < which.size(); ++i)
      if (which[i]) q.has.push_back(has[at + i]);
  };
  both(0, con);
  both(nc, on);
  both(nc + n, xon);
  both(nc + n + nx, part(body.out_nonzero, n, m));
  Arrays consts = x.consts, init = x.init, xs = x.xs;
  append(consts, cd);
  append(init, id);
  append(xs, xd);
  const Arrays out = d.op.bind(joined(x.trips, consts, init, xs), q);
  Dual r;
  r.out = part(out, 0, n);
  append(r.out, part(out, n + n_on, m));
  size_t next = n, next_y = n + n_on + m;
  for (size_t t = 0; t < n; ++t) r.tangent.push_back(on[t] ? out[next++] : Array());
  for (size_t k = 0; k < m; ++k)
    r.tangent.push_back(body.out_nonzero[n + k] ? out[next_y++] : Array());
  return r;
}

// Which operands (behind trips) and results are mapped: the least fixed point over the carries.
// With a step count per lane, all that changes is, also what belongs to the op as a whole: how
// often it changes depends on the lane.
struct Mapped {
  bool predicate = false;
  std::vector<bool> operand, result;
};
Mapped settle(const BatchArgs<Scan>& b, const Parts& x, const Ints& has) {
  const Scan& p = b.params;
  const size_t na = active_inputs(p), nt = p.trips ? 1 : 0, nc = x.consts.size(), n = x.init.size(),
               total = b.x.size() - nt, m = p.jaxpr->out.size() - n;
  Mapped f;
  f.predicate = nt && b.axis[0].has_value();
  for (size_t i = 0; i < total; ++i)
    f.operand.push_back(b.axis[nt + i].has_value() || (f.predicate && i >= nc && i < nc + n));
  f.result.resize(m);
  for (;;) {
    MaybeAxes in(na, std::nullopt);
    for (size_t i = 0; i < total; ++i)
      in.push_back(f.operand[i] ? MaybeAxis(lane_count(has[i])) : MaybeAxis());
    const MaybeAxes out = probe_axes(p.jaxpr, in, b.level);
    bool changed = false;
    for (size_t t = 0; t < n; ++t)
      if (out[t] && !f.operand[nc + t]) f.operand[nc + t] = changed = true;
    for (size_t k = 0; k < m; ++k) f.result[k] = out[n + k].has_value() || f.predicate;
    if (!changed) return f;
  }
}

Batched scan_batch(const BatchArgs<Scan>& b) {
  const Scan& p = b.params;
  const Parts x = split(b.x, p);
  const size_t na = active_inputs(p), nt = p.trips ? 1 : 0, nc = x.consts.size(), n = x.init.size(),
               nx = x.xs.size();
  const size_t m = p.jaxpr->out.size() - n, total = nc + n + nx;
  const Ints has = all_lanes(p.has, total + m);
  const Mapped f = settle(b, x, has);
  const LaneStep s = lane_step(f.predicate, p.lanes, p.lane_ids, Array(), {}, b.level);
  const std::vector<bool>&mapped = f.operand, &y_mapped = f.result;
  const auto place = [&](size_t i) {
    return mapped[i] ? MaybeAxis(s.place(lane_count(has[i]))) : MaybeAxis();
  };
  Arrays operands;
  Types row_types;
  for (size_t i = 0; i < total; ++i) {
    const int time = i >= nc + n ? 1 : 0;
    operands.push_back(mapped[i]
                           ? move_mapped(b.x[nt + i], b.axis[nt + i], *place(i) + time, b.size)
                           : b.x[nt + i]);
    row_types.push_back(time ? row_type(operands.back().type()) : operands.back().type());
  }
  Array trips;
  if (nt) {
    trips = f.predicate ? move_mapped(x.trips, b.axis[0], 0, b.size) : x.trips;
    if (!s.enter.empty_handle()) trips = lax::select(s.enter, trips, base::zeros(trips.type()));
  }
  Scan q = p;
  q.lanes = s.lanes;
  q.lane_ids = s.ids;
  Types types = mask_input(s.lanes);
  const size_t own = types.size();
  append(types, row_types);
  const Rewritten body = rewritten(types, own, [&](const Arrays& a) {
    const Array active = own ? a[0] : Array();
    Arrays args;
    MaybeAxes axes;
    if (na) {
      args.push_back(active);
      axes.push_back(f.predicate ? MaybeAxis(0) : MaybeAxis());
    }
    for (size_t i = 0; i < total; ++i) {
      args.push_back(a[own + i]);
      axes.push_back(place(i));
    }
    Batched r = batch_eval(p.jaxpr, args, axes, b.level, body_mask(s, active));
    Arrays out;
    for (size_t k = 0; k < n + m; ++k) {
      const bool carry = k < n, on = carry ? mapped[nc + k] : y_mapped[k - n];
      const int64_t h = carry ? has[nc + k] : has[total + k - n];
      const Array x =
          on ? move_mapped(r.out[k], r.axis[k], s.place(lane_count(h)), b.size) : r.out[k];
      out.push_back(s.changed(h, active, x, carry ? a[own + nc + k] : Array()));
    }
    return out;
  });
  Arrays all;
  q.jaxpr = opened({body}, &all)[0];
  q.num_consts = static_cast<int64_t>(nc + all.size());
  q.has.assign(all.size(), 0);
  append(all, operands);
  for (size_t i = 0; i < total; ++i) {
    const bool carry = i >= nc && i < nc + n;
    q.has.push_back(carry ? s.has_changed(has[i]) : s.has(has[i], mapped[i]));
  }
  for (size_t k = 0; k < m; ++k) q.has.push_back(s.has_changed(has[total + k]));
  if (nt) all.insert(all.begin(), trips);
  Batched r;
  r.out = b.op.bind(all, q);
  for (size_t t = 0; t < n; ++t) r.axis.push_back(place(nc + t));
  for (size_t k = 0; k < m; ++k)
    r.axis.push_back(y_mapped[k] ? MaybeAxis(s.place(lane_count(has[total + k])) + 1)
                                 : MaybeAxis());
  return r;
}

// ---- partial evaluation

// How a residual of a step reaches the unknown part: stacked step by step, or as an operand of the
// known part that it is, a constant or a row.
enum class From { stacked, constant, row };
struct Residual {
  From from;
  size_t operand;
  std::vector<int> places;  // which axis of it, in the body, each lane is
  Array made = {};          // a constant that no step changes, made of constants before the loop
};

// The known part of a scan, ready to be bound, and what it leaves.
struct KnownScan {
  Split s;
  std::vector<bool> unknown;  // of the operands behind trips, carries settled
  Scan params;
  Arrays x;
  std::vector<Residual> residuals;
  std::vector<bool> fill;  // lanes_to_fill
  size_t results = 0;      // outputs before the residuals
};

// Which carries are unknown: the least fixed point.
void settle_unknown(const PartialArgs<Scan>& a, KnownScan* k) {
  const Scan& p = a.params;
  const size_t na = active_inputs(p), nc = static_cast<size_t>(p.num_consts),
               n = static_cast<size_t>(p.num_carry);
  k->unknown = part(a.unknown, p.trips ? 1 : 0, a.x.size() - (p.trips ? 1 : 0));
  for (;;) {
    std::vector<bool> in(na, false), ask = part(k->unknown, nc, n);
    append(in, k->unknown);
    ask.insert(ask.end(), p.jaxpr->out.size() - n, false);
    k->s = partial_eval_jaxpr(p.jaxpr, in, ask);
    bool changed = false;
    for (size_t t = 0; t < n; ++t)
      if (k->s.out_unknown[t] && !k->unknown[nc + t]) k->unknown[nc + t] = changed = true;
    if (!changed) return;
  }
}

// Which variables of the known part are made of its first `consts` inputs alone (those without
// lanes): no step changes them. They are made before the loop, so what may not end is not among
// them if perhaps no step is taken.
std::vector<bool> invariants(const JaxprData& j, size_t active, size_t consts, const Ints& has,
                             bool steps_surely) {
  std::vector<bool> fixed(j.types.size(), false);
  for (size_t i = 0; i < consts; ++i) fixed[active + i] = has[i] == 0;
  for (const Eqn& e : j.eqns) {
    bool all = e.op->effects(e.params) == Effect::none && (steps_surely || surely_ends(e));
    for (Atom a : e.in) all = all && (a.is_literal() || fixed[static_cast<size_t>(a.index)]);
    for (int32_t k = 0; all && k < e.n_out; ++k) fixed[static_cast<size_t>(e.out + k)] = true;
  }
  return fixed;
}
// Their values: of the results of the known part that are asked for.
Arrays made_before(const KnownScan& k, size_t active, const std::vector<bool>& ask) {
  Arrays x(active);
  const size_t first = k.params.trips ? 1 : 0, consts = static_cast<size_t>(k.params.num_consts);
  append(x, part(k.x, first, consts));
  x.resize(static_cast<size_t>(k.s.known->n_in));
  return eval_jaxpr(dce(k.s.known, ask), x);
}

KnownScan known_scan(const PartialArgs<Scan>& a, const Ints& has) {
  KnownScan k;
  settle_unknown(a, &k);
  const Scan& p = a.params;
  const size_t na = active_inputs(p), nt = p.trips ? 1 : 0, nc = static_cast<size_t>(p.num_consts),
               n = static_cast<size_t>(p.num_carry);
  k.params = p;
  k.params.has.clear();
  k.params.num_consts = k.params.num_carry = 0;
  if (nt) k.x.push_back(a.x[0]);
  std::vector<size_t> operand;  // of each known body input
  for (size_t i = 0; i < k.unknown.size(); ++i) {
    if (k.unknown[i]) continue;
    operand.push_back(i);
    k.x.push_back(a.x[nt + i]);
    k.params.has.push_back(has[i]);
    k.params.num_consts += i < nc;
    k.params.num_carry += i >= nc && i < nc + n;
  }
  for (bool o : k.s.out_unknown) k.results += !o;
  const int lanes = static_cast<int>(p.lanes.size());
  k.fill = lanes_to_fill(p.jaxpr, p.lanes, part(has, 0, k.unknown.size()), k.unknown);
  std::optional<AxisClasses> axes;
  if (na) axes.emplace(k.s.known, lanes, k.params.has);
  std::vector<bool> keep(k.results, true), before(k.results, false);
  const std::vector<bool> fixed =
      invariants(*k.s.known, na, static_cast<size_t>(k.params.num_consts), k.params.has,
                 !p.trips && p.length > 0);
  for (size_t r = k.results; r < k.s.known->out.size(); ++r) {
    const Atom atom = k.s.known->out[r];
    Residual d{From::stacked, 0, axes ? axes->places(atom, lanes) : std::vector<int>()};
    if (!atom.is_literal() && atom.index < k.s.known->n_in &&
        static_cast<size_t>(atom.index) >= na) {
      const size_t i = operand[static_cast<size_t>(atom.index) - na];
      d.operand = i;
      if (i < nc)
        d.from = From::constant;
      else if (i >= nc + n)
        d.from = From::row;
    }
    const bool early =
        d.from == From::stacked && !atom.is_literal() && fixed[static_cast<size_t>(atom.index)];
    if (early) d.from = From::constant;
    before.push_back(early);
    keep.push_back(d.from == From::stacked);
    k.residuals.push_back(d);
  }
  const Arrays made = made_before(k, na, before);
  for (size_t r = 0, next = 0; r < k.residuals.size(); ++r)
    if (before[k.results + r]) k.residuals[r].made = made[next++];
  k.params.jaxpr = dce(k.s.known, keep);
  for (size_t o = n; o < k.s.out_unknown.size(); ++o)
    if (!k.s.out_unknown[o]) k.params.has.push_back(has[k.unknown.size() + o - n]);
  for (const Residual& r : k.residuals)
    if (r.from == From::stacked) k.params.has.push_back(0);
  return k;
}

// The known part steps what is known and stacks the residuals; the unknown part is a scan that
// reads them. A residual that is an operand of the known part as it came in is passed, not stacked.
Arrays scan_partial(const PartialArgs<Scan>& a) {
  const Scan& p = a.params;
  const size_t na = active_inputs(p), nt = p.trips ? 1 : 0, nc = static_cast<size_t>(p.num_consts),
               n = static_cast<size_t>(p.num_carry);
  const size_t total = a.x.size() - nt, m = p.jaxpr->out.size() - n;
  if (nt && a.unknown[0]) return a.level.record(a.op, a.x, make_params(p));
  const Ints has = all_lanes(p.has, total + m);
  const KnownScan k = known_scan(a, has);
  const Split& s = k.s;
  const std::vector<Residual>& residuals = k.residuals;
  Scan u = p;
  const Arrays known = a.op.bind(k.x, k.params);
  // The unknown part: consts = constant residuals, unknown consts; xs = residual rows, unknown xs.
  Arrays consts, init, xs;
  Ints ch, ih, xh;
  size_t next = k.results;
  for (const Residual& r : residuals) {
    if (r.from == From::constant) {
      const bool made = !r.made.empty_handle();
      consts.push_back(made ? r.made : a.x[nt + r.operand]);
      ch.push_back(made ? 0 : has[r.operand]);
    } else {
      xs.push_back(r.from == From::row ? a.x[nt + r.operand] : known[next++]);
      xh.push_back(r.from == From::row ? has[r.operand] : 0);
    }
  }
  const size_t res_consts = consts.size(), res_rows = xs.size();
  for (size_t i = 0; i < total; ++i) {
    if (!k.unknown[i]) continue;
    (i < nc ? consts : i < nc + n ? init : xs).push_back(a.x[nt + i]);
    (i < nc ? ch : i < nc + n ? ih : xh).push_back(has[i]);
  }
  u.num_consts = static_cast<int64_t>(consts.size());
  u.num_carry = static_cast<int64_t>(init.size());
  u.has = ch;
  append(u.has, ih);
  append(u.has, xh);
  for (size_t o = 0; o < m; ++o)
    if (s.out_unknown[n + o]) u.has.push_back(has[total + o]);
  Types types = part(p.jaxpr->in_types(), 0, na);
  append(types, types_of(consts));
  append(types, types_of(init));
  for (const Array& v : xs) types.push_back(row_type(v.type()));
  u.jaxpr = program(types, [&](const Arrays& in) {
    Arrays args;
    size_t c = na, row = na + consts.size() + init.size();
    for (const Residual& r : residuals) {
      const Array& x = r.from == From::constant ? in[c++] : in[row++];
      args.push_back(na ? fill_inactive(in[0], x, r.places, k.fill) : x);
    }
    append(args, part(in, na + res_consts, consts.size() - res_consts + init.size()));
    append(args, part(in, na + consts.size() + init.size() + res_rows, xs.size() - res_rows));
    return eval_jaxpr(s.rest, args);
  });
  Arrays ux;
  if (nt) ux.push_back(a.x[0]);
  append(ux, consts);
  append(ux, init);
  append(ux, xs);
  const Arrays rest = a.level.record(a.op, ux, make_params(u));
  Arrays out;
  size_t ku = 0, uu = 0;
  for (bool o : s.out_unknown) out.push_back(o ? rest[uu++] : known[ku++]);
  return out;
}

// ---- transposition: steps in the other order; cotangents of linear constants are added up in
// carries

// One step backwards, on ([active], consts, sums of cotangents of the linear consts, cotangents of
// the carry, those of the rows of results that have one, rows).
Arrays step_back(const TransposeArgs<Scan>& t, const Arrays& a) {
  const Scan& p = t.params;
  const size_t na = active_inputs(p), nt = p.trips ? 1 : 0, nc = static_cast<size_t>(p.num_consts),
               n = static_cast<size_t>(p.num_carry);
  const size_t total = t.in.size() - nt, m = t.out.size() - n;
  const Ints has = all_lanes(p.has, total + m);
  size_t n_linear = 0, next = na;
  for (size_t i = 0; i < nc; ++i) n_linear += t.linear[nt + i];
  const auto take = [&](size_t count) {
    Arrays r = part(a, next, count);
    next += count;
    return r;
  };
  const Arrays consts = take(nc - n_linear), sums = take(n_linear), ct_carry = take(n);
  // Lanes that did not take this step have no cotangent here; the op keeps their carry.
  const auto masked = [&](const Array& v, int64_t h) {
    return na && h != 0 ? mask_out(a[0], v) : v;
  };
  Arrays ct;
  for (size_t i = 0; i < n; ++i) ct.push_back(masked(ct_carry[i], has[nc + i]));
  for (size_t i = 0; i < m; ++i)
    ct.push_back(t.ct[n + i].empty_handle() ? Array() : masked(take(1)[0], has[total + i]));
  Arrays args = part(a, 0, na);
  std::vector<bool> lin(na, false);
  size_t c = 0;
  for (size_t i = 0; i < total; ++i) {
    lin.push_back((i >= nc && i < nc + n) || t.linear[nt + i]);
    args.push_back(lin.back() ? Array() : i < nc ? consts[c++] : take(1)[0]);
  }
  const Arrays back = backward_pass(p.jaxpr, args, lin, ct);
  Arrays out;
  for (size_t i = 0; i < nc; ++i)
    if (t.linear[nt + i]) out.push_back(add_tangents(sums[out.size()], back[na + i]));
  for (size_t i = 0; i < n; ++i) out.push_back(instantiate(back[na + nc + i], t.in[nt + nc + i]));
  for (size_t i = nc + n; i < total; ++i)
    if (t.linear[nt + i]) out.push_back(instantiate(back[na + i], row_type(t.in[nt + i])));
  return out;
}

Arrays scan_transpose(const TransposeArgs<Scan>& t) {
  const Scan& p = t.params;
  const size_t na = active_inputs(p), nt = p.trips ? 1 : 0, nc = static_cast<size_t>(p.num_consts),
               n = static_cast<size_t>(p.num_carry);
  const size_t total = t.in.size() - nt, m = t.out.size() - n;
  const Ints has = all_lanes(p.has, total + m);
  const auto linear = [&](size_t i) { return (i >= nc && i < nc + n) || t.linear[nt + i]; };
  Arrays consts, init, xs;
  Ints ch, ih, xh, yh;
  std::vector<size_t> lin_consts, lin_xs;
  for (size_t i = 0; i < nc; ++i) {
    if (linear(i)) {
      lin_consts.push_back(i);
      init.push_back(base::zeros(t.in[nt + i].strong()));
      ih.push_back(has[i] == full_set(p.lanes) ? has[i] : 0);
    } else {
      consts.push_back(t.x[nt + i]);
      ch.push_back(has[i]);
    }
  }
  for (size_t k = 0; k < n; ++k) {
    init.push_back(instantiate(t.ct[k], t.out[k]));
    ih.push_back(has[nc + k]);
  }
  for (size_t k = 0; k < m; ++k) {
    if (t.ct[n + k].empty_handle()) continue;
    xs.push_back(t.ct[n + k]);
    xh.push_back(has[total + k]);
  }
  for (size_t i = nc + n; i < total; ++i) {
    if (linear(i)) {
      lin_xs.push_back(i);
      yh.push_back(has[i] == full_set(p.lanes) ? has[i] : 0);  // results have all lanes or none
    } else {
      xs.push_back(t.x[nt + i]);
      xh.push_back(has[i]);
    }
  }
  Scan q = p;
  q.reverse = !p.reverse;
  q.num_consts = static_cast<int64_t>(consts.size());
  q.num_carry = static_cast<int64_t>(init.size());
  q.has = ch;
  append(q.has, ih);
  append(q.has, xh);
  append(q.has, yh);
  Types types = part(p.jaxpr->in_types(), 0, na);
  append(types, types_of(consts));
  append(types, types_of(init));
  for (const Array& v : xs) types.push_back(row_type(v.type()));
  q.jaxpr = program(types, [&](const Arrays& a) { return step_back(t, a); });
  const Arrays out = t.op.bind(joined(nt ? t.x[0] : Array(), consts, init, xs), q);
  Arrays result(t.in.size());
  size_t k = 0;
  for (size_t i : lin_consts) result[nt + i] = out[k++];
  for (size_t i = 0; i < n; ++i) result[nt + nc + i] = out[k++];
  for (size_t i : lin_xs) result[nt + i] = out[k++];
  for (size_t i = 0; i < result.size(); ++i)
    if (!t.linear[i]) result[i] = Array();
  return result;
}

// One step as a program, with the mask and the selects written out.
std::vector<Jaxpr> scan_steps(const LowerArgs<Scan>& l) {
  const Scan p = l.params;
  const size_t nt = p.trips ? 1 : 0, nc = static_cast<size_t>(p.num_consts),
               n = static_cast<size_t>(p.num_carry), nx = l.in.size() - nt - nc - n;
  const Ints has = all_lanes(p.has, nc + n + nx + l.out.size() - n);
  Types types;
  if (nt) {
    types.push_back(Type(I32, Shape{}));
    types.push_back(l.in[0]);
  }
  append(types, part(l.in, nt, nc + n));
  for (size_t i = nt + nc + n; i < l.in.size(); ++i) types.push_back(row_type(l.in[i]));
  return {program(types, [&](const Arrays& x) {
    const size_t first = nt ? 2 : 0;
    Array active;
    if (nt) active = lax::lt(broadcast_in_dim(x[0], x[1].shape(), {}), x[1]);
    Arrays in;
    if (!p.lanes.empty()) in.push_back(active);
    append(in, part(x, first, x.size() - first));
    Arrays out = eval_jaxpr(p.jaxpr, in);
    if (!nt) return out;
    for (size_t k = 0; k < out.size(); ++k) {
      const bool carry = k < n;
      const int64_t h = carry ? has[nc + k] : has[nc + n + nx + k - n];
      if (!p.lanes.empty() && h == 0) continue;
      out[k] = carry ? select_lanes(active, out[k], x[first + nc + k]) : mask_out(active, out[k]);
    }
    return out;
  })};
}

// A loop without steps is what it starts with: nothing is made for a body that reads rows which
// are not there. What is to be unrolled becomes a shorter loop.
Arrays scan_simplify(const SimplifyArgs<Scan>& s) {
  if (s.params.length > 0) return unrolled(s.x, s.params);
  const Parts x = split(s.x, s.params);
  Arrays r = x.init;
  const Types out = s.params.jaxpr->out_types();
  for (size_t k = r.size(); k < out.size(); ++k) r.push_back(base::zeros(stacked(out[k], 0)));
  return r;
}

const Primitive<Scan>& scan_op = define<Scan>({
    .name = "scan",
    .doc = "Runs the body length times, threading the carry and stacking the rest.",
    .type = scan_type,
    .reference = scan_reference,
    .dual = scan_dual,
    .transpose = scan_transpose,
    .batch = scan_batch,
    .partial = scan_partial,
    .lower =
        [](const LowerArgs<Scan>& a) {
          Lowering l;
          l.form = Lowering::Form::loop;
          const Scan& p = a.params;
          l.loop = {.kind = LoopForm::Kind::scan,
                    .bodies = {p.jaxpr},
                    .lanes = p.lanes,
                    .has = p.has,
                    .trips = p.trips,
                    .consts = static_cast<int>(p.num_consts),
                    .carry = static_cast<int>(p.num_carry),
                    .rows = static_cast<int>(static_cast<int64_t>(a.in.size()) - p.trips -
                                             p.num_consts - p.num_carry),
                    .results = static_cast<int>(static_cast<int64_t>(a.out.size()) - p.num_carry),
                    .length = p.length,
                    .reverse = p.reverse};
          l.lockstep = [in = a.in, out = a.out, p] { return scan_steps({in, out, p}); };
          return l;
        },
    .simplify = scan_simplify,
    .compile_eagerly = true,
});

}  // namespace

Arrays scan_flat(const Closed& body, const Arrays& init, const Arrays& xs, int64_t length,
                 bool reverse, int64_t unroll) {
  Scan p;
  p.jaxpr = open_constants(body.jaxpr);
  p.length = length;
  p.reverse = reverse;
  p.num_consts = static_cast<int64_t>(body.consts.size());
  p.num_carry = static_cast<int64_t>(init.size());
  p.unroll = unroll;
  return scan_op.bind(joined(Array(), body.consts, init, xs), p);
}

}  // namespace weft
