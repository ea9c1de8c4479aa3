// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/schedule/points.h: points that a thread of a GPU can run side by side: neighbours along the
// last axis of the grid, whose numbers lie side by side in memory and move together.
#pragma once
#include <cstdint>
#include <vector>

#include "weft/core/loops/nest.h"
#include "weft/jit/schedule/divergence.h"
#include "weft/jit/schedule/schedule.h"

namespace weft::compiler {

inline constexpr int64_t widest_access = 16;  // bytes, of a thread

// Loads and stores of a kernel that neighbouring points do side by side; d is that of Mode::grid.
// None if the points do more than arithmetic, or store otherwise.
std::vector<nest::Id> neighbour_accesses(const nest::Kernel& k, const Divergence& d);

// Shared memory of a block that a square tile of so wide numbers takes, a number more a row.
inline int64_t tile_bytes(const Schedule& s, int64_t element_bytes) {
  return (s.tile * (s.tile + 1) * element_bytes + widest_access - 1) & -widest_access;
}

}  // namespace weft::compiler
