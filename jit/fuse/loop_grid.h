// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/fuse/loop_grid.h: over which grid a loop runs if its whole state stays inside the lane. Part
// of the plan.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "weft/jit/fuse/analysis.h"

namespace weft::compiler {

struct LaneGrid {
  std::vector<int64_t> grid;                 // extents, outermost first
  std::map<int, int> classes = {};           // which axis of the grid a class is
  std::vector<std::vector<int>> lanes = {};  // by result: the axis of the grid of each axis, or -1
  std::vector<char> shared = {};  // by operand: it has no axis of the grid, all lanes read it
  struct Held {
    int64_t largest = 0, total = 0;  // elements: of the largest value, and of all
    int64_t bytes = 0;               // of all
  } held = {};                       // what a lane holds
  bool rows = false;                 // there is one lane, and vectors run along its values
  std::string why = {};              // it cannot; the rest says nothing then
};
// Of the one equation that was analysed.
LaneGrid lane_grid(const LoopForm& v, const AxisClasses& an);

}  // namespace weft::compiler
