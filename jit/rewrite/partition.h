// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/rewrite/partition.h: joins equations that run over the same lanes into calls, each of which
// becomes one kernel. Intermediate values then stay in the lane.
#pragma once
#include "weft/detail/jaxpr.h"

namespace weft::compiler {

// Returns j with each such group as a call of one program. Values and rounding do not change.
Jaxpr partition(const Jaxpr& j);

}  // namespace weft::compiler
