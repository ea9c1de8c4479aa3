// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/derivatives.cpp: the derivative modes of a program's equations, including those of
// nested programs.
#include "core/derivatives.h"

#include <set>

namespace weft {
namespace {

void restrict_to(Derivatives& d, const Jaxpr& j, std::set<const JaxprData*>& seen) {
  if (!seen.insert(j.get()).second) return;
  for (const Eqn& e : j->eqns) {
    if (const auto own = e.op->derivatives(e.params)) {
      d.forward = d.forward && own->forward;
      d.reverse = d.reverse && own->reverse;
    } else {
      for_inner(e, [&](const Jaxpr& inner) { restrict_to(d, inner, seen); });
    }
  }
}

}  // namespace

Derivatives derivatives_of(const Jaxpr& j) {
  Derivatives d;
  std::set<const JaxprData*> seen;
  restrict_to(d, j, seen);
  return d;
}

}  // namespace weft
