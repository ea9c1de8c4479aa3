// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/rewrite/lane_call.cpp: makes a call of equations, and analyses it alone.
#include "jit/rewrite/lane_call.h"

#include <algorithm>
#include <functional>

#include "core/jaxpr_builder.h"
#include "core/op.h"
#include "jit/fuse/cost.h"
#include "jit/rewrite/barriers.h"
#include "weft/detail/ref.h"

namespace weft::compiler {

VarMap<bool> read_outside(const JaxprData& j, const std::vector<size_t>& members) {
  VarMap<bool> read(j, false);
  const auto note = [&](Atom a) {
    if (!a.is_literal()) read[a] = true;
  };
  std::vector<bool> is_member(j.eqns.size(), false);
  for (size_t i : members) is_member[i] = true;
  for (size_t i = 0; i < j.eqns.size(); ++i)
    if (!is_member[i]) std::ranges::for_each(j.eqns[i].in, note);
  std::ranges::for_each(j.out, note);
  return read;
}

LaneCall lane_call(const Program& p, const std::vector<size_t>& members) {
  const JaxprData& j = *p.j;
  std::vector<bool> is_member(j.eqns.size(), false);
  for (size_t i : members) is_member[i] = true;
  LaneCall call;
  Eqn& e = call.eqn;
  JaxprBuilder b(j);
  for (size_t i : members)
    for (Atom a : j.eqns[i].in) {
      if (a.is_literal() || b.is_replaced(a.index)) continue;
      const size_t from = p.defining_eqn[a];
      if (from != Program::none && is_member[from]) continue;
      b.copy_input(a.index);
      e.in.push_back(a);
    }
  const VarMap<bool> read = read_outside(j, members);
  for (size_t i : members) {
    b.copy(j.eqns[i]);
    for (Atom a : results_of(j.eqns[i]))
      if (read[a]) call.results.push_back(a);
  }
  e.op = find_op("jit");
  e.source = j.eqns[members[0]].source;
  e.n_out = static_cast<int32_t>(call.results.size());
  e.params = e.op->parse_params({{"jaxpr", b.finish(call.results)}, {"name", std::string("lane")}});
  return call;
}

// Writes each call, or equation, behind what it reads.
Jaxpr with_calls(const Program& p, const Dependencies& order,
                 const std::vector<CalledGroup>& groups) {
  const size_t n = p.j->eqns.size(), none = Program::none;
  std::vector<size_t> group_of(n, none);
  for (size_t g = 0; g < groups.size(); ++g)
    for (size_t i : groups[g].members) group_of[i] = g;
  JaxprBuilder b(*p.j);
  b.copy_inputs();
  std::vector<bool> written(n, false);
  const std::function<void(size_t)> write = [&](size_t i) {
    if (written[i]) return;
    const size_t g = group_of[i];
    const std::vector<size_t> one{i};
    const std::vector<size_t>& members = g == none ? one : groups[g].members;
    for (size_t k : members) written[k] = true;
    for (size_t k : members) std::ranges::for_each(order.before[k], write);
    if (g == none) {
      b.copy(p.j->eqns[i]);
      return;
    }
    b.add(groups[g].call.eqn, groups[g].call.results);
  };
  // A call is written at the place of its last member, or earlier if an equation reads it.
  for (size_t i = 0; i < n; ++i)
    if (group_of[i] == none || groups[group_of[i]].members.back() == i) write(i);
  return b.finish(p.j->out);
}

Plan plan_of(const Program& p) {
  const Jaxpr planned = through_barriers(p.j);
  return planned == p.j ? make_plan(p) : make_plan(Program(planned));
}

double SavedByCall::launches() const { return (kernels - free_launches) * machine.launch; }
double SavedByCall::stores() const { return bytes * machine.stored_byte; }

SavedByCall saved_by(const Program& p, const Plan& plan, const std::vector<size_t>& members,
                     const LaneCall& call) {
  std::vector<bool> is_member(p.j->eqns.size(), false);
  VarMap<bool> is_result(*p.j, false);
  for (Atom a : call.results) is_result[a] = true;
  SavedByCall r;
  for (size_t i : members) {
    is_member[i] = true;
    for (Atom a : results_of(p.j->eqns[i]))
      if (plan.in_memory[a] && !is_result[a]) r.bytes += static_cast<double>(p.j->type(a).bytes());
  }
  for (const Step& s : plan.steps)
    r.kernels += std::ranges::any_of(s.kernel.grid_axes, [&](const auto& v) {
      const size_t i = p.defining_eqn[v.first];
      return i != Program::none && is_member[i];
    });
  return r;
}

LaneGrid grid_of(const JaxprData& j, const LaneCall& call) {
  JaxprBuilder alone(j);
  for (Atom a : call.eqn.in) alone.copy_input(a.index);
  alone.add(call.eqn, call.results);
  const AxisClasses an{Jaxpr(alone.finish_uninterned(call.results))};
  return lane_grid(an.top().lowering[0].loop, an);
}

}  // namespace weft::compiler
