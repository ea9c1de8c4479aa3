// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/body_op.cpp: converts while, cond and scan to BodyOp and back.
#include "ops/control/body_op.h"

#include <fmt/format.h>

#include "ops/kit/kit.h"

namespace weft {

bool union_into(std::vector<bool>* set, const std::vector<bool>& more) {
  const std::vector<bool> before = *set;
  for (size_t i = 0; i < more.size(); ++i) (*set)[i] = (*set)[i] || more[i];
  return *set != before;
}

LoopRanges operands_of(const While& p, size_t n) {
  const auto cond_consts = static_cast<size_t>(p.cond_nconsts),
             body_consts = static_cast<size_t>(p.body_nconsts);
  const size_t carry = n - p.entry_mask - cond_consts - body_consts;
  return consecutive_ranges({p.entry_mask, cond_consts, body_consts, carry, 0});
}
LoopRanges operands_of(const Cond& p, size_t n) {
  const size_t control = p.entry_mask ? 2 : 1;
  return consecutive_ranges({control, 0, n - control, 0, 0});
}
LoopRanges operands_of(const Scan& p, size_t n) {
  const auto consts = static_cast<size_t>(p.num_consts), carry = static_cast<size_t>(p.num_carry);
  return consecutive_ranges({p.trip_counts, 0, consts, carry, n - p.trip_counts - consts - carry});
}

namespace {

// Sets everything that is not of one kind of op. The numbers of operands and results are those of
// the body. The type rule has already checked the types.
template <class P>
BodyOp body_op_of(BodyOp::Kind kind, const P& p, size_t control, size_t cond_consts,
                  std::vector<Jaxpr> bodies) {
  BodyOp o;
  o.kind = kind;
  o.like = p;
  o.lanes = p.lanes;
  o.ids = p.lane_ids;
  o.bodies = std::move(bodies);
  const size_t inputs = static_cast<size_t>(o.bodies[0]->n_in) - o.active(),
               n = control + cond_consts + inputs;
  const LoopRanges in = operands_of(p, n);
  const size_t carry = static_cast<size_t>(in.carry.size),
               results = o.bodies[0]->out.size() - carry;
  // The parameter has no sets for control operands.
  const Ints all = concat_lists(Ints(control, 0), all_lanes(p.lane_axes, n - control + results));
  o.lane_axes = by_role(all, in);
  o.result_lane_axes = sublist(all, n, results);
  o.loop_invariant.assign(carry, false);
  return o;
}

}  // namespace

BodyOp body_op(const While& p) {
  BodyOp o = body_op_of(BodyOp::Kind::loop_while, p, p.entry_mask,
                        static_cast<size_t>(p.cond_nconsts), {p.body_jaxpr});
  o.test = p.cond_jaxpr;
  const int first = o.body_inputs().carry.first;
  for (size_t t = 0; t < o.loop_invariant.size(); ++t)
    o.loop_invariant[t] = p.body_jaxpr->out[t] == Atom{first + static_cast<int32_t>(t)};
  return o;
}
BodyOp body_op(const Cond& p) {
  return body_op_of(BodyOp::Kind::cond, p, p.entry_mask ? 2 : 1, 0, p.branches);
}
BodyOp body_op(const Scan& p) {
  return body_op_of(BodyOp::Kind::scan, p, p.trip_counts, 0, {p.jaxpr});
}

Ints BodyOp::all_lane_axes() const {
  return concat_lists(drop_first(in_order(lane_axes), lane_axes.control.size()), result_lane_axes);
}

namespace {
While as_params(const BodyOp& o, While p) {
  p.cond_jaxpr = o.test;
  p.body_jaxpr = o.bodies[0];
  p.cond_nconsts = static_cast<int64_t>(o.lane_axes.cond_consts.size());
  p.body_nconsts = static_cast<int64_t>(o.lane_axes.body_consts.size());
  p.entry_mask = !o.lane_axes.control.empty();
  return p;
}
Cond as_params(const BodyOp& o, Cond p) {
  p.branches = o.bodies;
  p.entry_mask = o.lane_axes.control.size() == 2;
  return p;
}
Scan as_params(const BodyOp& o, Scan p) {
  p.jaxpr = o.bodies[0];
  p.num_consts = static_cast<int64_t>(o.lane_axes.body_consts.size());
  p.num_carry = static_cast<int64_t>(o.lane_axes.carry.size());
  p.trip_counts = !o.lane_axes.control.empty();
  return p;
}
}  // namespace

AnyParams BodyOp::params() const {
  return std::visit(
      [&](const auto& before) {
        auto p = as_params(*this, before);
        p.lanes = lanes;
        p.lane_ids = ids;
        p.lane_axes = all_lane_axes();
        return make_params(std::move(p));
      },
      like);
}
AnyParams BodyOp::as_before() const {
  return std::visit([](const auto& p) { return make_params(p); }, like);
}

LoopForm BodyOp::form() const {
  LoopForm f{*this, bodies};
  if (test) f.bodies.insert(f.bodies.begin(), test);
  if (const Scan* p = std::get_if<Scan>(&like)) {
    f.length = p->length;
    f.reverse = p->reverse;
  }
  return f;
}

Types BodyOp::takes(const LoopValues<Array>& x) const {
  Types r = mask_input(lanes);
  append(r, types_of(x.body_consts));
  append(r, types_of(x.carry));
  for (const Array& v : x.xs) r.push_back(row_type(v.type()));
  return r;
}

void require_carries(const char* op, const Types& out, const Types& carry, const Types& in) {
  for (size_t t = 0; t < carry.size(); ++t)
    if (!(out[t].strong() == carry[t].strong()))
      reject_shape(op,
                   fmt::format("body returns {} for carry {} of type {}", to_string(out[t]), t,
                               to_string(carry[t])),
                   in);
}

}  // namespace weft
