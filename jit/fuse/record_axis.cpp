// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/fuse/record_axis.cpp: follows the last axis of a value to equations that put parts together.
#include "jit/fuse/record_axis.h"

#include <algorithm>
#include <set>

#include "jit/fuse/region.h"

namespace weft::compiler {

namespace {
// Returns the number of operands that the equation puts next to each other along this axis.
int parts_along(const Program& p, size_t i, int axis) {
  const Eqn& e = p.j->eqns[i];
  const Shape& out = p.j->types[e.out].shape();
  const auto& reads = p.scope.access[i].reads;
  // An update of all elements at one index of the axis.
  if (p.scope.lowering[i].destination)
    return std::ranges::find(reads[1], axis) == reads[1].end() &&
           p.j->type(e.in[1]).elements() * out[axis] == out.elements();
  int parts = 0;
  for (size_t k = 0; k < e.in.size(); ++k) {
    const Shape& in = p.j->type(e.in[k]).shape();
    bool part = in.size() == out.size() && reads[k].size() == out.size();
    for (int a = 0; part && a < out.ndim(); ++a)
      part = a == axis ? reads[k][a] == -1 && in[a] < out[a] : reads[k][a] == a;
    parts += part;
  }
  return parts > 1 ? parts : 0;
}
}  // namespace

bool is_record(const Program& p, int32_t v, FunctionRef<bool(int32_t)> inlined) {
  const Shape& shape = p.j->types[v].shape();
  if (shape.ndim() == 0) return false;
  const int64_t row = shape[shape.ndim() - 1];
  if (row < 2 || row > max_unrolled_copy || shape.elements() < row * min_vector_row) return false;
  using VarAxis = std::pair<int32_t, int>;
  std::set<VarAxis> seen;
  int parts = 0;
  std::vector<VarAxis> stack{{v, shape.ndim() - 1}};
  while (!stack.empty()) {
    const VarAxis read = stack.back();
    stack.pop_back();
    if (!inlined(read.first) || !seen.insert(read).second) continue;
    const size_t i = p.defining_eqn[read.first];
    const Eqn& e = p.j->eqns[i];
    if (p.scope.access[i].reads.size() != e.in.size()) continue;
    parts += parts_along(p, i, read.second);
    if (parts > 1) return true;
    for (size_t k = 0; k < e.in.size(); ++k) {
      if (e.in[k].is_literal()) continue;
      const std::vector<int>& reads = p.scope.access[i].reads[k];
      for (size_t a = 0; a < reads.size(); ++a)
        if (reads[a] == read.second) stack.emplace_back(e.in[k].index, static_cast<int>(a));
    }
  }
  return false;
}

}  // namespace weft::compiler
