// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/prune.h: removes what a program does not need, also in the programs that its equations
// hold. dce (tracer/record_trace.h) removes only whole equations.
#pragma once
#include "core/ir.h"
#include "weft/detail/jaxpr.h"

namespace weft {

// The program with the outputs that are marked. Equations of which only some results are read
// compute only those, if their op has a rule for it (Def::prune). A loop loses the carries that
// nothing but themselves reads, and those that no step changes are read before it. Equations with
// ordered effects stay.
Jaxpr prune(const Jaxpr& j, const std::vector<bool>& outputs);
// The inputs that this program reads.
std::vector<bool> inputs_needed(const Jaxpr& j, const std::vector<bool>& outputs);

}  // namespace weft
