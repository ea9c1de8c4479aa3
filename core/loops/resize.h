// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/loops/resize.h: the same program for another number of lanes.
#pragma once
#include <cstdint>
#include <optional>

#include "core/loops/axis_classes.h"

namespace weft {

// Returns the program of the analysis in which the axes of this class have another extent. Nothing
// may mix the class, nor compute with an index along it (AxisClasses::runs_apart). Returns nothing
// if an equation holds extents that its op cannot change (Def::resize), or if a constant has the
// axis.
std::optional<Jaxpr> resized(const AxisClasses& an, int axis_class, int64_t extent);

// Returns the program for a block of so many lanes. Lanes are the leading axis of all results and
// of the inputs that are marked. Returns nothing if lanes depend on one another, or if other inputs
// have them.
std::optional<Jaxpr> program_of_block(const Jaxpr& j, const Bools& in_blocks, int64_t block);

}  // namespace weft
