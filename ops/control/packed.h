// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/packed.h: a branch for the lanes that take it, for the `expand` rule of cond
// (docs/decisions/0082-packed-lanes.md).
#pragma once
#include "ops/control/body_op.h"

namespace weft {

// Returns true if the op has one axis of lanes, enough of them, no results without lanes, and no
// effects. Its lanes may still depend on one another.
bool packs_lanes(const BodyOp& o);

// The values of some lanes, or of a block of them, as arguments of a body. `active` marks the lanes
// whose numbers are in range.
using PackedBody = FunctionRef<Arrays(const Arrays& rows, const Array& active)>;

// Runs a body for the lanes that are set in the mask, one block after another. It takes the values
// `x` of these lanes; lane_axes says which of them have lanes. Lanes are the leading axis of all
// its results. Returns its results for these lanes and `before` for the others, or nothing if lanes
// depend on one another.
Arrays run_packed(const PackedBody& body, const Arrays& x, const Ints& lane_axes, const Array& mask,
                  const Arrays& before);

}  // namespace weft
