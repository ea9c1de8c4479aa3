// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/cpu/sorted_points.h: points that run in the order of the sides of branches that they
// take. It may touch the indices, the positions, the known sides and the masks of points. Another
// way of sorting a block is added to sort().
#pragma once
#include "jit/emit/cpu/cpu_emitter.h"
#include "jit/schedule/sorting.h"

namespace weft::compiler {

// A vector runs each side that one of its points takes. Where points take sides at random, it runs
// most sides. The points of a block are therefore sorted by the sides that they take, and each
// vector runs one way through the branches, without tests.
//
// The emitted code does this for each block:
// - It computes the conditions of all points, which give each point a key. It counts what the
//   vectors would run in the order of the grid and in the order of the keys.
// - If sorting saves enough, it writes the positions of the points to an array, in the order of
//   their keys. For each key, vectors take their points from this array and gather their operands.
// - Otherwise the points run in the order of the grid, and so do the next few blocks, without keys.
class SortedPoints : EmitterPart<CpuEmitter> {
 public:
  explicit SortedPoints(CpuEmitter& e);

  // Emits the points [begin, end) of a row.
  void emit(V begin, V end);

 private:
  void find_ways(nest::Id branch, std::map<nest::Id, size_t>& sides);
  // Emits the first block of the points [begin, end), and those that run like it.
  void block(V begin, V end);
  // Computes the keys, and where the points of each key are in the order. Returns whether sorting
  // saves enough. `was_sorted` is 1 if it did in the last block, else 0.
  V find_keys(V begin, V size, V was_sorted);
  bool samples_nothing() const;
  // Returns how many points have each key, and what the vectors cost in the order of the grid.
  Vs count_keys(V begin, V size);
  V whole_vectors(V points, V round);
  V cost_of(size_t key) { return b_.i64(tree_.costs[key]); }
  // Returns by key which elements have it.
  void masks_of_keys(nest::Id branch, V reached, Vs& masks);
  void sort(V size);
  void sort_vectors(V size);
  void sort_points(V size);
  void run_sorted(V begin);

  SortKeys tree_;
  std::vector<std::map<nest::Id, size_t>> ways_;  // by key: the sides that it takes
  V keys_ = nullptr, order_ = nullptr, next_ = nullptr;
  V next_point_ = nullptr, sorted_ = nullptr;  // where the next block begins; 1 after a sorted one
  Vs starts_, ends_;                           // by key: its points in the order
};

}  // namespace weft::compiler
