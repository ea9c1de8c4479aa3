// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/programs/effects.h: what running an equation does besides giving its results. Whoever drops,
// merges, moves, repeats or runs equations ahead of their turn asks here, and nowhere else.
#pragma once
#include "weft/core/op.h"

namespace weft {

// The strongest effect of an equation, those of the programs that it holds included.
//   none     it may be dropped, merged, moved and run although nobody asks for its result
//   pure     it calls code of the user's: it may be dropped, merged and moved, and is not run
//            where the program would not have run it
//   ordered  it is run exactly when and as often as the program says, in the program's order
Effect effect_of(const Op& op, const AnyParams& params);
inline Effect effect_of(const Eqn& e) { return effect_of(*e.op, e.params); }
// Of a program: the strongest of its equations.
Effect effect_of(const Ref<const JaxprData>& j);

// The parameters of an equation with f of each program in place of it.
AnyParams with_programs(const Op& op, const AnyParams& params, FunctionRef<Jaxpr(const Jaxpr&)> f);
inline AnyParams with_programs(const Eqn& e, FunctionRef<Jaxpr(const Jaxpr&)> f) {
  return with_programs(*e.op, e.params, f);
}

// The program without ordered effects that give no results (prints, checks), in the programs that
// its equations hold, too: for what runs a second time what has run once already (a loop that is
// computed again backwards). Those that give results (io_callback) stay: whether some did,
// effect_of the result says.
Jaxpr without_prints(const Jaxpr& j);

}  // namespace weft
