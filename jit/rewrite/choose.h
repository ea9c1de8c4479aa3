// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/rewrite/choose.h: the pass that says of each equation how it is run
// (docs/decisions/0017).
#pragma once
#include <string>

#include "weft/core/jaxpr.h"
#include "weft/core/loops/implementation.h"
#include "weft/core/ref.h"

namespace weft::compiler {

// The name of an implementation that is demanded of all uses of an op, and where it was.
struct Demand {
  std::string implementation, where;
};
using Demands = FunctionRef<const Demand*(const Op&)>;

// The cheapest implementation of each equation, of those that apply, is written on it, unless there
// is one already or there is but the rule `lower`. Raises CompileError if what is demanded does not
// apply; but in an expansion, where nobody wrote the equations, that is passed over.
Jaxpr choose_implementations(const Jaxpr& j, const Target& target, Demands demands,
                             bool in_expansion = false);

}  // namespace weft::compiler
