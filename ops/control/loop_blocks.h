// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/loop_blocks.h: the reverse mode of a loop with a bound on its trips, without a
// residual for each trip that the bound allows.
#pragma once
#include "weft/autodiff/partial_eval.h"
#include "weft/ops/control/control_flow.h"

namespace weft {

// A loop whose trips are known, as steps of a scan.
struct BoundedLoop {
  Scan step;                                       // with trips; its length is the bound
  Array trips;                                     // i32[lanes]; of a long loop perhaps i64
  Arrays consts, carry;                            // operands of the scan
  std::vector<bool> const_unknown, carry_unknown;  // what is unknown inside the loop
};

// The loop, recorded at the level: the unknown carries behind it.
Arrays record_bounded(PartialEval& level, const BoundedLoop& l);

}  // namespace weft
