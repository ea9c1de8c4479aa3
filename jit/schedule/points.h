// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/schedule/points.h: points that a GPU thread can interleave: neighbours along the last grid
// axis whose elements are adjacent in memory, so that one access moves them.
#pragma once
#include <cstdint>
#include <vector>

#include "core/loops/nest.h"
#include "jit/schedule/divergence.h"
#include "jit/schedule/schedule.h"

namespace weft::compiler {

inline constexpr int64_t widest_access = 16;  // bytes of one access of a thread

// Returns the loads and stores that neighbouring points do in one access; d is the divergence of
// Mode::grid. Returns none if the points do more than arithmetic, or have other stores.
std::vector<nest::Id> neighbour_accesses(const nest::Kernel& k, const Divergence& d);

// Returns the shared memory of a block for a square tile of such elements. Each row has one element
// of padding.
inline int64_t tile_bytes(const Schedule& s, int64_t element_bytes) {
  return (s.tile * (s.tile + 1) * element_bytes + widest_access - 1) & -widest_access;
}

}  // namespace weft::compiler
