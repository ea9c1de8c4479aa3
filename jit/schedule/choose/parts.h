// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/schedule/choose/parts.h: the parts of choosing a schedule. Included by this folder alone.
#pragma once
#include "weft/jit/schedule/choose/limits.h"
#include "weft/jit/schedule/loops.h"
#include "weft/jit/schedule/schedule.h"

namespace weft::compiler {

// Which operands of the loop are moved by blocks of trips, and how many trips a block has, for so
// many vectors side by side; no operands if none is.
LoopSchedule rows_of(const nest::Kernel& k, const Divergence& d, const Limits& limits, int lanes,
                     int interleave, nest::Id loop);
// Loops, folds, branches and prefetches, once the rest of the schedule is chosen.
void choose_inner(const nest::Kernel& k, const Divergence& d, const Limits& limits, Schedule* s);
// Short loops are written out where that turns arrays of the lane into registers, or where they are
// next to nothing. Within a loop that is written out, bounds made of its index are constant, too.
std::vector<nest::Id> loops_to_unroll(const nest::Kernel& k, const Divergence& d,
                                      const Limits& limits, const Schedule& s);

}  // namespace weft::compiler
