// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/fuse/update_form.cpp: estimates the cost of the two forms of an update.
#include "jit/fuse/update_form.h"

#include <algorithm>

#include "jit/fuse/region.h"

namespace weft::compiler {

using Form = Lowering::Form;

namespace {
// The largest number of instructions of an element that searches the updates. Longer ones compile
// slowly. (In a lane, the array is copied instead, jit/nests/updates.cpp.)
constexpr int longest_search = 100;

// Returns true if the result of equation i is in memory in both forms.
bool is_stored(const Program& p, size_t i) {
  const JaxprData& j = *p.j;
  const Atom v{j.eqns[i].out};
  const auto holds = [&](const std::vector<Atom>& all) {
    return std::find(all.begin(), all.end(), v) != all.end();
  };
  for (size_t q = i + 1; q < j.eqns.size(); ++q) {
    const Form form = p.scope.lowering[q].form;
    if ((form == Form::scatter || form == Form::opaque || form == Form::loop) &&
        holds(j.eqns[q].in))
      return true;
  }
  return holds(j.out);
}
}  // namespace

bool is_cheaper_as_update(const Program& p, size_t i, bool dies) {
  const Eqn& e = p.j->eqns[i];
  if (!p.scope.lowering[i].destination) return false;
  const Type& t = p.j->types[e.out];
  if (p.scope.access[i].cost > longest_search) return true;
  const int64_t bytes = byte_cost * t.bytes();
  const int64_t search = p.scope.access[i].cost * t.elements() + (is_stored(p, i) ? bytes : 0);
  const int64_t update = kernel_cost + update_cost * p.j->type(e.in[1]).elements();
  return update + (dies ? 0 : bytes) < search;
}

}  // namespace weft::compiler
