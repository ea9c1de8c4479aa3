// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/rewrite/lane_group.h: groups of equations that share the axes of their lanes.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "core/var_map.h"
#include "jit/fuse/analysis.h"

namespace weft::compiler {

struct LaneGroup {
  // An axis that runs through all members, and nothing in them mixes. By variable: the axis that it
  // is in the values that they read or compute; -1 if the value is the same in all lanes.
  struct Lane {
    static constexpr int16_t unread = -2;
    int64_t extent = 1;
    VarMap<int16_t> axis = {};
  };
  std::vector<size_t> members = {};  // equations, in order
  std::vector<Lane> lanes = {};

  bool contains(size_t i) const;
  void insert(size_t i);
  int64_t points() const;
  // Returns the number of elements of a value that a lane holds.
  int64_t inner_elements(const Type& t, int32_t var) const;
};

// Finds the axes along which each equation of a program could run as lanes.
class LaneAxes {
 public:
  // Where a lane runs its equations. In a kernel, it computes elements of folds and of elementwise
  // equations. In a block of lanes, it runs any equation, also a loop or a library call. Then no
  // value may depend on the number of its lane.
  enum class Within { kernel, block };
  explicit LaneAxes(const Program& p, Within within = Within::kernel);
  // Returns the group of equation i and these groups, or nothing if no axis runs through all of
  // them. Equation i must read all groups, or there is no group.
  std::optional<LaneGroup> joined(const std::vector<const LaneGroup*>& groups, size_t i) const;
  struct Noted {
    size_t lane;
    int32_t var;
  };
  // Notes the values of equation i in the lanes of a group, if all of them run through it. All
  // lanes compute an elementwise equation or a short fold alike if no result has a lane axis. The
  // equation does not become a member. Returns what was noted, or nothing and leaves the group
  // unchanged.
  std::optional<std::vector<Noted>> note(LaneGroup* group, size_t i) const;
  static void forget(LaneGroup* group, const std::vector<Noted>& noted);

 private:
  // Numbers for the axes of an equation: two axes have the same number if the equation reads one
  // and writes the other at the same index. -1: the axis is read at another index.
  struct Axes {
    std::vector<std::vector<int>> in = {}, out = {};  // by operand and by result
    std::vector<int64_t> extents = {};                // by number
  };
  Axes axes_of(size_t i) const;
  Axes axes_apart(size_t i) const;
  using VarAxis = std::pair<int32_t, int>;  // an axis of a value, or -1: the value does not have it
  std::optional<std::vector<VarAxis>> values_along(size_t i, int number) const;

  const Program& p_;
  std::vector<Axes> axes_;
};

}  // namespace weft::compiler
