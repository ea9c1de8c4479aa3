// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/reduce/stages.h: large reductions as reductions of reductions, so that all threads can run
// (docs/decisions/0013).
#pragma once
#include "ops/kit/fold.h"

namespace weft {

// Combines two results of a reduction.
using Join = Array (*)(const Arg& x, const Arg& y);
// Returns the reduction by blocks, in the order of core/loops/fold_order.h, and an empty list if
// there are few terms.
Arrays in_stages(const SplitArgs<Reduce>& s, Join join);

}  // namespace weft
