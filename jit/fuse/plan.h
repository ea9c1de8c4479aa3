// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/fuse/plan.h: which equations become which kernel: the regions of a program.
//
// A value is computed where it is read (inlined) unless it has to be in memory: results, operands
// of library calls, what several kernels read and is expensive. A reduction or a loop anchors a
// kernel; what reads its results at the same index of its grid is computed in the same kernel,
// after it.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "weft/jit/fuse/analysis.h"

namespace weft::compiler {

// A result that a loop stores as it runs.
struct Streamed {
  int32_t result;
  int32_t stored;         // itself, or what lies in memory instead:
  std::vector<int> axes;  // a transpose, of which axis axes[a] is axis a of the result
};

struct KernelPlan {
  std::vector<int64_t> grid;                     // extents, outermost first
  std::vector<size_t> emit;                      // equations computed before anything is stored
  std::map<int32_t, std::vector<int>> lanes;     // of emitted and stored variables: grid axis or -1
  std::map<size_t, std::map<int, int>> classes;  // of loops: class -> grid axis
  std::vector<int32_t> roots;                    // stored at the end
  // Expensive values of a row that several folds read: computed once, before the equation at this
  // place in `emit` (behind all: before the roots).
  std::multimap<size_t, int32_t> cached;
  std::vector<Streamed> streamed;  // stored while a scan runs
  std::vector<int32_t> zeroed;     // of these, what no step may reach: zeros there
  bool rows = false;               // vectorise along the rows of a grid point
  bool loops = false;
  std::string why;  // it runs in lockstep instead
  std::vector<int32_t> stored() const {
    std::vector<int32_t> all;
    for (const Streamed& s : streamed) all.push_back(s.stored);
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
  std::vector<bool> in_memory;  // by variable
};

Plan make_plan(const Program& p);
// A line a step, and one for each value that it stores.
std::string to_string(const Plan& plan, const Program& p);

}  // namespace weft::compiler
