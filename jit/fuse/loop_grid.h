// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/fuse/loop_grid.h: finds the grid over which a loop runs if all its state stays inside the
// lane. Part of the plan.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "jit/fuse/analysis.h"

namespace weft::compiler {

// Enough points to fill the vectors of all threads. A call that joins loops has at least this many,
// or as many as its largest loop. A call with this many gets no more axes if a quarter of its work
// would be repeated, and one with fewer if all of it would be.
inline constexpr int64_t points_of_call = 512;

struct LaneGrid {
  std::vector<int64_t> grid;                     // extents, outermost first
  std::map<int, int> classes = {};               // by class: its grid axis
  std::vector<std::vector<int>> grid_axes = {};  // by result: the grid axis of each axis, or -1
  std::vector<char> shared = {};      // by operand: it has no grid axis, so all lanes read it
  std::vector<int64_t> readers = {};  // by operand: the points that read the same elements
  bool along_values = false;          // vectors run along the values of a lane
  // The carries of this loop that stay in memory, where each point updates its own elements.
  std::vector<int> in_memory = {};
  // The instructions that points of a call repeat: those of values that lack axes of the grid. A
  // few elements do not count, since vectors compute them once for all their points.
  double repeated = 0;
  std::string why = {};  // why it cannot; the other members are then invalid
};
// `an` is the analysis of this equation alone.
LaneGrid lane_grid(const LoopForm& v, const AxisClasses& an);

}  // namespace weft::compiler
