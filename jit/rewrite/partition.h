// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/rewrite/partition.h: joins equations that run over the same lanes into calls, each of which
// becomes one kernel. Intermediate values then stay in the lane.
#pragma once
#include "core/loops/implementation.h"
#include "weft/detail/jaxpr.h"

namespace weft::compiler {

// Returns j with each such group as a call of one program. Values and rounding do not change.
// `target` tells for which equations native code is another choice.
Jaxpr partition(const Jaxpr& j, const Target& target);

}  // namespace weft::compiler
