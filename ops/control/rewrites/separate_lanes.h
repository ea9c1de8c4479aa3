// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/rewrites/separate_lanes.h: finds the lanes of a loop that another system has mapped
// (docs/decisions/0076).
#pragma once
#include <optional>

#include "ops/control/body_op.h"

namespace weft {

// JAX maps a while loop as `while any(p(c)): c = select(p(c), body(c), c)`. Returns the parameters
// of the same loop with lanes, each of which ends on its own: `p` is the condition, and the selects
// are gone. Returns nothing if the loop does not have this form, or if its lanes read one another.
// `in`: the types of the operands.
std::optional<While> separate_lanes(const While& p, const Types& in);

}  // namespace weft
