// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/fuse/update_form.cpp: estimates the cost of the two forms of an update.
#include "jit/fuse/update_form.h"

#include <algorithm>
#include <limits>

#include "jit/fuse/region.h"

namespace weft::compiler {

using Form = Lowering::Form;

namespace {
// The largest number of instructions of an element that searches the updates. Longer ones compile
// slowly. (In a lane, the array is copied instead, jit/nests/updates.cpp.)
constexpr int longest_search = 100;
constexpr double infinity = std::numeric_limits<double>::infinity();

// Returns the values that are in memory whichever form the update has that computes them.
VarMap<bool> stored_values(const Program& p) {
  const JaxprData& j = *p.j;
  VarMap<bool> stored(j, false);
  const auto note = [&](const std::vector<Atom>& all) {
    for (Atom a : all)
      if (!a.is_literal()) stored[a] = true;
  };
  for (size_t q = 0; q < j.eqns.size(); ++q) {
    const Form form = p.scope.lowering[q].form;
    if (form == Form::scatter || form == Form::opaque || form == Form::loop) note(j.eqns[q].in);
  }
  note(j.out);
  return stored;
}
}  // namespace

UpdateForms::UpdateForms(const Program& p) : costs_(p.j->eqns.size()) {
  const JaxprData& j = *p.j;
  const VarMap<size_t> last = last_readers(j);
  const VarMap<bool> stored = stored_values(p);
  for (size_t i = j.eqns.size(); i-- > 0;) {
    const Eqn& e = j.eqns[i];
    if (!p.scope.lowering[i].destination) continue;
    const Type& t = j.types[e.out];
    const auto elements = static_cast<double>(t.elements());
    const bool searched =
        p.scope.lowering[i].form == Form::pull && p.scope.access[i].cost <= longest_search;
    Costs& c = costs_[i];
    c.updates = true;
    c.copy = static_cast<double>(byte_cost * t.bytes());
    c.update = static_cast<double>(kernel_cost + update_cost * j.type(e.in[1]).elements());
    c.search = searched ? p.scope.access[i].cost * elements : infinity;
    const bool is_stored = stored[Atom{e.out}];
    if (is_stored) c.search += c.copy;
    // The next update of the array, if it is the last equation that reads this result.
    const size_t next = last[Atom{e.out}];
    if (next >= j.eqns.size() || !costs_[next].updates || j.eqns[next].in[0] != Atom{e.out} ||
        std::ranges::count(j.eqns[next].in, Atom{e.out}) != 1)
      continue;
    const Costs& n = costs_[next];
    c.update += std::min(n.update, n.search);
    c.search += std::min(n.update + (is_stored ? 0 : n.copy), n.search);
  }
}

bool is_last_use(const Program& p, const VarMap<int>& last, Atom a, size_t i) {
  return last.get(a, -1) == static_cast<int>(i) && std::ranges::count(p.j->eqns[i].in, a) == 1;
}

bool ends_as_carry(const Program& p, const VarMap<int>& last, int32_t v) {
  for (;;) {
    const int i = last[v];
    if (i == static_cast<int>(p.j->eqns.size())) return true;
    if (i < 0) return false;
    const size_t q = i;
    const Eqn& e = p.j->eqns[q];
    const Lowering& l = p.scope.lowering[q];
    if (!is_last_use(p, last, Atom{v}, q)) return false;
    const auto at = std::find(e.in.begin(), e.in.end(), Atom{v}) - e.in.begin();
    if (l.destination && at == 0)
      v = e.out;
    else if (const ValueRange carry = l.loop.operands().carry;
             l.form == Form::loop && carry.contains(at))
      v = e.out + static_cast<int32_t>(at - carry.first);
    else
      return false;
  }
}

bool UpdateForms::is_cheaper_as_update(size_t i, bool dies) const {
  const Costs& c = costs_[i];
  return c.updates && c.update + (dies ? 0 : c.copy) < c.search;
}

}  // namespace weft::compiler
