// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/nests/nest_cost.h: how long a CPU takes for a nest, to compare forms of one kernel.
#pragma once
#include <cstdint>
#include <vector>

#include "core/loops/nest.h"

namespace weft::compiler {

// Estimates the nanoseconds that one thread needs for all points of a grid of these run-time
// extents. Vectors run along the last axis of the grid, or along the loops of a point
// (nest::Vector). Loops of unknown length count as one trip.
double nest_ns(const nest::Kernel& k, const std::vector<int64_t>& extents, nest::Vector along);

// Returns true if the kernel clamps indices that are computed from the grid's alone, or compares
// them: it puts values together, pads or shifts them.
bool compares_indices(const nest::Kernel& k);

}  // namespace weft::compiler
