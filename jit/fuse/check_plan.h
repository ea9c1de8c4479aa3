// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/fuse/check_plan.h: a check of the planner's result, which finds faults of the planner itself.
#pragma once
#include "jit/fuse/analysis.h"
#include "jit/fuse/plan.h"

namespace weft::compiler {

// Throws InternalError unless every axis that is computed along a grid axis has its extent.
void check_grid_axes(const Program& p, const KernelPlan& k);

}  // namespace weft::compiler
