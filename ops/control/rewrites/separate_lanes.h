// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/rewrites/separate_lanes.h: runs a loop that another system has mapped as a loop with
// lanes, each of which ends on its own (docs/decisions/0076).
#pragma once
#include <optional>

#include "ops/control/body_op.h"

namespace weft {

// Returns true if no equation of a loop's programs combines different indices of the first `axes`
// axes of a variable of its body. `loop`: a scan or while with these parameters and operands.
bool axes_run_apart(const char* loop, const AnyParams& params, const Types& operands,
                    int32_t variable, int axes);

// Returns the results of the while loop with these operands. Returns nothing if it is not a mapped
// loop (mapped_loop.h), or if its lanes read one another. in_loop: it is in the body of a loop.
std::optional<Arrays> separate_lanes(const While& p, const Arrays& x, bool in_loop);

// Returns the lane axes of the inputs of a body whose first input is the mask of its lanes. Returns
// nothing if an equation combines different lanes, or if a value has lanes elsewhere than in front.
// `known`: lane axes that inputs surely have.
std::optional<Ints> lane_axes_of(const Jaxpr& body, int lanes, const Ints& known);

}  // namespace weft
