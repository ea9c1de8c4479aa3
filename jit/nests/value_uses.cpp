// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/nests/value_uses.cpp: costs of values where they are read, and last uses of arrays.
#include "jit/nests/value_uses.h"

#include <algorithm>

namespace weft::compiler {

using Form = Lowering::Form;

bool is_expensive(const Frame& f, Atom a, int* budget) {
  if (a.is_literal()) return false;
  const int32_t var = a.index;
  const ValueLocation* p = f.location.find(var);
  if (p && (p->kind == ValueLocation::Kind::alias || p->kind == ValueLocation::Kind::row))
    return is_expensive(*p->outer, p->atom, budget);
  if (f.location.kind(var) != ValueLocation::Kind::pull) return --*budget < 0;
  const size_t i = p ? p->eqn : (*f.location.defining_eqn)[var];
  const Access& access = f.s->access[i];
  *budget -= std::max(1, access.cost);
  if (*budget < 0) return true;
  const Eqn& e = f.eqn(i);
  for (size_t k = 0; k < e.in.size(); ++k) {
    const bool unread = !access.reads[k].empty() && access.reads[k][0] == -2;
    if (!unread && is_expensive(f, e.in[k], budget)) return true;
  }
  return false;
}

bool is_copy(const Frame& f, Atom a) {
  int budget = 1;
  return !is_expensive(f, a, &budget);
}

bool is_expensive_deferred(const Frame& f, Atom a) {
  if (a.is_literal() || f.location.kind(a.index) != ValueLocation::Kind::pull ||
      !f.is_large(a.index))
    return false;
  int budget = max_recomputed_cost;
  return is_expensive(f, a, &budget);
}

namespace {
// Returns true if equation i reads operand k at the inner index of the element that it computes (of
// its result, or of the terms that it folds).
bool reads_same_element(const Frame& f, size_t i, size_t k) {
  const Eqn& e = f.eqn(i);
  const Lowering& l = f.lowering(i);
  const std::vector<int>& reads = f.s->access[i].reads[k];
  const Shape& from = f.type(e.in[k].index).shape();
  const bool pull = l.form == Form::pull;
  const Shape& to = pull ? f.type(e.out).shape() : l.space;
  if (pull && f.lane_type(e.in[k].index).inner_extents() != f.lane_type(e.out).inner_extents())
    return false;
  if (from.elements() != to.elements()) return false;
  int before = -1;
  for (int a = 0; a < from.ndim(); ++a) {
    if (from[a] == 1) continue;
    if (reads[a] <= before) return false;
    before = reads[a];
  }
  return true;
}
}  // namespace

bool must_materialize_deferred(const Frame& f, size_t i) {
  const Eqn& e = f.eqn(i);
  const Lowering& l = f.lowering(i);
  // Long folds compute their terms inline, unless another equation reads the terms' operands.
  constexpr int64_t written_out = 16;
  const bool fold = l.form == Form::reduce && terms_of(l) > written_out;
  const bool same_element = (l.form == Form::pull && !l.destination) || fold;
  bool needed = false;
  for (size_t k = 0; k < e.in.size(); ++k) {
    if (!is_expensive_deferred(f, e.in[k])) continue;
    if (!same_element || !reads_same_element(f, i, k)) return true;
    needed = true;
  }
  if (!fold || !needed) return false;
  return std::any_of(f.deferred.begin(), f.deferred.end(), [&](size_t q) {
    const Eqn& w = f.eqn(q);
    for (int32_t v = w.out; v < w.out + w.n_out; ++v)
      if (f.last[v] > i && f.last[v] != Program::none && is_expensive_deferred(f, {v})) return true;
    return false;
  });
}

VarMap<bool> pending_dependents(const Frame& f, size_t i, int32_t var) {
  VarMap<bool> dependents(*f.s->j, false);
  dependents[var] = true;
  for (size_t q = 0; q < i; ++q) {
    const Eqn& e = f.eqn(q);
    const bool reads =
        std::any_of(e.in.begin(), e.in.end(), [&](Atom a) { return dependents.get(a, false); });
    if (!reads) continue;
    for (int32_t k = 0; k < e.n_out; ++k) {
      const auto kind = f.location.kind(e.out + k);
      if (kind == ValueLocation::Kind::pull || kind == ValueLocation::Kind::alias)
        dependents[e.out + k] = true;
    }
  }
  return dependents;
}

bool is_last_use(const Frame& f, size_t i, size_t k, VarMap<bool>* dependents) {
  const Eqn& e = f.eqn(i);
  if (!f.analysis || e.in[k].is_literal()) return false;
  const int32_t var = e.in[k].index;
  const ValueLocation* p = f.location.find(var);
  if (!p || !p->is_array() || std::count(e.in.begin(), e.in.end(), e.in[k]) != 1 ||
      var < f.read_only_inputs)
    return false;
  *dependents = pending_dependents(f, i, var);
  const auto reads = [&](Atom a) { return dependents->get(a, false); };
  for (size_t q = i + 1; q < f.s->j->eqns.size(); ++q) {
    const auto& in = f.eqn(q).in;
    if (std::any_of(in.begin(), in.end(), reads)) return false;
  }
  return std::none_of(f.s->j->out.begin(), f.s->j->out.end(), reads);
}

bool can_reuse_array(const Frame& f, size_t i, size_t k) {
  VarMap<bool> dependents;
  if (!is_last_use(f, i, k, &dependents)) return false;
  const ValueRange carry = f.lowering(i).loop.operands().carry;
  const auto& in = f.eqn(i).in;
  for (size_t q = 0; q < in.size(); ++q)
    if (q != k && !carry.contains(static_cast<int64_t>(q)) && !in[q].is_literal() &&
        dependents[static_cast<size_t>(in[q].index)])
      return false;
  return true;
}

}  // namespace weft::compiler
