// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/rewrite/barriers.cpp: replaces the results of barriers by their operands.
#include "jit/rewrite/barriers.h"

#include <algorithm>

#include "core/effects.h"
#include "core/jaxpr_builder.h"

namespace weft::compiler {

Jaxpr through_barriers(const Jaxpr& j) {
  if (std::none_of(j->eqns.begin(), j->eqns.end(), is_barrier)) return j;
  JaxprBuilder b(*j);
  b.copy_inputs();
  for (const Eqn& e : j->eqns) {
    const Eqn& n = b.copy(e);
    if (is_barrier(e)) b.replace(e.out, n.in[0]);
  }
  return b.finish(j->out);
}

}  // namespace weft::compiler
