// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/remat/scan_blocks.h: reverse mode of a long scan of checkpoints, without a residual
// row for each step.
#pragma once
#include "autodiff/partial_eval.h"
#include "ops/control/body_op.h"

namespace weft {

// Returns true if the scan can and should run in blocks. The steps leave only their initial carries
// for the unknown part, which recomputes everything else (a checkpoint that keeps nothing). Also,
// the steps can run twice, and the scan is long.
bool runs_in_blocks(const BodyOp& o, const Unknown& u);
// Partial evaluation of such a scan. It keeps the known carries at the start of each block of about
// sqrt(n) steps. The carries in between are recomputed when the unknown part reaches the block. The
// results have the same bits as those of the scan that keeps the carries of all steps.
Arrays record_scan_in_blocks(const Op& op, const BodyOp& o, const LoopValues<Array>& x,
                             const Unknown& u, PartialEvalTrace& trace);

}  // namespace weft
