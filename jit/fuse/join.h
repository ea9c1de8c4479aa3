// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/fuse/join.h: loops that run over the same lanes, one on the results of another, and what
// stands between them become one equation, so that what they hand on stays in the lane.
#pragma once
#include "weft/core/jaxpr.h"

namespace weft::compiler {

// j with such equations as calls of the programs that they are together. What is computed, and how
// it is rounded, stays the same.
Jaxpr join_loops(const Jaxpr& j);

}  // namespace weft::compiler
