// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/cond.cpp: one of several branches, chosen by an index.
//
// cond[lanes](index, enter?, operands) -> results
//   a_b = enter & (clamp(index) == b);  branch b runs if any(a_b);
//   out[l] = branch_{index[l]}(operands)[l], zeros where enter is false
#include <fmt/format.h>

#include "weft/core/loops/axis_classes.h"
#include "weft/ops/control/control_flow.h"
#include "weft/ops/control/lanes.h"
#include "weft/ops/elementwise/compare.h"
#include "weft/ops/elementwise/elementwise.h"
#include "weft/ops/structure/structure.h"

namespace weft {
namespace {

size_t first_operand(const Cond& p) { return p.enter ? 2 : 1; }
size_t active_inputs(const Cond& p) { return p.lanes.empty() ? 0 : 1; }

Arrays joined(const Array& index, const Array& enter, const Arrays& operands) {
  Arrays x{index};
  if (!enter.empty_handle()) x.push_back(enter);
  append(x, operands);
  return x;
}

Types cond_type(const Types& in, const Cond& p) {
  if (p.branches.empty()) reject_shape("cond", "needs at least one branch", in);
  if (in.empty() || in[0].dtype() != I32 || in[0].shape().sizes() != p.lanes)
    reject_dtype("cond", "the index must be an i32 of the shape of the lanes", in);
  if (p.enter && (in.size() < 2 || in[1] != Type(Bool, Shape(p.lanes))))
    reject_dtype("cond", "enter must be a bool of the shape of the lanes", in);
  const Types out = p.branches[0]->out_types();
  const size_t first = first_operand(p), n = in.size() - first;
  require_lanes("cond", p.lanes, p.lane_ids, p.has, n + out.size(), in);
  Types takes = mask_input(p.lanes);
  append(takes, part(in, first, n));
  for (const Jaxpr& b : p.branches) {
    const Types other = b->out_types();
    bool same = other.size() == out.size();
    for (size_t i = 0; same && i < out.size(); ++i) same = other[i].strong() == out[i].strong();
    if (!same)
      reject_shape("cond",
                   fmt::format("branch outputs must have equal types, but they differ: {} and {}",
                               to_string(out), to_string(other)),
                   in);
    require_body("cond", b, takes, in);
  }
  const Ints has = all_lanes(p.has, n + out.size());
  for (size_t k = 0; k < out.size(); ++k)
    require_all_or_none("cond", "result", k, p.lanes, has[n + k], out[k]);
  return out;
}

// Results without lanes are added over the branches that ran (lanes.h).
Array merge_whole(const Array& a, const Array& b) {
  return a.dtype() == Bool ? lax::bitwise_or(a, b) : base::add(a, b);
}

// Which lanes take branch b: clamp(index) == b, where the ends take all beyond them.
Array takes(const Array& index, int64_t b, int64_t last) {
  const Array at = broadcast_in_dim(scalar_of_int(I32, b), index.shape(), {});
  return b == 0 && b == last ? lax::eq(index, index)
         : b == 0            ? lax::le(index, at)
         : b == last         ? lax::ge(index, at)
                             : lax::eq(index, at);
}

Arrays cond_reference(const Arrays& x, const Cond& p) {
  const size_t first = first_operand(p), n = x.size() - first;
  const Arrays operands = part(x, first, n);
  const int64_t last = static_cast<int64_t>(p.branches.size()) - 1;
  const Types types = p.branches[0]->out_types();
  if (p.lanes.empty()) {
    const bool enter = !p.enter || static_cast<bool>(x[1]);
    if (enter)
      return eval_jaxpr(
          p.branches[static_cast<size_t>(std::clamp<int64_t>(x[0].item<int64_t>(), 0, last))],
          operands);
    Arrays out;
    for (const Type& t : types) out.push_back(base::zeros(t));
    return out;
  }
  const Ints has = all_lanes(p.has, n + types.size());
  Ints axes;
  for (size_t i = 0; i < p.lanes.size(); ++i) axes.push_back(static_cast<int64_t>(i));
  Arrays out;
  for (const Type& t : types) out.push_back(base::zeros(t));
  for (int64_t b = 0; b <= last; ++b) {
    Array a = takes(x[0], b, last);
    if (p.enter) a = lax::bitwise_and(a, x[1]);
    if (!static_cast<bool>(base::reduce_any(a, axes))) continue;
    Arrays in{a};
    append(in, operands);
    const Arrays r = eval_jaxpr(p.branches[static_cast<size_t>(b)], in);
    for (size_t k = 0; k < out.size(); ++k)
      out[k] = has[n + k] == 0 ? merge_whole(out[k], r[k]) : select_lanes(a, r[k], out[k]);
  }
  return out;
}

Dual cond_dual(const DualArgs<Cond>& d) {
  const Cond& p = d.params;
  const size_t first = first_operand(p), na = active_inputs(p), n = d.x.size() - first,
               m = p.branches[0]->out.size();
  std::vector<bool> nonzero(na, false);
  Arrays dots;
  for (size_t i = 0; i < n; ++i) {
    nonzero.push_back(!d.dx[first + i].empty_handle());
    if (nonzero.back()) dots.push_back(d.dx[first + i]);
  }
  // A result has a tangent if any branch gives it one.
  std::vector<bool> ask(m, false);
  for (const Jaxpr& b : p.branches) {
    const JvpJaxpr j = jvp_jaxpr(b, nonzero, ask);
    for (size_t k = 0; k < m; ++k) ask[k] = ask[k] || j.out_nonzero[k];
  }
  Cond q = p;
  for (Jaxpr& b : q.branches) b = jvp_jaxpr(b, nonzero, ask).jaxpr;
  const Ints has = all_lanes(p.has, n + m);
  q.has = part(has, 0, n);
  for (size_t i = 0; i < n; ++i)
    if (nonzero[na + i]) q.has.push_back(has[i]);
  append(q.has, part(has, n, m));
  for (size_t k = 0; k < m; ++k)
    if (ask[k]) q.has.push_back(has[n + k]);
  Arrays x = d.x;
  append(x, dots);
  const Arrays out = d.op.bind(x, q);
  Dual r;
  r.out = part(out, 0, m);
  size_t next = m;
  for (size_t k = 0; k < m; ++k) r.tangent.push_back(ask[k] ? out[next++] : Array());
  return r;
}

Batched cond_batch(const BatchArgs<Cond>& b) {
  const Cond& p = b.params;
  const size_t first = first_operand(p), na = active_inputs(p), n = b.x.size() - first,
               m = p.branches[0]->out.size();
  const Ints has = all_lanes(p.has, n + m);
  const bool predicate = b.axis[0].has_value() || (p.enter && b.axis[1].has_value());
  const LaneStep s = lane_step(predicate, p.lanes, p.lane_ids, p.enter ? b.x[1] : Array(),
                               p.enter ? b.axis[1] : MaybeAxis(), b.level);
  const auto mapped = [&](size_t i) { return b.axis[first + i].has_value(); };
  const auto place = [&](size_t i) {
    return mapped(i) ? MaybeAxis(s.place(lane_count(has[i]))) : MaybeAxis();
  };
  Arrays operands;
  for (size_t i = 0; i < n; ++i)
    operands.push_back(mapped(i) ? move_mapped(b.x[first + i], b.axis[first + i], *place(i), b.size)
                                 : b.x[first + i]);
  // Which results are mapped: all if the choice is per lane, else those of any branch.
  MaybeAxes in(na, std::nullopt);
  for (size_t i = 0; i < n; ++i)
    in.push_back(mapped(i) ? MaybeAxis(lane_count(has[i])) : MaybeAxis());
  std::vector<bool> out_mapped(m, predicate);
  for (const Jaxpr& br : p.branches) {
    const MaybeAxes out = probe_axes(br, in, b.level);
    for (size_t k = 0; k < m; ++k) out_mapped[k] = out_mapped[k] || out[k].has_value();
  }
  const auto out_place = [&](size_t k) { return s.place(lane_count(has[n + k])); };
  Cond q = p;
  q.lanes = s.lanes;
  q.lane_ids = s.ids;
  q.enter = !s.enter.empty_handle();
  Types types = mask_input(s.lanes);
  const size_t own = types.size();
  append(types, types_of(operands));
  std::vector<Rewritten> bodies;
  for (const Jaxpr& old : p.branches) {
    bodies.push_back(rewritten(types, own, [&](const Arrays& a) {
      const Array active = own ? a[0] : Array();
      Arrays args;
      MaybeAxes axes;
      if (na) {
        args.push_back(active);
        axes.push_back(predicate ? MaybeAxis(0) : MaybeAxis());
      }
      for (size_t i = 0; i < n; ++i) {
        args.push_back(a[own + i]);
        axes.push_back(place(i));
      }
      Batched r = batch_eval(old, args, axes, b.level, body_mask(s, active));
      Arrays out;
      for (size_t k = 0; k < m; ++k) {
        const Array x =
            out_mapped[k] ? move_mapped(r.out[k], r.axis[k], out_place(k), b.size) : r.out[k];
        out.push_back(s.changed(has[n + k], active, x));
      }
      return out;
    }));
  }
  Arrays all;
  q.branches = opened(bodies, &all);
  q.has.assign(all.size(), 0);
  append(all, operands);
  for (size_t i = 0; i < n; ++i) q.has.push_back(s.has(has[i], mapped(i)));
  for (size_t k = 0; k < m; ++k) q.has.push_back(s.has_changed(has[n + k]));
  const Array index = predicate ? move_mapped(b.x[0], b.axis[0], 0, b.size) : b.x[0];
  Batched r;
  r.out = b.op.bind(joined(index, s.enter, all), q);
  for (size_t k = 0; k < m; ++k)
    r.axis.push_back(out_mapped[k] ? MaybeAxis(out_place(k)) : MaybeAxis());
  return r;
}

// What the branches leave behind for their unknown parts, one after another: an operand as it came
// in is passed on, anything else is a result of the known part, zero unless its branch runs.
struct Residuals {
  std::vector<Split> splits;                                // by branch
  std::vector<std::vector<std::optional<size_t>>> operand;  // by branch and residual
  std::vector<std::vector<std::vector<int>>> places;        // where the lanes of a residual are
  std::vector<std::vector<bool>> fill;                      // lanes_to_fill of each branch
  Types made;                                               // those that are results
  size_t known_out = 0;                                     // results in front of them
};
Residuals residuals_of(const Cond& p, const std::vector<bool>& unknown,
                       const std::vector<bool>& out_unknown,
                       const std::vector<bool>& operand_unknown, size_t first) {
  Residuals r;
  const size_t na = active_inputs(p), n = operand_unknown.size() - first;
  const int lanes = static_cast<int>(p.lanes.size());
  const Ints has = part(all_lanes(p.has, n + out_unknown.size()), 0, n);
  std::vector<size_t> known_index;  // input of a known part -> operand
  Ints known_has;
  for (size_t i = 0; i < n; ++i) {
    if (operand_unknown[first + i]) continue;
    known_index.push_back(i);
    known_has.push_back(has[i]);
  }
  r.known_out = static_cast<size_t>(std::count(out_unknown.begin(), out_unknown.end(), false));
  for (const Jaxpr& b : p.branches) {
    r.splits.push_back(partial_eval_jaxpr(b, unknown, out_unknown));
    const Split& s = r.splits.back();
    r.operand.emplace_back();
    r.places.emplace_back();
    r.fill.push_back(lanes_to_fill(b, p.lanes, has, part(operand_unknown, first, n)));
    std::optional<AxisClasses> axes;
    if (na) axes.emplace(s.known, lanes, known_has);
    for (size_t k = r.known_out; k < s.known->out.size(); ++k) {
      const Atom atom = s.known->out[k];
      const bool given =
          !atom.is_literal() && atom.index < s.known->n_in && static_cast<size_t>(atom.index) >= na;
      r.operand.back().push_back(
          given ? std::optional<size_t>(known_index[static_cast<size_t>(atom.index) - na])
                : std::nullopt);
      if (!given) r.made.push_back(s.known->type(atom));
      r.places.back().push_back(axes ? axes->places(atom, lanes) : std::vector<int>());
    }
  }
  return r;
}

// ---- partial evaluation: the known part also returns the residuals of all branches, the unknown
// part is a cond with the same index.
Arrays cond_partial(const PartialArgs<Cond>& a) {
  const Cond& p = a.params;
  const size_t first = first_operand(p), na = active_inputs(p), n = a.x.size() - first,
               m = p.branches[0]->out.size();
  for (size_t i = 0; i < first; ++i)
    if (a.unknown[i]) return a.level.record(a.op, a.x, make_params(p));
  std::vector<bool> unknown(na, false), out_unknown(m, false);
  append(unknown, part(a.unknown, first, n));
  for (const Jaxpr& b : p.branches) {
    const Split s = partial_eval_jaxpr(b, unknown, out_unknown);
    for (size_t k = 0; k < m; ++k) out_unknown[k] = out_unknown[k] || s.out_unknown[k];
  }
  const Residuals left = residuals_of(p, unknown, out_unknown, a.unknown, first);
  const Ints has = all_lanes(p.has, n + m);
  Cond k = p, u = p;
  k.has.clear();
  u.has.assign(left.made.size(), 0);
  Arrays known_x = part(a.x, 0, first), unknown_x, given_x;
  Types known_types = part(p.branches[0]->in_types(), 0, na), unknown_types = known_types;
  append(unknown_types, left.made);
  for (const auto& branch : left.operand)
    for (const auto& i : branch) {
      if (!i) continue;
      given_x.push_back(a.x[first + *i]);
      u.has.push_back(has[*i]);
    }
  append(unknown_types, types_of(given_x));
  for (size_t i = 0; i < n; ++i) {
    (a.unknown[first + i] ? u : k).has.push_back(has[i]);
    (a.unknown[first + i] ? unknown_x : known_x).push_back(a.x[first + i]);
    (a.unknown[first + i] ? unknown_types : known_types).push_back(a.x[first + i].type());
  }
  for (size_t o = 0; o < m; ++o) (out_unknown[o] ? u : k).has.push_back(has[n + o]);
  k.has.insert(k.has.end(), left.made.size(), 0);
  size_t made = 0, given = left.made.size();
  for (size_t b = 0; b < left.splits.size(); ++b) {
    const Split& s = left.splits[b];
    const size_t at = made;
    k.branches[b] = program(known_types, [&](const Arrays& in) {
      const Arrays out = eval_jaxpr(s.known, in);
      Arrays r = part(out, 0, left.known_out);
      for (const Type& t : left.made) r.push_back(base::zeros(t));
      size_t next = left.known_out + at;
      for (size_t i = 0; i < left.operand[b].size(); ++i)
        if (!left.operand[b][i]) r[next++] = out[left.known_out + i];
      return r;
    });
    std::vector<size_t> from;  // input of the unknown part, behind the mask
    for (const auto& i : left.operand[b]) from.push_back(i ? given++ : made++);
    u.branches[b] = program(unknown_types, [&](const Arrays& in) {
      // [active] results, operands passed on, unknown operands
      Arrays args;
      for (size_t i = 0; i < from.size(); ++i) {
        const Array& x = in[na + from[i]];
        args.push_back(na ? fill_inactive(in[0], x, left.places[b][i], left.fill[b]) : x);
      }
      const size_t rest = na + left.made.size() + given_x.size();
      append(args, part(in, rest, in.size() - rest));
      return eval_jaxpr(s.rest, args);
    });
  }
  const Arrays known = a.op.bind(known_x, k);
  Arrays ux = part(a.x, 0, first);
  append(ux, part(known, left.known_out, left.made.size()));
  append(ux, given_x);
  append(ux, unknown_x);
  const Arrays rest = a.level.record(a.op, ux, make_params(u));
  Arrays out;
  size_t nk = 0, nu = 0;
  for (size_t o = 0; o < m; ++o) out.push_back(out_unknown[o] ? rest[nu++] : known[nk++]);
  return out;
}

Arrays cond_transpose(const TransposeArgs<Cond>& t) {
  const Cond& p = t.params;
  const size_t first = first_operand(p), na = active_inputs(p), n = t.in.size() - first,
               m = t.out.size();
  const Ints has = all_lanes(p.has, n + m);
  Cond q = p;
  q.has.clear();
  Arrays x = part(t.x, 0, first);
  Types types = part(p.branches[0]->in_types(), 0, na);
  std::vector<size_t> linear;
  for (size_t i = 0; i < n; ++i) {
    if (t.linear[first + i]) {
      linear.push_back(i);
      continue;
    }
    x.push_back(t.x[first + i]);
    types.push_back(t.in[first + i]);
    q.has.push_back(has[i]);
  }
  const size_t nonlinear = types.size() - na;
  for (size_t k = 0; k < m; ++k) {
    x.push_back(instantiate(t.ct[k], t.out[k]));
    types.push_back(t.out[k].strong());
    q.has.push_back(has[n + k]);
  }
  for (size_t i : linear) q.has.push_back(has[i] == full_set(p.lanes) ? has[i] : 0);
  for (Jaxpr& br : q.branches) {
    const Jaxpr old = br;
    br = program(types, [&](const Arrays& a) {
      Arrays args = part(a, 0, na);
      std::vector<bool> lin(na, false);
      size_t next = na;
      for (size_t i = 0; i < n; ++i) {
        lin.push_back(t.linear[first + i]);
        args.push_back(lin.back() ? Array() : a[next++]);
      }
      Arrays ct;
      for (size_t k = 0; k < m; ++k) {
        const Array& c = a[na + nonlinear + k];
        ct.push_back(na && has[n + k] != 0 ? mask_out(a[0], c) : c);
      }
      const Arrays back = backward_pass(old, args, lin, ct);
      Arrays out;
      for (size_t i : linear) out.push_back(instantiate(back[na + i], t.in[first + i]));
      return out;
    });
  }
  const Arrays back = t.op.bind(x, q);
  Arrays out(t.in.size());
  for (size_t k = 0; k < linear.size(); ++k) out[first + linear[k]] = back[k];
  return out;
}

// For branches that run one after another: the masks, then each branch merged into what is there.
std::vector<Jaxpr> cond_steps(const LowerArgs<Cond>& l) {
  const Cond p = l.params;
  if (p.lanes.empty()) return p.branches;
  const size_t first = first_operand(p), n = l.in.size() - first, m = l.out.size();
  const Ints has = all_lanes(p.has, n + m);
  const int64_t last = static_cast<int64_t>(p.branches.size()) - 1;
  Ints axes;
  for (size_t i = 0; i < p.lanes.size(); ++i) axes.push_back(static_cast<int64_t>(i));
  std::vector<Jaxpr> r{program(part(l.in, 0, first), [&](const Arrays& x) {
    Arrays out;
    for (int64_t b = 0; b <= last; ++b) {
      Array a = takes(x[0], b, last);
      if (p.enter) a = lax::bitwise_and(a, x[1]);
      out.push_back(base::reduce_any(a, axes));
      out.push_back(a);
    }
    return out;
  })};
  Types types{Type(Bool, Shape(p.lanes))};
  append(types, part(l.in, first, n));
  append(types, l.out);
  for (const Jaxpr& b : p.branches)
    r.push_back(program(types, [&](const Arrays& x) {
      Arrays out = eval_jaxpr(b, part(x, 0, 1 + n));
      for (size_t k = 0; k < m; ++k)
        out[k] = has[n + k] == 0 ? merge_whole(x[1 + n + k], out[k])
                                 : select_lanes(x[0], out[k], x[1 + n + k]);
      return out;
    }));
  return r;
}

const Primitive<Cond>& cond_op = define<Cond>({
    .name = "cond",
    .doc = "Runs the branch that the index (clamped) names; with lanes, for each lane its own.",
    .type = cond_type,
    .reference = cond_reference,
    .dual = cond_dual,
    .transpose = cond_transpose,
    .batch = cond_batch,
    .partial = cond_partial,
    .lower =
        [](const LowerArgs<Cond>& a) {
          Lowering l;
          l.form = Lowering::Form::branch;
          const Cond& p = a.params;
          l.loop = {.kind = LoopForm::Kind::cond,
                    .bodies = p.branches,
                    .lanes = p.lanes,
                    .has = p.has,
                    .enter = p.enter,
                    .consts = static_cast<int>(a.in.size() - first_operand(p)),
                    .results = static_cast<int>(a.out.size())};
          l.lockstep = [in = a.in, out = a.out, p] { return cond_steps({in, out, p}); };
          return l;
        },
    .compile_eagerly = true,
});

}  // namespace

Arrays cond_flat(const Array& index, const std::vector<Closed>& branches, const Arrays& operands) {
  Arrays x;
  std::vector<Rewritten> bodies;
  for (const Closed& b : branches) bodies.push_back({b, 0});
  Cond p;
  p.branches = opened(bodies, &x);
  append(x, operands);
  return cond_op.bind(joined(index, Array(), x), p);
}

}  // namespace weft
