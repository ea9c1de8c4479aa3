// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/rewrites/loop_sums.h: sums that a scan carries, of products or of elements here and
// there, as one product or scatter behind it (docs/decisions/0051).
#pragma once
#include <optional>

#include "weft/ops/control/body_op.h"

namespace weft {

// A scan without the carries that do nothing but take up a product a step, or zeros with an update:
// what those are made of are rows, and the product or scatter of all of them, behind the loop, is
// the sum.
struct LoopSums {
  Arrays x;  // operands of the scan that is left
  Scan p;
  // What the whole scan gives, of the results of that one.
  std::function<Arrays(const Arrays&)> finish;
};
// Of scan p on x; nothing where no carry is such a sum, or the rows are not worth their memory.
std::optional<LoopSums> sums_behind(const Arrays& x, const Scan& p);

}  // namespace weft
