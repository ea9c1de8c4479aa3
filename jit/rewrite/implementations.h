// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/rewrite/implementations.h: the pass that chooses an implementation for each equation
// (docs/decisions/0017).
#pragma once
#include <string>

#include "core/loops/implementation.h"
#include "weft/detail/jaxpr.h"
#include "weft/detail/ref.h"

namespace weft::compiler {

// The implementation that is forced for all uses of an op, and where it was forced.
struct Demand {
  std::string implementation, where;
};
using Demands = FunctionRef<const Demand*(const Op&)>;

// Sets the cheapest applicable implementation on each equation. An equation that already has one,
// or whose only choice is the rule `lower`, is left unchanged. Raises CompileError if a forced
// implementation does not apply. In an expansion, whose equations the user did not write, it is
// ignored instead.
Jaxpr choose_implementations(const Jaxpr& j, const Target& target, Demands demands,
                             bool in_expansion = false);
// Returns true if the choice for an equation is open: it has no implementation, and native code is
// one of those that apply.
bool is_open(const JaxprData& j, const Eqn& e, const Target& target);
// The same as choose_implementations for the equations that have been left open, because they cost
// less as parts of kernels of lanes, and have not become parts of one. Bodies are left unchanged.
Jaxpr choose_outside_of_lanes(const Jaxpr& j, const Target& target, Demands demands);

}  // namespace weft::compiler
