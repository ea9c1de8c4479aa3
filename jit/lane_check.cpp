// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/lane_check.cpp: decides whether a map stores intermediates of its lanes.
#include "tracer/lane_check.h"

#include <algorithm>

#include "core/op.h"
#include "jit/fuse/plan.h"
#include "jit/pipeline.h"
#include "runtime/float_state.h"
#include "tracer/eval_trace.h"
#include "tracer/trace.h"

namespace weft::compiler {
namespace {

// Longer programs, and programs of larger values, rarely fit into lanes. They are not planned
// twice.
constexpr size_t longest_program = 4000;
constexpr int64_t largest_value = 1024;  // elements

bool keeps_values_in_lanes(const Jaxpr& j, int64_t lanes) {
  const auto is_large = [&](const Type& t) { return t.elements() / lanes > largest_value; };
  if (j->eqns.size() > longest_program || std::ranges::any_of(j->types, is_large)) return false;
  // Collectives over an axis of an outer map have no meaning in this program alone.
  const auto is_collective = [](const JaxprData&, const Eqn& e) { return e.op->collective(); };
  if (any_equation({j}, is_collective)) return false;
  const CurrentTraceScope eager(eval_interpreter());
  const FloatState state;  // constant folding needs it
  const Program p(rewritten(j));
  const Plan plan = make_plan(p);
  const auto is_of_lanes = [&](int32_t v) { return p.j->types[v].elements() >= lanes; };
  for (const Step& s : plan.steps) {
    const Eqn& e = p.j->eqns[s.eqn];
    for (int32_t k = 0; s.kind != Step::Kind::kernel && k < e.n_out; ++k)
      if (is_of_lanes(e.out + k)) return false;
  }
  for (int32_t v = p.j->n_in; v < plan.in_memory.size(); ++v)
    if (plan.in_memory[v] && is_of_lanes(v) &&
        std::ranges::find(p.j->out, Atom{v}) == p.j->out.end())
      return false;
  return true;
}

const bool installed = (install_lane_check(keeps_values_in_lanes), true);

}  // namespace
}  // namespace weft::compiler
