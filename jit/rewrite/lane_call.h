// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/rewrite/lane_call.h: calls that run equations of a program in the lanes of one kernel.
#pragma once
#include <vector>

#include "jit/fuse/loop_grid.h"
#include "jit/fuse/plan.h"
#include "jit/rewrite/dependencies.h"

namespace weft::compiler {

// A call of the equations as a program. Its operands are the values that they read from outside,
// each once. Its results are those values that are read outside.
struct LaneCall {
  Eqn eqn = {};
  std::vector<Atom> results = {};  // the variables that it replaces
};
// `members`: equations of the program, each behind what it reads.
// Returns, by variable, whether the program's results or other equations read it.
VarMap<bool> read_outside(const JaxprData& j, const std::vector<size_t>& members);
LaneCall lane_call(const Program& p, const std::vector<size_t>& members);
// Equations and the call that replaces them.
struct CalledGroup {
  std::vector<size_t> members;
  LaneCall call;
};
// Returns the program with the calls. No path of dependencies may leave a group and return to it,
// if each other group is one step.
Jaxpr with_calls(const Program& p, const Dependencies& order,
                 const std::vector<CalledGroup>& groups);
// The plan of the program as it is. The planner expects that nothing reads the result of a barrier.
Plan plan_of(const Program& p);
// The kernels of a plan that compute members of a call, and the bytes that they pass to each other.
// The call saves their time, in nanoseconds.
struct SavedByCall {
  double kernels = 0, bytes = 0;
  double launches() const;  // a call often has one more around it
  double stores() const;
};
SavedByCall saved_by(const Program& p, const Plan& plan, const std::vector<size_t>& members,
                     const LaneCall& call);
// The grid over which a lane of the call runs.
LaneGrid grid_of(const JaxprData& j, const LaneCall& call);

}  // namespace weft::compiler
