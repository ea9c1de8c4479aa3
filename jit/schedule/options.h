// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/schedule/options.h: what a caller may require of the code of a kernel.
#pragma once
#include <cstdint>
#include <vector>

namespace weft::compiler {

// Options of the schedule; `automatic` lets the compiler choose. Results are the same bits for all
// of them.
struct Options {
  enum class Use : uint8_t { automatic, never, always };
  Use refill = Use::automatic;
  int interleave = 0;              // number of vectors, 1 to 4; 0 lets the compiler choose
  bool checked = false;            // tests every access (jit/emit/check/checked.h)
  std::vector<int64_t> grid = {};  // extents of the grid, if they are known
  Use sort = Use::automatic;       // of points by the branches that they take
};

}  // namespace weft::compiler
