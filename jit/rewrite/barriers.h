// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/rewrite/barriers.h: passes over the results of barriers.
#pragma once
#include "core/ir.h"
#include "weft/detail/jaxpr.h"

namespace weft::compiler {

// Replaces uses of a barrier's result, which would have to be stored, by its operand. The barriers
// stay, because they mark where kernels end (jit/fuse/plan.cpp). Bodies keep theirs until they are
// compiled.
Jaxpr through_barriers(const Jaxpr& j);

}  // namespace weft::compiler
