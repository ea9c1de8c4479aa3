// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/rewrites/separate_lanes.cpp: compares the condition of a loop with the masks of the
// selects that freeze its carries, and follows the lane axes through its programs.
#include "ops/control/rewrites/separate_lanes.h"

#include <algorithm>
#include <map>

#include "core/defining_eqns.h"
#include "core/effects.h"
#include "core/jaxpr_builder.h"
#include "core/loops/axis_classes.h"
#include "core/op.h"

namespace weft {
namespace {

// Fewer lanes do not fill a vector. They are better values of a lane around the loop. With 33, two
// programs for 16 and 32 examples (OSQP, NUTS) take 20 and 8 times as long. With 16, jumanji 2048,
// mapped over a loop over 4 x 4 rows of a board, takes 1.4 times as long.
constexpr int64_t fewest_lanes = 16;

// A program and the equations that define its variables.
struct Definitions {
  const JaxprData& j;
  const VarMap<size_t> of = defining_eqns(j);
  const Eqn* operator()(Atom a) const {
    const size_t i = of.get(a, no_equation);
    return i == no_equation ? nullptr : &j.eqns[i];
  }
};

// Decides whether a variable of the condition and one of the body are the same function of the
// carry.
class SameValue {
 public:
  // `body_carry`: the first carry of the body. The condition takes the carry alone.
  SameValue(const Definitions& test, const Definitions& body, int32_t body_carry)
      : test_(test), body_(body), body_carry_(body_carry) {}

  bool operator()(Atom a, Atom b) {
    if (a.is_literal() || b.is_literal())
      return a.is_literal() && b.is_literal() &&
             test_.j.literals[a.literal()] == body_.j.literals[b.literal()];
    const auto [at, fresh] = known_.emplace(std::pair(a.index, b.index), false);
    if (fresh) at->second = compare(a.index, b.index);
    return at->second;
  }

 private:
  bool compare(int32_t a, int32_t b) {
    const Eqn *e = test_(Atom{a}), *f = body_(Atom{b});
    if (!e || !f) return e == f && a == b - body_carry_;
    return e->op == f->op && equal(e->params, f->params) && a - e->out == b - f->out &&
           std::ranges::equal(e->in, f->in, [&](Atom x, Atom y) { return (*this)(x, y); });
  }

  const Definitions &test_, &body_;
  const int32_t body_carry_;
  std::map<std::pair<int32_t, int32_t>, bool> known_;
};

// Returns the mask with these lanes that q repeats along further axes, or q itself.
std::optional<Atom> mask_of(const Definitions& defining, Atom q, const Shape& lanes) {
  const JaxprData& j = defining.j;
  while (j.type(q).shape() != lanes) {
    const Eqn* e = defining(q);
    if (!e || e->in.size() != 1 || e->in[0].is_literal()) return {};
    const Access access = access_of(lower_equation(j, *e), j.in_types(*e), j.out_types(*e));
    if (!access.moves) return {};
    for (int a = 0; a < static_cast<int>(access.reads[0].size()); ++a)
      if (a < lanes.ndim() && access.reads[0][a] != a) return {};
    q = e->in[0];
  }
  return q;
}

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

// Returns true if no equation of the loop's programs combines different lanes.
bool keeps_lanes_apart(const While& p, const Types& in) {
  const Op* op = find_op("while");
  const Jaxpr whole = program(in, [&](const Arrays& x) { return bind_op(*op, x, make_params(p)); });
  const AxisClasses an(whole);
  const Scope& top = an.top();
  const size_t i = top.j->eqns.size() - 1;
  const std::set<int> mixed = an.mixed(top, i);
  const Scope& body = *top.bodies[i].back();
  for (int l = 0; l < static_cast<int>(p.lanes.size()); ++l)
    if (mixed.contains(an.find(body.axis(0, l)))) return false;
  return true;
}

}  // namespace

std::optional<While> separate_lanes(const While& p, const Types& in) {
  // A constant of the condition would be another operand than that of the body.
  if (!p.lanes.empty() || p.max_trips >= 0 || p.cond_nconsts > 0) return {};
  if (effect_of(p.body_jaxpr) != Effect::none || effect_of(p.cond_jaxpr) != Effect::none) return {};
  const JaxprData& test = *p.cond_jaxpr;
  const Definitions in_test{test};
  const Eqn* any = in_test(test.out[0]);
  if (!any || any->op->name() != "reduce_or" || any->in.size() != 1) return {};
  const Atom go = any->in[0];
  const Shape lanes = test.type(go).shape();
  if (lanes.elements() < fewest_lanes) return {};
  const int64_t all = full_set(lanes.sizes());

  // The body without selects. Its first input is the mask of the lanes that run the step.
  const BodyOp o = body_op(p);
  const JaxprData& body = *p.body_jaxpr;
  const auto first = static_cast<int32_t>(o.lane_axes.body_consts.size());
  const Definitions in_body{body};
  SameValue same(in_test, in_body, first);
  std::vector<Atom> out;
  Ints sets(body.n_in, 0);
  for (size_t t = 0; t < o.loop_invariant.size(); ++t) {
    out.push_back(body.out[t]);
    if (o.loop_invariant[t]) continue;
    const Eqn* e = in_body(body.out[t]);
    const Atom before{first + static_cast<int32_t>(t)};
    if (!e || e->op->name() != "select_n" || e->in.size() != 3 || e->in[1] != before) return {};
    const std::optional<Atom> mask = mask_of(in_body, e->in[0], lanes);
    if (!mask || !same(go, *mask)) return {};
    out.back() = e->in[2];
    sets[before.index] = all;
  }

  While r = p;
  r.lanes = lanes.sizes();
  for (int l = 0; l < lanes.ndim(); ++l) r.lane_ids.push_back(l);
  JaxprBuilder b(body);
  b.add_input(Type(Bool, lanes));
  b.copy_inputs();
  for (const Eqn& e : body.eqns) b.copy(e);
  r.body_jaxpr = dce(b.finish(out));
  JaxprBuilder c(test);
  c.copy_inputs();
  for (const Eqn& e : test.eqns) c.copy(e);
  r.cond_jaxpr = dce(c.finish({go}));

  const AxisClasses an(r.body_jaxpr, lanes.ndim(), sets);
  const std::vector<bool> apart = an.independent_lanes(lanes.ndim());
  if (!std::ranges::all_of(apart, [](bool x) { return x; })) return {};
  const std::optional<Ints> found = lanes_of_inputs(an, *r.body_jaxpr, lanes.ndim());
  if (!found) return {};
  r.lane_axes = *found;
  if (!keeps_lanes_apart(r, in)) return {};
  return r;
}

}  // namespace weft
