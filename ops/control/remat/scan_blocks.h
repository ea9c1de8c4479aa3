// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/remat/scan_blocks.h: the reverse mode of a long scan of checkpoints, without a row
// for each step.
#pragma once
#include "weft/autodiff/partial_eval.h"
#include "weft/ops/control/body_op.h"

namespace weft {

// Whether all that the steps leave for the unknown part are the carries that they begin with, the
// unknown part computes again what else it needs (a checkpoint that keeps nothing), the steps can
// be run twice, and the scan is long.
bool runs_in_blocks(const BodyOp& o, const Unknown& u);
// Its partial evaluation. The known carries are kept at the start of each block of about sqrt(n)
// steps, and the carries between are computed again when the unknown part comes to the block. The
// bits are those of the scan whose steps all leave their carries.
Arrays record_scan_in_blocks(const Op& op, const BodyOp& o, const Groups<Array>& x,
                             const Unknown& u, PartialEval& level);

}  // namespace weft
