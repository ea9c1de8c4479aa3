// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/fuse/scan_output.cpp: finds the transpose that alone reads a result of a loop.
#include "jit/fuse/scan_output.h"

#include <algorithm>

namespace weft::compiler {

ScanOutput scan_output(const Program& p, const VarMap<int>& last, int32_t v) {
  const JaxprData& j = *p.j;
  ScanOutput s{v, v, {}};
  for (int a = 0; a < j.types[v].ndim(); ++a) s.axes.push_back(a);
  const size_t i = last[v];
  if (last[v] < 0 || i >= j.eqns.size()) return s;
  const auto reads = [&](const Eqn& e) {
    return std::find(e.in.begin(), e.in.end(), Atom{v}) != e.in.end();
  };
  const Eqn& e = j.eqns[i];
  const Access& access = p.scope.access[i];
  if (!access.moves || std::count_if(j.eqns.begin(), j.eqns.end(), reads) != 1) return s;
  std::vector<int> axes = access.reads[0];
  std::ranges::sort(axes);
  if (axes != s.axes || j.types[e.out].ndim() != j.types[v].ndim()) return s;
  return {v, e.out, access.reads[0]};
}

}  // namespace weft::compiler
