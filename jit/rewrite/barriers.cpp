// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/rewrite/barriers.cpp: replaces the results of barriers by their operands.
#include "jit/rewrite/barriers.h"

#include <algorithm>

#include "core/effects.h"

namespace weft::compiler {

Jaxpr through_barriers(const Jaxpr& j) {
  if (std::none_of(j->eqns.begin(), j->eqns.end(), is_barrier)) return j;
  const auto r = make_ref<JaxprData>();
  r->types = j->types;
  r->n_in = j->n_in;
  r->n_const = j->n_const;
  r->literals = j->literals;
  std::vector<Atom> stands_for(j->types.size());
  for (size_t v = 0; v < stands_for.size(); ++v) stands_for[v] = {static_cast<int32_t>(v)};
  const auto read = [&](Atom& a) {
    if (!a.is_literal()) a = stands_for[static_cast<size_t>(a.index)];
  };
  for (const Eqn& before : j->eqns) {
    Eqn& e = r->eqns.emplace_back(before);
    for (Atom& a : e.in) read(a);
    if (is_barrier(e)) stands_for[static_cast<size_t>(e.out)] = e.in[0];
  }
  r->out = j->out;
  for (Atom& a : r->out) read(a);
  return intern(r);
}

}  // namespace weft::compiler
