// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/fuse/region.cpp: walks from a value to the variables in memory that it is computed from.
#include "jit/fuse/region.h"

#include <algorithm>
#include <numeric>

#include "core/loops/fold_order.h"

namespace weft::compiler {

bool is_straight(const Lowering& l) {
  using Form = Lowering::Form;
  return l.form == Form::pull || l.form == Form::reduce || l.form == Form::contract ||
         is_short_running_fold(l);
}
bool is_straight(const Scope& s) {
  return std::ranges::all_of(s.lowering, [](const Lowering& l) { return is_straight(l); });
}
bool is_short_running_fold(const Lowering& l) {
  return l.form == Lowering::Form::prefix && l.space[l.axes[0]] <= fold_order::run_terms;
}

using Form = Lowering::Form;

int64_t terms_of(const Lowering& l) {
  int64_t n = 1;
  if (l.form == Form::reduce || l.form == Form::contract)
    for (int64_t a : l.axes) n *= l.space[a];
  return n;
}

bool is_short_fold(const Lowering& l) {
  return (l.form == Form::reduce || l.form == Form::contract) &&
         terms_of(l) <= fold_order::short_block;
}

Region::Region(const Program& p, std::function<bool(int32_t)> inlined, int most)
    : p_(p), inlined_(std::move(inlined)), most_(most) {}

void Region::add(int32_t v) {
  std::vector<int> axes(p_.j->types[v].ndim());
  std::iota(axes.begin(), axes.end(), 0);
  stack_.emplace_back(v, std::move(axes));
  drain();
}

void Region::add_equation(size_t i) {
  const Eqn& e = p_.j->eqns[i];
  const Lowering& l = p_.scope.lowering[i];
  if (!l.element) {
    for (Atom a : e.in)
      if (!a.is_literal()) add(a.index);
    return;
  }
  cost_ += p_.scope.access[i].cost;
  equations_.insert(i);
  const bool pull = l.form == Form::pull;
  const int rank = pull ? p_.j->types[e.out].ndim() : l.space.ndim();
  std::vector<int> axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  read_operands(i, axes);
  drain();
}

// Equation i is computed at an index whose axis a is axis axes[a] of the root.
void Region::read_operands(size_t i, const std::vector<int>& axes) {
  const Eqn& e = p_.j->eqns[i];
  for (size_t k = 0; k < e.in.size(); ++k) {
    if (e.in[k].is_literal()) continue;
    std::vector<int> read = p_.scope.access[i].reads[k];
    if (!read.empty() && read[0] == -2) continue;  // its elements are not read
    for (int& a : read)
      if (a >= 0) a = axes[a];
    stack_.emplace_back(e.in[k].index, std::move(read));
  }
}

void Region::drain() {
  while (!stack_.empty() && !full()) {
    const Read read = std::move(stack_.back());
    const auto& [v, axes] = read;
    stack_.pop_back();
    if (!inlined_(v)) {
      reads_.insert(read);
      continue;
    }
    const size_t i = p_.defining_eqn[v];
    bool known = true;
    const Shape& shape = p_.j->types[v].shape();
    for (size_t a = 0; a < axes.size(); ++a)
      known = known && (axes[a] != -1 || shape[static_cast<int64_t>(a)] == 1);
    if (known && !seen_.emplace(i, axes).second) continue;
    equations_.insert(i);
    cost_ += std::max(1, p_.scope.access[i].cost);
    read_operands(i, axes);
  }
  stack_.clear();
}

}  // namespace weft::compiler
