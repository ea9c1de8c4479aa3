// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/fuse/barriers.h: the equations of a program that say in which order it is computed.
#pragma once
#include "weft/core/ir.h"
#include "weft/core/jaxpr.h"

namespace weft::compiler {

// Whether what is made of the equation's result is computed after all that stands before it.
bool is_barrier(const Eqn& e);
// j, in which nobody reads the result of a barrier, which would have to be stored, but its operand.
// The barriers stay: they mark where kernels end (jit/fuse/plan.cpp). Bodies keep theirs until they
// are compiled themselves.
Jaxpr through_barriers(const Jaxpr& j);

}  // namespace weft::compiler
