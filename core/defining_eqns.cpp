// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/defining_eqns.cpp: which equation defines a variable.
#include "core/defining_eqns.h"

namespace weft {

VarMap<size_t> defining_eqns(const JaxprData& j) {
  VarMap<size_t> r(j, no_equation);
  for (size_t i = 0; i < j.eqns.size(); ++i) r.set_results(j.eqns[i], i);
  return r;
}

VarMap<size_t> last_readers(const JaxprData& j) {
  VarMap<size_t> last(j, no_equation);
  const auto note = [&](Atom a, size_t i) {
    if (!a.is_literal()) last[a] = i;
  };
  for (size_t i = 0; i < j.eqns.size(); ++i)
    for (Atom a : j.eqns[i].in) note(a, i);
  for (Atom a : j.out) note(a, j.eqns.size());
  return last;
}

}  // namespace weft
