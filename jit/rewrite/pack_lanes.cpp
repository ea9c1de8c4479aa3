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

// The least nanoseconds of a packed branch, for one lane and for each element that packing reads and
// writes.
struct Limits {
  double lane_ns, element_ns;
};
// Measured with sorts of 32 to 4096 elements and top_k, for 1,000 lanes. If all lanes take the
// branch, packing takes 0 to 8 % longer. With less, counting the lanes and moving rows decide.
constexpr Limits native_limits = {.lane_ns = 50, .element_ns = 0.2};
// Generated code takes longer in blocks, because its kernels read rows by number. A step of animal
// shogi of pgx, with 3 ns for each element, takes 1.6 times as long if it is packed and most lanes
// take the branch.
constexpr Limits limits = {.lane_ns = 200, .element_ns = 8};

bool is_mapped_branch(const Eqn& e) {
  return e.implementation != expanded && e.op->compile_eagerly() &&
         find_implementation(*e.op, expanded) != nullptr;
}

// Returns true if packing costs little beside what the lanes do.
bool has_work(const JaxprData& j, const Eqn& e) {
  const Types in = j.in_types(e), out = j.out_types(e);
  if (!is_usable(*find_implementation(*e.op, expanded), {in, out, e.params})) return false;
  const Lowering l = lower_equation(j, e);
  if (l.loop.lanes.empty()) return false;
  const auto lanes = static_cast<double>(l.loop.lanes[0]);
  double elements = 0;
  for (const Types* all : {&in, &out})
    for (const Type& t : *all) elements += static_cast<double>(t.elements());
  const auto reaches = [&](double ns, const Limits& least) {
    return ns >= std::max(least.lane_ns, least.element_ns * elements / lanes);
  };
  return std::ranges::any_of(l.loop.bodies, [&](const Jaxpr& b) {
    return reaches(native_ns(b), native_limits) || reaches(lane_ns(b, l.loop.lanes[0]), limits);
  });
}

// Gives the calls of packed lanes blocks of few lanes, so that a block costs little more than the
// lanes that it runs. Lanes that share products keep their block.
Jaxpr with_least_blocks(const Jaxpr& j, FunctionRef<Jaxpr(const Jaxpr&)> chosen) {
  return rewrite(j, [&](const Eqn& e, const Arrays& in) {
    if (!param_field<bool>(e.params, "counted").value_or(false))
      return bind_equation(e, in, e.params);
    const Jaxpr body = *param_field<Jaxpr>(e.params, "jaxpr");
    const Bools in_blocks = *param_field<Bools>(e.params, "in_blocks");
    const int64_t lanes = body->out_types()[0].shape()[0],
                  most = *param_field<int64_t>(e.params, "block"),
                  least =
                      least_block(chosen(body), in_blocks, lanes, body->eqns.size()).value_or(most);
    return bind_equation(e, in,
                         e.op->parse_params({{"jaxpr", body},
                                             {"name", *param_field<std::string>(e.params, "name")},
                                             {"block", std::min(least, most)},
                                             {"in_blocks", in_blocks},
                                             {"counted", true}}));
  });
}

}  // namespace

Jaxpr pack_lanes(const Jaxpr& j, FunctionRef<Jaxpr(const Jaxpr&)> chosen) {
  if (!is_host_platform()) return j;
  std::vector<size_t> branches;
  for (size_t i = 0; i < j->eqns.size(); ++i)
    if (is_mapped_branch(j->eqns[i]) && has_work(*j, j->eqns[i])) branches.push_back(i);
  if (branches.empty()) return j;
  const Program p(j);
  const std::vector<char> lockstep = make_plan(p).in_lockstep(*j);
  std::erase_if(branches, [&](size_t i) { return !lockstep[i]; });
  if (branches.empty()) return j;
  const auto is_packed = [&](const Eqn& e) {
    return std::ranges::any_of(branches, [&](size_t i) { return &j->eqns[i] == &e; });
  };
  const Jaxpr r = rewrite(j, [&](const Eqn& e, const Arrays& in) {
    const Arrays packed = is_packed(e) ? e.op->expand(in, e.params) : Arrays();
    return packed.empty() ? bind_equation(e, in, e.params) : packed;
  });
  return with_least_blocks(r, chosen);
}

}  // namespace weft::compiler
