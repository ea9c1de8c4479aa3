// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/schedule/choose/parts.h: the parts of choosing a schedule. Only this folder includes it.
#pragma once
#include "jit/schedule/choose/limits.h"
#include "jit/schedule/loops.h"
#include "jit/schedule/schedule.h"

namespace weft::compiler {

// Returns which operands of the loop are moved by blocks of trips, and the trips of a block, for
// this number of interleaved vectors. Returns no operands if none can be moved.
LoopSchedule choose_row_operands(const nest::Kernel& k, const Divergence& d, const Limits& limits,
                                 int vector_width, int interleave, nest::Id loop);
// Chooses loops, folds, branches and prefetches once the rest of the schedule is chosen.
void choose_inner(const nest::Kernel& k, const Divergence& d, const Limits& limits, Schedule* s);
// Returns the short loops to unroll: those whose unrolling turns local arrays into registers,
// and those with little code. In an unrolled loop, bounds computed from its index are constant too.
std::vector<nest::Id> loops_to_unroll(const nest::Kernel& k, const Divergence& d,
                                      const Limits& limits, const Schedule& s);

}  // namespace weft::compiler
