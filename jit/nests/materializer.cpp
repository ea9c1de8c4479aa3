// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/nests/materializer.cpp: computes values as scalars or in loops over elements.
#include "jit/nests/materializer.h"

#include "jit/nests/value_uses.h"

namespace weft::compiler {

void Materializer::materialize(Frame& f, int32_t var) {
  const LaneType t = f.lane_type(var);
  if (f.is_stored_in_array(var))
    return store_in_arrays(f, {var}, {fill_of(f, var, arrays_.create(t))});
  const int64_t n = t.inner_elements();
  std::vector<Elem> elems;
  for (int64_t k = 0; k < n; ++k) elems.push_back(elements_.read(f, {var}, space_.coords_at(t, k)));
  f.location[var] = {.kind = ValueLocation::Kind::scalars, .elems = std::move(elems)};
}

void Materializer::cache(Frame& program, int32_t var) {
  if (program.is_stored_in_array(var)) {
    const LaneType t = program.lane_type(var);
    const Elem array = arrays_.create(t);
    arrays_.element_loop(t.inner_extents(), [&](const Coords& inner) {
      const Coords c = space_.coords_with(t, inner);
      const Elem e = elements_.read(program, {var}, c);
      arrays_.store_at(array, t, c, e);
    });
    program.location[var] = {.kind = ValueLocation::Kind::local, .local = array};
  } else {
    materialize(program, var);
  }
  program.location[var].cached = true;
}

// Program order avoids recursion along chains.
void Materializer::materialize_deferred(Frame& f, size_t i) {
  const JaxprData& j = *f.s->j;
  VarMap<bool> needed(j, false), stored(j, false);
  for (auto it = f.deferred.rbegin(); it != f.deferred.rend(); ++it) {
    const Eqn& e = j.eqns[*it];
    bool any = false;
    for (int32_t v = e.out; v < e.out + e.n_out; ++v) {
      stored[v] = f.last[v] != Program::none && f.last[v] >= i && is_expensive_deferred(f, {v});
      needed[v] = needed[v] || stored[v];
      any = any || needed[v];
    }
    if (!any) continue;
    for (Atom a : e.in)
      if (!a.is_literal()) needed[a] = true;
  }
  std::vector<int32_t> vars;
  std::vector<ArrayFill> fills;
  for (size_t q : f.deferred)
    for (int32_t v = j.eqns[q].out; v < j.eqns[q].out + j.eqns[q].n_out; ++v) {
      if (!needed[v]) continue;
      vars.push_back(v);
      fills.push_back(fill_of(f, v, stored[v] ? arrays_.create(f.lane_type(v)) : Elem{}));
    }
  store_in_arrays(f, vars, fills);
  f.deferred.clear();
}

void Materializer::materialize_dependents(Frame& f, size_t i, size_t k) {
  const Atom a = f.eqn(i).in[k];
  const ValueLocation* p = a.is_literal() ? nullptr : f.location.find(a.index);
  if (!f.analysis || !p || !p->is_array() || f.last[a] != i) return;
  const bool fixed = p->fixed;
  const VarMap<bool> dependents = pending_dependents(f, i, a.index);
  std::vector<int32_t> readers;
  int64_t elements = 0;
  for (int32_t v = 0; v < dependents.size(); ++v) {
    const size_t last = f.last[v];
    if (v == a.index || !dependents[v] || last == Program::none || last < i) continue;
    readers.push_back(v);
    elements += f.lane_type(v).inner_elements();
  }
  if (!fixed && 2 * elements > f.lane_type(a.index).inner_elements()) return;
  for (int32_t v : readers) materialize(f, v);
}

void Materializer::store_in_arrays(Frame& f, const std::vector<int32_t>& vars,
                                   const std::vector<ArrayFill>& fills) {
  arrays_.fill(fills);
  for (size_t k = 0; k < fills.size(); ++k)
    if (fills[k].array.re != nest::no_id)
      f.location[vars[k]] = {.kind = ValueLocation::Kind::local, .local = fills[k].array};
}

ArrayFill Materializer::fill_of(Frame& f, int32_t var, const Elem& array) {
  return {array, f.lane_type(var),
          [this, &f, var](const Coords& at) { return elements_.read(f, {var}, at); },
          is_copy(f, {var})};
}

}  // namespace weft::compiler
