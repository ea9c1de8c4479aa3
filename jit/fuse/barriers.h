// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/fuse/barriers.h: the equations of a program that fix the order of computation.
#pragma once
#include "weft/core/ir.h"
#include "weft/core/jaxpr.h"

namespace weft::compiler {

// Returns true if users of the equation's result must be computed after everything before it.
bool is_barrier(const Eqn& e);
// Replaces uses of a barrier's result, which would have to be stored, by its operand. The barriers
// stay, because they mark where kernels end (jit/fuse/plan.cpp). Bodies keep theirs until they are
// compiled.
Jaxpr through_barriers(const Jaxpr& j);

}  // namespace weft::compiler
