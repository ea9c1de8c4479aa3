// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/loop_blocks.h: the reverse mode of a loop with a bound on its trips, without a
// residual for each trip that the bound allows.
#pragma once
#include "weft/autodiff/partial_eval.h"
#include "weft/ops/control/body_op.h"

namespace weft {

// A loop whose trips are known, as steps of a scan; its length is the bound on them.
struct BoundedLoop {
  BodyOp step;
  Groups<Array> x;       // head: the trips, i32[lanes]; of a long loop perhaps i64
  Groups<bool> unknown;  // inside the loop
};

// The loop, recorded at the level: the unknown carries behind it.
Arrays record_bounded(PartialEval& level, const BoundedLoop& l);

}  // namespace weft
