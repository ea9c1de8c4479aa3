// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/loops/nest_bounds.h: what the integers of a kernel can be, and that it keeps to its memory.
// The range of every index that it loads or stores at is found from the grid, the bounds of loops,
// the conditions of branches and the arithmetic between; what is read from memory can be anything
// until it is clamped.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "weft/core/loops/nest.h"

namespace weft::nest {

// What an integer can be: all from low to high; nothing if low > high (code that does not run).
struct Range {
  int64_t low = INT64_MIN, high = INT64_MAX;
  bool empty() const { return low > high; }
  bool within(const Range& o) const { return empty() || (low >= o.low && high <= o.high); }
  friend bool operator==(const Range&, const Range&) = default;
};
// Of every value of a kernel, whatever it is run with: axes and extents have at most 2^40 elements.
std::vector<Range> ranges_of(const Kernel& k);

// What a kernel is run with.
struct Binding {
  std::vector<int64_t> grid;      // points along each grid axis
  std::vector<int64_t> extents;   // run-time arguments
  std::vector<int64_t> elements;  // of each buffer, in numbers of its storage
};

// The first access that may leave its buffer or local array.
struct OutOfBounds {
  Id access = no_id;  // no_id: none, all lie within
  std::string text;   // what is accessed, and where the index can be
};
OutOfBounds find_out_of_bounds(const Kernel& k, const Binding& b);

}  // namespace weft::nest
