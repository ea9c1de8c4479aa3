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

// From this reduced extent on, the terms of a fold fill vectors, if each result has its own row.
constexpr int64_t vector_row = 32;
// From this one on they always do, and on a GPU a warp.
constexpr int64_t long_row = 64;
// Instructions for each result. More of them, one result after the other, take longer than the copy
// of a short row.
constexpr int64_t most_of_result = 64;

bool is_folded(const Lowering& l, int axis) {
  return std::find(l.axes.begin(), l.axes.end(), axis) != l.axes.end();
}

// The elements of the values in memory that a fold reads, by the axis along which they are
// contiguous.
struct Reads {
  int64_t along_result = 0, along_terms = 0;
  bool own_rows = false;  // neighbouring results read different rows
  int64_t cost = 0;       // of the code of a term
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
    found.cost += p.scope.access[q].cost;
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
      if (!is_folded(l, axes.back())) continue;
      found.along_terms += j.types[v].elements();
      found.own_rows |= last >= 0 && std::ranges::find(axes, last) != axes.end();
    }
  }
  return found;
}

// Folds and elementwise equations that compute something from the results of equation i.
struct Followers {
  bool rows = false;   // some of it has more elements, as those of rows
  bool pairs = false;  // some of it is computed for each pair of elements of a row
  int64_t cost = 0;    // of the code for each result, which vectors along rows do not share
};

Followers followers_of(const Program& p, size_t i) {
  using Form = Lowering::Form;
  const JaxprData& j = *p.j;
  const auto elements = [&](size_t q) {
    int64_t n = 0;
    for (int32_t v = j.eqns[q].out; v < j.eqns[q].out + j.eqns[q].n_out; ++v)
      n = std::max(n, j.types[v].elements());
    return n;
  };
  Followers found;
  std::set<size_t> all{i};
  for (size_t q = i + 1; q < j.eqns.size(); ++q) {
    const Form form = p.scope.lowering[q].form;
    const auto follows = [&](const Atom& a) {
      return !a.is_literal() && all.contains(p.defining_eqn[a.index]);
    };
    if ((form != Form::pull && form != Form::reduce) || !std::ranges::any_of(j.eqns[q].in, follows))
      continue;
    all.insert(q);
    found.pairs |= p.scope.lowering[q].space.elements() > p.scope.lowering[i].space.elements();
    if (elements(q) > elements(i))
      found.rows = true;
    else if (form == Form::pull)
      found.cost += p.scope.access[q].cost;
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
  if (!is_host_platform() || reads.along_terms == 0) return FoldLayout::points;
  if (!reads.own_rows) return FoldLayout::short_rows;
  const Followers followers = followers_of(p, i);
  if (followers.pairs || followers.cost > most_of_result) return FoldLayout::short_rows;
  // A fold alone moves its row only once, so that half empty vectors cost less than the copy.
  const bool alone = !followers.rows && reads.cost <= max_recomputed_cost;
  return terms >= vector_row || alone ? FoldLayout::rows : FoldLayout::short_rows;
}

}  // namespace weft::compiler
