// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/effects.h: the side effects of running an equation. Every pass that drops, merges,
// moves or repeats equations, or runs them early, uses only these functions to decide.
#pragma once
#include "core/op.h"

namespace weft {

// The strongest effect of an equation, including those of the programs that it holds.
// - none: It may be dropped, merged and moved, and it may run although its result is not needed.
// - pure: It calls user code. It may be dropped, merged and moved, but it does not run where the
//   program would not have run it.
// - ordered: It runs exactly when and as often as the program says, in the program's order.
Effect effect_of(const Op& op, const AnyParams& params);
inline Effect effect_of(const Eqn& e) { return effect_of(*e.op, e.params); }
// The strongest effect of the program's equations.
Effect effect_of(const Ref<const JaxprData>& j);

// Returns true if what reads the result must run after all equations that precede this one.
bool is_barrier(const Eqn& e);

// The parameters of an equation, with each program replaced by f of it.
AnyParams with_programs(const Op& op, const AnyParams& params, FunctionRef<Jaxpr(const Jaxpr&)> f);
inline AnyParams with_programs(const Eqn& e, FunctionRef<Jaxpr(const Jaxpr&)> f) {
  return with_programs(*e.op, e.params, f);
}

// The program without equations that have an ordered effect and no results (prints, checks), also
// in nested programs. It is for programs that run a second time, such as a loop that is recomputed
// in reverse. Equations with results (io_callback) stay; effect_of the result shows if there are
// any.
Jaxpr without_prints(const Jaxpr& j);

}  // namespace weft
