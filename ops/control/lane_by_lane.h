// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/lane_by_lane.h: runs the lanes of a map one after another, for functions without a
// batching rule.
#pragma once
#include "batching/batch_trace.h"

namespace weft {

// Runs f on each row of the mapped operands. For an inactive lane the result is zero and f does not
// run. asks_for_lane: f contains collectives or random functions, and each lane is a chunk of its
// own for them.
Batched lane_by_lane(FunctionRef<Arrays(const Arrays&)> f, const Arrays& x, const MaybeAxes& axis,
                     const BatchTrace& trace, bool asks_for_lane);

// Binds a program that runs op `name` lane by lane as one equation that records the name of the op.
Arrays lane_loop(const Ref<const JaxprData>& j, const Arrays& x, const std::string& name);

}  // namespace weft
