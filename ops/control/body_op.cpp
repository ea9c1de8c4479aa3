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

// Sets the groups from the counts in the parameters. The body determines the numbers of rows and
// results. The type rule has already checked the types.
void set_groups(BodyOp& o, const Ints& has, size_t head, int64_t test, int64_t consts,
                int64_t carry) {
  const JaxprData& body = *o.bodies[0];
  const size_t nt = test, nc = consts, n = carry;
  const size_t operands = nt + static_cast<size_t>(body.n_in) - o.active(),
               results = body.out.size() - n;
  const Ints all = all_lanes(has, operands + results);
  o.has = split_groups(sublist(all, 0, operands), 0, nt, nc, n);
  o.has.head.assign(head, 0);
  o.result_has = sublist(all, operands, results);
  o.passes.assign(n, false);
}

}  // namespace

BodyOp body_op(const While& p) {
  BodyOp o{
      BodyOp::Kind::loop_while, p, p.cond_jaxpr, {p.body_jaxpr}, p.lanes, p.lane_ids, {}, {}, {}};
  const size_t first = o.active() + static_cast<size_t>(p.body_nconsts);
  set_groups(o, p.has, p.enter, p.cond_nconsts, p.body_nconsts,
             static_cast<int64_t>(p.body_jaxpr->out.size()));
  for (size_t t = 0; t < o.passes.size(); ++t)
    o.passes[t] = p.body_jaxpr->out[t] == Atom{static_cast<int32_t>(first + t)};
  return o;
}
BodyOp body_op(const Cond& p) {
  BodyOp o{BodyOp::Kind::cond, p, {}, p.branches, p.lanes, p.lane_ids, {}, {}, {}};
  set_groups(o, p.has, p.enter ? 2 : 1, 0, p.branches[0]->n_in - static_cast<int64_t>(o.active()),
             0);
  return o;
}
BodyOp body_op(const Scan& p) {
  BodyOp o{BodyOp::Kind::scan, p, {}, {p.jaxpr}, p.lanes, p.lane_ids, {}, {}, {}};
  set_groups(o, p.has, p.trips, 0, p.num_consts, p.num_carry);
  return o;
}

Ints BodyOp::all_has() const {
  Ints r = in_order(Groups<int64_t>{{}, has.test, has.consts, has.carry, has.rows});
  append(r, result_has);
  return r;
}

namespace {
While as_params(const BodyOp& o, While p) {
  p.cond_jaxpr = o.test;
  p.body_jaxpr = o.bodies[0];
  p.cond_nconsts = static_cast<int64_t>(o.has.test.size());
  p.body_nconsts = static_cast<int64_t>(o.has.consts.size());
  p.enter = !o.has.head.empty();
  return p;
}
Cond as_params(const BodyOp& o, Cond p) {
  p.branches = o.bodies;
  p.enter = o.has.head.size() == 2;
  return p;
}
Scan as_params(const BodyOp& o, Scan p) {
  p.jaxpr = o.bodies[0];
  p.num_consts = static_cast<int64_t>(o.has.consts.size());
  p.num_carry = static_cast<int64_t>(o.has.carry.size());
  p.trips = !o.has.head.empty();
  return p;
}
}  // namespace

AnyParams BodyOp::params() const {
  return std::visit(
      [&](const auto& before) {
        auto p = as_params(*this, before);
        p.lanes = lanes;
        p.lane_ids = ids;
        p.has = all_has();
        return make_params(std::move(p));
      },
      like);
}
AnyParams BodyOp::as_before() const {
  return std::visit([](const auto& p) { return make_params(p); }, like);
}

LoopForm BodyOp::form() const {
  LoopForm f{.kind = kind, .bodies = bodies, .lanes = lanes, .has = all_has()};
  if (test) f.bodies.insert(f.bodies.begin(), test);
  f.enter = has.head.size() == (kind == Kind::cond ? 2 : 1) && !stacks();
  f.trips = stacks() && !has.head.empty();
  f.cond_consts = static_cast<int>(has.test.size());
  f.consts = static_cast<int>(has.consts.size());
  f.carry = static_cast<int>(has.carry.size());
  f.rows = static_cast<int>(has.rows.size());
  f.results = static_cast<int>(result_has.size());
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
  for (const Array& v : x.rows) r.push_back(row_type(v.type()));
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
