// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/loop_blocks.h: reverse mode of a loop with a bound on its trips. It does not keep a
// residual for each trip that the bound allows.
#pragma once
#include "autodiff/partial_eval.h"
#include "ops/control/body_op.h"

namespace weft {

// A loop with a known number of trips, as steps of a scan. The length of the scan is the bound on
// the trips.
struct BoundedLoop {
  BodyOp step;
  LoopValues<Array> x;       // control: the trips, i32[lanes], or i64 if the bound needs it
  LoopValues<bool> unknown;  // inside the loop
};

// Records the loop at the level. Returns the unknown carries after the loop.
Arrays record_bounded(PartialEvalTrace& trace, const BoundedLoop& l);

}  // namespace weft
