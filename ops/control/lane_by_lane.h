// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/lane_by_lane.h: the lanes of a map one after another, for what has no batching rule.
#pragma once
#include "weft/batching/batch_trace.h"

namespace weft {

// f on the rows of what is mapped. A lane that is not active gives zeros, f is not run for it.
// asks_for_lane: f holds collectives or random functions, to which each lane is a chunk of its own.
Batched lane_by_lane(FunctionRef<Arrays(const Arrays&)> f, const Arrays& x, const MaybeAxes& axis,
                     const BatchLevel& level, bool asks_for_lane);

// A program that runs op `name` for one lane after another, as one equation that says so.
Arrays lane_loop(const Ref<const JaxprData>& j, const Arrays& x, const std::string& name);

}  // namespace weft
