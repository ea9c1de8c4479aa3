// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/rewrites/loop_sums.h: replaces sums that a scan carries (of products, or of updates
// of some elements) by one product or scatter after the scan (docs/decisions/0051).
#pragma once
#include <optional>

#include "ops/control/body_op.h"

namespace weft {

// A scan without those carries that only accumulate one product per step, or zeros with an update.
// The inputs of the products or updates become rows. After the loop, one product or scatter over
// all rows gives the sum.
struct LoopSums {
  Arrays x;  // operands of the remaining scan
  Scan p;
  // Maps the results of the remaining scan to the results of the original scan.
  std::function<Arrays(const Arrays&)> finish;
};
// Moves the sums of scan p on x after the scan. Returns nothing if no carry is such a sum, or if
// the rows would take too much memory.
std::optional<LoopSums> sums_behind(const Arrays& x, const Scan& p);

}  // namespace weft
