// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/fuse/fold_layout.cpp: compares the layouts of a fold by the memory that it reads.
#include "jit/fuse/fold_layout.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "core/loops/fold_order.h"
#include "core/loops/platform.h"
#include "jit/fuse/region.h"

namespace weft::compiler {
namespace {

constexpr int64_t long_row = 64;  // from this reduced extent on, the terms of a fold fill vectors

bool is_folded(const Lowering& l, int axis) {
  return std::find(l.axes.begin(), l.axes.end(), axis) != l.axes.end();
}

// The elements of the values in memory that a fold reads, by the axis along which they are
// contiguous.
struct Reads {
  int64_t along_result = 0, along_terms = 0;
};

Reads reads_of(const Program& p, size_t i, const std::function<bool(int32_t)>& inlined) {
  const JaxprData& j = *p.j;
  const Lowering& l = p.scope.lowering[i];
  int last = static_cast<int>(l.space.ndim()) - 1;
  while (last >= 0 && is_folded(l, last)) --last;
  Reads found;
  // Variables, and for each of their axes the axis of the terms that indexes it.
  std::vector<std::pair<int32_t, std::vector<int>>> stack;
  std::set<int32_t> seen;
  const auto push = [&](size_t q, const std::vector<int>* axes) {
    for (size_t k = 0; k < j.eqns[q].in.size(); ++k) {
      const Atom a = j.eqns[q].in[k];
      if (a.is_literal() || !seen.insert(a.index).second) continue;
      std::vector<int> read = p.scope.access[q].reads[k];
      for (int& r : read) r = r < 0 || !axes ? r : (*axes)[r];
      stack.emplace_back(a.index, std::move(read));
    }
  };
  push(i, nullptr);
  while (!stack.empty()) {
    const auto [v, axes] = std::move(stack.back());
    stack.pop_back();
    if (inlined(v)) {
      push(p.defining_eqn[v], &axes);
    } else if (!axes.empty() && axes.back() >= 0) {
      if (axes.back() == last) found.along_result += j.types[v].elements();
      if (is_folded(l, axes.back())) found.along_terms += j.types[v].elements();
    }
  }
  return found;
}

// Returns true if the folded axes are the last ones, so that terms are read along rows.
bool folds_last_axes(const Lowering& l) {
  const auto n = static_cast<int64_t>(l.axes.size());
  for (int64_t k = 0; k < n; ++k)
    if (l.axes[k] != l.space.ndim() - n + k) return false;
  return true;
}

}  // namespace

bool is_short_row(int64_t elements) {
  return elements > fold_order::short_block && elements < long_row;
}

FoldLayout fold_layout(const Program& p, size_t i, const std::function<bool(int32_t)>& inlined) {
  const Lowering& l = p.scope.lowering[i];
  const int64_t terms = terms_of(l);
  if (terms <= fold_order::short_block || !folds_last_axes(l) || l.in_order)
    return FoldLayout::points;
  const Reads reads = reads_of(p, i, inlined);
  if (reads.along_result > reads.along_terms) return FoldLayout::points;
  // A term of a product is one multiply-add, which costs less than the copy of a short row.
  if (terms >= long_row || l.form == Lowering::Form::contract) return FoldLayout::rows;
  return is_host_platform() && reads.along_terms > 0 ? FoldLayout::short_rows : FoldLayout::points;
}

}  // namespace weft::compiler
