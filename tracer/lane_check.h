// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/lane_check.h: lets the compiler find out if a map stores intermediates of its lanes.
#pragma once
#include "core/ir.h"
#include "weft/detail/jaxpr.h"

namespace weft {

// Returns true if the compiler for the host would keep all intermediates of a map inside the lanes
// of its kernels. A map of fewer lanes would then need no less memory. False without a compiler.
bool keeps_in_lanes(const Jaxpr& map, int64_t lanes);

// jit/ installs itself through this function.
using KeepsInLanesFn = bool (*)(const Jaxpr& map, int64_t lanes);
void install_lane_check(KeepsInLanesFn f);

}  // namespace weft
