// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/rewrites/hoist.h: computes before a loop what is the same in all of its steps
// (docs/decisions/0070).
#pragma once
#include <optional>

#include "ops/control/body_op.h"

namespace weft {

// A loop that takes such values as constants.
struct HoistedLoop {
  BodyOp o;
  LoopValues<Array> x;
};
// Binds the equations of the loop's programs that depend only on constants of the loop and cost
// more than it costs to read their results. Returns the loop without them, or nothing if there are
// no such equations. In a loop with lanes they are also computed for inactive lanes, which changes
// no result.
std::optional<HoistedLoop> hoist_invariants(const BodyOp& o, const Arrays& operands);

}  // namespace weft
