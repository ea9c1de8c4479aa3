// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/rewrite/fuse_loops.h: joins loops that run over the same lanes, and the equations between
// them, into one equation if one loop reads the results of another. Intermediate values then stay
// in the lane.
#pragma once
#include "weft/detail/jaxpr.h"

namespace weft::compiler {

// Returns j with each such group as a call of one program. Values and rounding do not change.
Jaxpr join_loops(const Jaxpr& j);

}  // namespace weft::compiler
