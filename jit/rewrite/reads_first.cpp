// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/rewrite/reads_first.cpp: sorts equations so that updates follow the reads of their array.
#include "jit/rewrite/reads_first.h"

#include <algorithm>
#include <queue>

#include "core/defining_eqns.h"
#include "core/effects.h"
#include "core/jaxpr_builder.h"
#include "core/loops/axis_classes.h"

namespace weft::compiler {
namespace {

using Edges = std::vector<std::vector<size_t>>;  // by equation: those that must follow it

bool reads(const Eqn& e, Atom a) { return std::ranges::count(e.in, a) > 0; }

// Returns true if equation i is an update of an array that later equations read, or that is a
// result.
bool is_early_update(const JaxprData& j, const VarMap<size_t>& last_reader, size_t i) {
  const Eqn& e = j.eqns[i];
  if (e.n_out != 1 || e.in.size() < 2 || e.in[0].is_literal() ||
      j.type(e.in[0]).shape() != j.types[e.out].shape())
    return false;
  if (last_reader[e.in[0]] <= i) return false;
  const Lowering l = lower_equation(j, e);
  return l.form == Lowering::Form::pull && l.destination;
}

// Returns which equations depend on equation i.
std::vector<bool> dependents(const Edges& below, size_t i) {
  std::vector<bool> found(below.size(), false);
  std::vector<size_t> stack{i};
  while (!stack.empty()) {
    const size_t q = stack.back();
    stack.pop_back();
    for (size_t r : below[q])
      if (!found[r]) {
        found[r] = true;
        stack.push_back(r);
      }
  }
  return found;
}

// Returns the equations in an order that obeys the edges and otherwise changes little.
std::vector<size_t> sorted(const Edges& below) {
  std::vector<int> before(below.size(), 0);
  for (const auto& all : below)
    for (size_t q : all) ++before[q];
  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
  for (size_t i = 0; i < below.size(); ++i)
    if (before[i] == 0) ready.push(i);
  std::vector<size_t> order;
  while (!ready.empty()) {
    const size_t i = ready.top();
    ready.pop();
    order.push_back(i);
    for (size_t q : below[i])
      if (--before[q] == 0) ready.push(q);
  }
  return order;
}

// Returns the order of the equations, or an empty list if it does not change.
std::vector<size_t> new_order(const JaxprData& j) {
  const size_t n = j.eqns.size();
  const VarMap<size_t> last_reader = last_readers(j);
  std::vector<size_t> updates;
  for (size_t i = 0; i < n; ++i) {
    if (is_barrier(j.eqns[i]) || effect_of(j.eqns[i]) == Effect::ordered) return {};
    if (is_early_update(j, last_reader, i)) updates.push_back(i);
  }
  if (updates.empty()) return {};
  const VarMap<size_t> defining = defining_eqns(j);
  Edges below(n);
  for (size_t i = 0; i < n; ++i)
    for (Atom a : j.eqns[i].in)
      if (const size_t from = defining.get(a, no_equation); from != no_equation)
        below[from].push_back(i);
  bool moved = false;
  for (size_t u : updates) {
    const std::vector<bool> later = dependents(below, u);
    // If a read depends on the update, the array is copied in any case.
    std::vector<size_t> readers;
    bool copied = std::ranges::count(j.out, j.eqns[u].in[0]) > 0;
    for (size_t q = u + 1; q < n; ++q) {
      if (!reads(j.eqns[q], j.eqns[u].in[0])) continue;
      copied = copied || later[q];
      readers.push_back(q);
    }
    if (copied) continue;
    for (size_t q : readers) below[q].push_back(u);
    moved = true;
  }
  return moved ? sorted(below) : std::vector<size_t>();
}

}  // namespace

Jaxpr reads_first(const Jaxpr& j) {
  const std::vector<size_t> order = new_order(*j);
  const auto holds_programs = [](const Eqn& e) { return !inner_programs(e.params).empty(); };
  if (order.empty() && std::ranges::none_of(j->eqns, holds_programs)) return j;
  JaxprBuilder b(*j);
  b.copy_inputs();
  for (size_t i = 0; i < j->eqns.size(); ++i) {
    const Eqn& e = j->eqns[order.empty() ? i : order[i]];
    Eqn& copy = b.copy(e);
    if (holds_programs(e))
      copy.params = with_programs(e, [](const Jaxpr& body) { return reads_first(body); });
  }
  return b.finish(j->out);
}

}  // namespace weft::compiler
