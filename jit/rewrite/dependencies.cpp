// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/rewrite/dependencies.cpp: follows values and effects from equation to equation.
#include "jit/rewrite/dependencies.h"

#include <algorithm>

#include "core/effects.h"

namespace weft::compiler {

Dependencies::Dependencies(const Program& p) : before(p.j->eqns.size()), after(p.j->eqns.size()) {
  size_t ordered = Program::none;  // the last equation with an ordered effect
  for (size_t i = 0; i < p.j->eqns.size(); ++i) {
    const Eqn& e = p.j->eqns[i];
    for (Atom a : e.in) {
      const size_t from = p.defining_eqn.get(a, Program::none);
      if (from == Program::none || std::ranges::find(before[i], from) != before[i].end()) continue;
      before[i].push_back(from);
      after[from].push_back(i);
    }
    if (effect_of(e) != Effect::ordered) continue;
    if (ordered != Program::none) {
      before[i].push_back(ordered);
      after[ordered].push_back(i);
    }
    ordered = i;
  }
}

}  // namespace weft::compiler
