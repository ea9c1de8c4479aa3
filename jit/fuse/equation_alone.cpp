// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/fuse/equation_alone.cpp: one equation as a program, for its own analysis.
#include "jit/fuse/equation_alone.h"

#include "core/jaxpr_builder.h"

namespace weft::compiler {

Jaxpr equation_alone(const JaxprData& j, const Eqn& e) {
  JaxprBuilder b(j);
  Eqn copy = e;
  for (Atom& a : copy.in)
    if (!a.is_literal()) a = b.add_input(j.type(a));
  b.append(std::move(copy), results_of(e));
  return b.finish_uninterned(results_of(e));
}

}  // namespace weft::compiler
