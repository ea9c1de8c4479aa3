// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/loops/nest_bounds.h: that a kernel keeps to its memory. The range of every index that it
// loads or stores at is found from the grid, the bounds of loops, the conditions of branches and
// the arithmetic between; what is read from memory can be anything until it is clamped.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "weft/core/loops/nest.h"

namespace weft::nest {

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
