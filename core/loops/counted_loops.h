// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/loops/counted_loops.h: finds While loops that increment a counter by one while it is below a
// limit, and makes them loops with known bounds.
#pragma once
#include "core/loops/nest.h"

namespace weft::nest {

// Replaces each such While by a For if its bounds are the same for all points. Optimizations that
// need known bounds then apply to it, too: unrolling, moving data by rows, and bounding indices.
void count_loops(Kernel* k);

}  // namespace weft::nest
