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

namespace {

// Sets the groups from the counts in the parameters. The body determines the numbers of xs and
// results. The type rule has already checked the types.
void set_groups(BodyOp& o, const Ints& lane_axes, size_t control, int64_t test, int64_t consts,
                int64_t carry) {
  const JaxprData& body = *o.bodies[0];
  const auto nt = static_cast<size_t>(test), nc = static_cast<size_t>(consts),
             n = static_cast<size_t>(carry);
  const size_t operands = nt + static_cast<size_t>(body.n_in) - o.active(),
               results = body.out.size() - n;
  const Ints all = all_lanes(lane_axes, operands + results);
  o.lane_axes = split_groups(sublist(all, 0, operands), 0, nt, nc, n);
  o.lane_axes.control.assign(control, 0);
  o.result_lane_axes = sublist(all, operands, results);
  o.loop_invariant.assign(n, false);
}

}  // namespace

BodyOp body_op(const While& p) {
  BodyOp o{
      BodyOp::Kind::loop_while, p, p.cond_jaxpr, {p.body_jaxpr}, p.lanes, p.lane_ids, {}, {}, {}};
  const size_t first = o.active() + static_cast<size_t>(p.body_nconsts);
  set_groups(o, p.lane_axes, p.entry_mask, p.cond_nconsts, p.body_nconsts,
             static_cast<int64_t>(p.body_jaxpr->out.size()));
  for (size_t t = 0; t < o.loop_invariant.size(); ++t)
    o.loop_invariant[t] = p.body_jaxpr->out[t] == Atom{static_cast<int32_t>(first + t)};
  return o;
}
BodyOp body_op(const Cond& p) {
  BodyOp o{BodyOp::Kind::cond, p, {}, p.branches, p.lanes, p.lane_ids, {}, {}, {}};
  set_groups(o, p.lane_axes, p.entry_mask ? 2 : 1, 0,
             p.branches[0]->n_in - static_cast<int64_t>(o.active()), 0);
  return o;
}
BodyOp body_op(const Scan& p) {
  BodyOp o{BodyOp::Kind::scan, p, {}, {p.jaxpr}, p.lanes, p.lane_ids, {}, {}, {}};
  set_groups(o, p.lane_axes, p.trip_counts, 0, p.num_consts, p.num_carry);
  return o;
}

Ints BodyOp::all_lane_axes() const {
  Ints r = in_order(
      Groups<int64_t>{{}, lane_axes.cond_consts, lane_axes.consts, lane_axes.carry, lane_axes.xs});
  append(r, result_lane_axes);
  return r;
}

namespace {
While as_params(const BodyOp& o, While p) {
  p.cond_jaxpr = o.test;
  p.body_jaxpr = o.bodies[0];
  p.cond_nconsts = static_cast<int64_t>(o.lane_axes.cond_consts.size());
  p.body_nconsts = static_cast<int64_t>(o.lane_axes.consts.size());
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
  p.num_consts = static_cast<int64_t>(o.lane_axes.consts.size());
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
  LoopForm f{.kind = kind, .bodies = bodies, .lanes = lanes, .lane_axes = all_lane_axes()};
  if (test) f.bodies.insert(f.bodies.begin(), test);
  f.entry_mask = lane_axes.control.size() == (kind == Kind::cond ? 2 : 1) && !stacks();
  f.trip_counts = stacks() && !lane_axes.control.empty();
  f.cond_consts = static_cast<int>(lane_axes.cond_consts.size());
  f.consts = static_cast<int>(lane_axes.consts.size());
  f.carry = static_cast<int>(lane_axes.carry.size());
  f.xs = static_cast<int>(lane_axes.xs.size());
  f.results = static_cast<int>(result_lane_axes.size());
  if (const Scan* p = std::get_if<Scan>(&like)) {
    f.length = p->length;
    f.reverse = p->reverse;
  }
  return f;
}

Types BodyOp::takes(const Groups<Array>& x) const {
  Types r = mask_input(lanes);
  append(r, types_of(x.consts));
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
