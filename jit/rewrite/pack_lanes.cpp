// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/rewrite/pack_lanes.cpp: chooses the branches whose lanes are packed.
//
// A branch or loop that calls a library runs for all lanes at once. So a branch runs for all lanes
// if one takes it, and a loop runs all of them until the last one ends.
#include "jit/rewrite/pack_lanes.h"

#include <algorithm>
#include <vector>

#include "core/loops/platform.h"
#include "core/op.h"
#include "jit/fuse/cost.h"
#include "jit/fuse/plan.h"
#include "tracer/replay.h"

namespace weft::compiler {
namespace {

// Not measured one by one: 200 lanes of 24 x 24 eigenvalues and of products of 128 x 128 gain.
struct Limits {
  // The nanoseconds of a branch for one lane. With less, moving rows and launching blocks decide.
  double least_ns = 200;
  // The nanoseconds of a branch for each element that packing reads and writes.
  double ns_per_element = 0.8;
} constexpr limits;

bool is_mapped_branch(const Eqn& e) {
  return e.implementation != expanded && e.op->compile_eagerly() &&
         find_implementation(*e.op, expanded) != nullptr;
}

// Returns true if packing costs little beside what the lanes do.
bool has_work(const JaxprData& j, const Eqn& e) {
  const Types in = j.in_types(e), out = j.out_types(e);
  if (!is_usable(*find_implementation(*e.op, expanded), {in, out, e.params})) return false;
  const Lowering l = lower_equation(j, e);
  const auto lanes = static_cast<double>(l.loop.lanes[0]);
  double ns = 0, elements = 0;
  for (const Jaxpr& b : l.loop.bodies) ns = std::max(ns, lane_ns(b, l.loop.lanes[0]));
  for (const Types* all : {&in, &out})
    for (const Type& t : *all) elements += static_cast<double>(t.elements());
  return ns >= std::max(limits.least_ns, limits.ns_per_element * elements / lanes);
}

// Returns, by equation, whether the plan runs its lanes together.
std::vector<char> lockstep_of(const Program& p) {
  std::vector<char> r(p.j->eqns.size(), 0);
  for (const Step& s : make_plan(p).steps)
    if (s.kind == Step::Kind::lockstep) r[s.eqn] = 1;
  return r;
}

}  // namespace

Jaxpr pack_lanes(const Jaxpr& j) {
  if (!is_host_platform()) return j;
  if (std::ranges::none_of(j->eqns,
                           [&](const Eqn& e) { return is_mapped_branch(e) && has_work(*j, e); }))
    return j;
  const Program p(j);
  const std::vector<char> lockstep = lockstep_of(p);
  const Eqn* first = j->eqns.data();
  return rewrite(j, [&](const Eqn& e, const Arrays& in) {
    Arrays packed;
    if (lockstep[static_cast<size_t>(&e - first)] && is_mapped_branch(e) && has_work(*j, e))
      packed = e.op->expand(in, e.params);
    return packed.empty() ? bind_equation(e, in, e.params) : packed;
  });
}

}  // namespace weft::compiler
