// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/schedule/sorting.h: points that are sorted by the sides of branches that they take. It says
// for which branches this is valid and what their sides cost, regardless of profit.
#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "core/loops/nest.h"
#include "jit/schedule/divergence.h"

namespace weft::compiler {

// A key has 8 bits, and the position of a point in its block has 15.
inline constexpr int64_t max_sort_keys = 64, max_sort_points = 1 << 15;

// Branches of a nest as a tree: one If of the top block, and in each of its sides at most one
// other. A way through the tree ends at a leaf. The number of a point's leaf is its key, and leaves
// are counted from the first side of an If to the second.
struct SortKeys {
  nest::Id root = nest::no_id;
  // The instructions that compute all conditions from values that the points of a row share, in
  // order. Points may compute them before any of them runs, whatever side they take.
  std::vector<nest::Id> slice;
  int64_t slice_cost = 0;
  // By leaf: instructions on the way to it, with those of as many trips as loops are known to make.
  std::vector<int64_t> costs;
  // By leaf: the loads and stores on the way that move neighbouring elements of a vector together.
  std::vector<int64_t> moved;
};

// Returns the tree of these Ifs. Returns nothing if they do not form one, or if the elements of a
// vector take the same side. Conditions may need only pure instructions and operands of the kernel.
std::optional<SortKeys> sort_keys(const nest::Kernel& k, const Divergence& d,
                                  const std::set<nest::Id>& branches);
// Returns the If of the set in this block, or no_id.
nest::Id sorted_branch(const nest::Kernel& k, const std::set<nest::Id>& branches,
                       nest::BlockId block);
// Returns the instructions of a block, with those of as many trips as its loops make. A loop of
// unknown length counts as `unknown_trips`.
inline constexpr int64_t unknown_trips = 16;
int64_t cost_of_trips(const nest::Kernel& k, const Divergence& d, nest::BlockId b);
// Returns how many loads and stores of a block move neighbouring elements of a vector together,
// with those of as many trips as its loops make. Sorted points move them one by one. Records and
// rows of points are moved together, too: they are accessed in the top block, or in loops.
int64_t accesses_of_neighbours(const nest::Kernel& k, const Divergence& d, nest::BlockId b);

}  // namespace weft::compiler
