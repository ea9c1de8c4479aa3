// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/loops/nest_bounds.h: the possible values of a kernel's integers, and a check that the kernel
// stays within its buffers. The range of every load and store index is derived from the grid, loop
// bounds, branch conditions and arithmetic. A value that is read from memory can be anything until
// it is clamped.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/loops/nest.h"
#include "core/loops/range.h"

namespace weft::nest {

// The ranges of all values of a kernel, for any arguments: axes and extents have at most 2^40
// elements.
std::vector<Range> ranges_of(const Kernel& k);

// The sizes with which a kernel runs.
struct Binding {
  std::vector<int64_t> grid;      // points along each grid axis
  std::vector<int64_t> extents;   // run-time arguments
  std::vector<int64_t> elements;  // of each buffer, in units of its storage
};

// The first access that may be outside its buffer or local array.
struct OutOfBounds {
  Id access = no_id;  // no_id if every access is within bounds
  std::string text;   // the accessed buffer, and the range of the index
};
OutOfBounds find_out_of_bounds(const Kernel& k, const Binding& b);

}  // namespace weft::nest
