// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/fuse/cuts.cpp: compares the values that an equation computes inline by size and code.
#include "jit/fuse/cuts.h"

#include <algorithm>
#include <set>
#include <unordered_set>
#include <utility>

#include "core/loops/platform.h"
#include "jit/fuse/region.h"

namespace weft::compiler {

std::vector<int32_t> cuts_of(const Program& p, size_t i,
                             const std::function<bool(int32_t)>& inlined, int64_t most_bytes,
                             int64_t cost) {
  struct Cut {
    int32_t v;
    int64_t bytes;
    int cost;
    std::set<size_t> code;  // equations
  };
  std::vector<Cut> cuts;
  std::unordered_set<int32_t> seen;
  std::vector<int32_t> stack;
  const auto push = [&](const Eqn& e) {
    for (Atom a : e.in)
      if (!a.is_literal() && inlined(a.index) && seen.insert(a.index).second)
        stack.push_back(a.index);
  };
  push(p.j->eqns[i]);
  int most = 0;
  while (!stack.empty()) {
    const int32_t v = stack.back();
    stack.pop_back();
    Region r(p, inlined, long_kernel);
    r.add(v);
    most = std::max(most, r.cost());
    if (r.cost() * 2 < most) continue;  // its operands have even less code
    const int64_t bytes = p.j->types[v].bytes();
    if (bytes <= most_bytes) cuts.push_back({v, bytes, r.cost(), r.equations()});
    push(p.j->eqns[p.defining_eqn[v]]);
  }
  std::erase_if(cuts, [&](const Cut& c) { return c.cost * 2 < most; });
  std::ranges::stable_sort(cuts, {}, [](const Cut& c) { return std::pair(c.bytes, -c.cost); });
  std::vector<int32_t> chosen;
  std::unordered_set<size_t> taken;
  const auto is_taken = [&](size_t e) { return taken.contains(e); };
  for (const Cut& c : cuts) {
    cost -= c.cost;
    const bool equal = c.bytes == cuts[0].bytes && c.cost == most && cuts[0].cost == most;
    if (!chosen.empty() && (cost < 0 || !equal || std::ranges::any_of(c.code, is_taken))) break;
    taken.insert(c.code.begin(), c.code.end());
    chosen.push_back(c.v);
  }
  return chosen;
}

VarMap<bool> repeated_values(const Program& p) {
  const JaxprData& j = *p.j;
  VarMap<bool> repeated(j, false);
  for (size_t i = j.eqns.size(); i-- > 0;) {
    const Eqn& e = j.eqns[i];
    if (p.scope.lowering[i].form != Lowering::Form::pull || e.n_out == 0) continue;
    for (Atom a : e.in)
      if (!a.is_literal() &&
          (repeated[e.out] || j.types[e.out].elements() > j.types[a.index].elements()))
        repeated[a] = true;
  }
  return repeated;
}

bool pays_apart_from_rows(const Type& v, int64_t cost) {
  // The fold's results are written and read, and a vector instruction is worth one for an element.
  const int64_t apart = kernel_cost + 2 * byte_cost * v.bytes();
  return is_host_platform() && cost * v.elements() * (min_vector_row - 1) > apart;
}

}  // namespace weft::compiler
