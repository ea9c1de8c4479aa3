// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/fuse/plan.h: the plan: which equations are computed in which kernel.
//
// A value is computed where it is read (inlined) unless it has to be in memory. In memory are
// results, operands of library calls, and expensive values that several kernels read. A reduction
// or a loop anchors a kernel. Equations that read its results at the same grid index follow it in
// the same kernel.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "jit/fuse/analysis.h"

namespace weft::compiler {

// Why a value passes through memory between two steps, as the end of a line of the report.
namespace stored_because {
inline constexpr const char* not_kernel =
    "a library call, a scatter or a loop of several steps computes or reads it";
inline constexpr const char* lane_loop = "a loop or a call in lanes has its own kernel";
inline constexpr const char* by_step = "a loop stores it step by step";
inline constexpr const char* all_lanes = "it is large, and all lanes read it";
inline constexpr const char* in_place = "it is updated in memory";
inline constexpr const char* overwritten = "what it is computed from is overwritten";
inline constexpr const char* barrier =
    "it is smaller than what it is computed from, before a barrier";
inline constexpr const char* too_long = "one kernel would have too much code";
inline constexpr const char* read_twice = "two kernels read it, and it is expensive";
inline constexpr const char* repeated = "a reader would compute its elements again and again";
inline constexpr const char* scalar =
    "a kernel with vectors along rows would compute it by scalars";
inline constexpr const char* other_index = "it is read at other indices than its kernel's points";
inline constexpr const char* other_operand = "its reader is in the kernel of another operand";
}  // namespace stored_because

// A result that a loop stores while it runs.
struct ScanOutput {
  int32_t result;
  int32_t stored;         // the variable in memory: the result itself or a transpose of it
  std::vector<int> axes;  // axis axes[a] of `stored` is axis a of the result
};

// A result that a loop updates in place. Its memory first holds the initial value.
struct UpdatedOutput {
  int32_t result, initial;  // variables in memory
};

struct KernelPlan {
  std::vector<int64_t> grid;  // extents, outermost first
  std::vector<size_t> emit;   // equations that are computed before anything is stored
  // By emitted or stored variable: the grid axis of each of its axes, or -1.
  std::map<int32_t, std::vector<int>> grid_axes;
  std::map<size_t, std::map<int, int>> classes;  // by loop: class -> grid axis
  std::vector<int32_t> roots;                    // stored at the end
  // Values of which each point keeps its elements: expensive ones that are read several times, and
  // short rows in memory. They are computed or copied before the equation at this place in `emit`
  // (its end: before the roots).
  std::multimap<size_t, int32_t> cached;
  std::vector<ScanOutput> stored_by_step;  // each step of a scan stores its row
  std::vector<UpdatedOutput> updated;      // carries of loops that are updated in memory
  // Results among these that a run may leave incomplete, so they are zeroed first.
  std::vector<int32_t> zeroed;
  bool rows = false;        // vectorize along the rows of a grid point
  bool short_rows = false;  // FoldLayout::short_rows
  bool loops = false;
  std::string why;  // why it runs in lockstep instead
  std::vector<int32_t> stored() const {
    std::vector<int32_t> all;
    for (const ScanOutput& s : stored_by_step) all.push_back(s.stored);
    for (const UpdatedOutput& u : updated) all.push_back(u.result);
    all.insert(all.end(), roots.begin(), roots.end());
    return all;
  }
};

struct Step {
  enum class Kind { kernel, native, scatter, lockstep };
  Kind kind = Kind::kernel;
  KernelPlan kernel;
  size_t eqn = 0;  // of the other kinds
  std::string why;
};

struct Plan {
  std::vector<Step> steps;
  VarMap<bool> in_memory;
  VarMap<const char*> why_stored;  // stored_because; null: it is not, or it is only a result
  // Returns, by equation, whether it is a loop, a branch or a call that runs in lockstep.
  std::vector<char> in_lockstep(const JaxprData& j) const {
    std::vector<char> r(j.eqns.size(), 0);
    for (const Step& s : steps)
      if (s.kind == Step::Kind::lockstep) r[s.eqn] = 1;
    return r;
  }
};

Plan make_plan(const Program& p);
// Prints a line for each step and for each value that it stores.
std::string to_string(const Plan& plan, const Program& p);

}  // namespace weft::compiler
