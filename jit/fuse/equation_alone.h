// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/fuse/equation_alone.h: one equation as a program, for its own analysis.
#pragma once
#include "core/ir.h"
#include "weft/detail/jaxpr.h"

namespace weft::compiler {

// Returns a program of equation e alone; its operands are the inputs. It is not interned.
Jaxpr equation_alone(const JaxprData& j, const Eqn& e);

}  // namespace weft::compiler
