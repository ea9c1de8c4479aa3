// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/nests/lane_element_loops.cpp: large values inside the lane: which of them are stored, and
// loops over elements that compute several of them together.
//
// A large value is computed where it is read. In a body that is written equation by equation, large
// results are deferred. They are materialized before an equation reads an expensive one at another
// element than the one it computes. One loop then computes all deferred values that are read later
// and stores them in local arrays. Each equation is thus written once, or a few times if it is
// cheap. The number of elements and readers does not matter.
#include <algorithm>

#include "jit/fuse/region.h"
#include "jit/nests/lane_writer.h"

namespace weft::compiler {

using Form = Lowering::Form;
using nest::BlockId, nest::Id, nest::Kind;

// ---- local arrays

Elem LaneWriter::load_local(const Elem& array, Id at) {
  return {b_.local_load(array.re, at),
          array.im == nest::no_id ? nest::no_id : b_.local_load(array.im, at)};
}

void LaneWriter::store_local(const Elem& array, Id at, const Elem& e) {
  b_.local_store(array.re, at, e.re);
  if (array.im != nest::no_id) b_.local_store(array.im, at, e.im);
}

// Returns the body of a loop over indices.
BlockId LaneWriter::loop_body(const std::function<void(Id)>& each) {
  const BlockId body = b_.open({Kind::I64});
  each(b_.param(body, 0));
  b_.yield({});
  b_.leave();
  return body;
}

// Writes a sequential loop over 0 … n - 1.
void LaneWriter::sequential_loop(int64_t n, const std::function<void(Id)>& each) {
  const BlockId body = loop_body(each);
  b_.loop(b_.integer(0), b_.integer(n), 1, {}, body);
}

// The same, but its iterations may be the elements of a vector.
void LaneWriter::vector_loop(int64_t n, const std::function<void(Id)>& each) {
  const BlockId body = loop_body(each);
  b_.for_each(b_.integer(n), body);
}

// Loops over elements of these extents, which are independent, so a vector may run along them. If
// the last axis fills vectors by itself, vectors run only along it: contiguous reads are then
// visible.
void LaneWriter::element_loop(const std::vector<int64_t>& extents,
                              const std::function<void(const Coords&)>& each) {
  const size_t rows = along_rows_ && extents.size() > 1 && extents.back() >= min_vector_row
                          ? extents.size() - 1
                          : 0;
  const std::vector<int64_t> together(extents.begin() + static_cast<std::ptrdiff_t>(rows),
                                      extents.end());
  Coords at;  // of the enclosing rows
  const auto element = [&](Id i) {
    Coords all = at;
    for (Id digit : split(i, together)) all.push_back(digit);
    each(all);
  };
  const std::function<void()> nest = [&] {
    const int64_t n = Shape(together).elements();
    if (at.size() == rows)
      return along_rows_ ? vector_loop(n, element) : sequential_loop(n, element);
    sequential_loop(extents[at.size()], [&](Id i) {
      at.push_back(i);
      nest();
      at.pop_back();
    });
  };
  nest();
}

// Each side returns the values that it yields.
std::vector<Id> LaneWriter::branch(Id mask, const std::function<std::vector<Id>()>& then,
                                   const std::function<std::vector<Id>()>& otherwise) {
  BlockId blocks[2];
  for (int k : {0, 1}) {
    blocks[k] = b_.open_branch();
    b_.yield(k == 0 ? then() : otherwise());
    b_.leave();
  }
  return b_.branch(mask, blocks[0], blocks[1]);
}

void LaneWriter::if_then(Id mask, const std::function<void()>& then) {
  const std::vector<Id> none;
  branch(mask, [&] { return then(), none; }, [&] { return none; });
}

// Writes one loop for all fills with the same inner axes.
void LaneWriter::fill_locals(const std::vector<Fill>& fills) {
  std::map<std::vector<int64_t>, std::vector<const Fill*>> groups;
  for (const Fill& f : fills) groups[inner_extents(*f.frame, f.like)].push_back(&f);
  for (const auto& [extents, group] : groups) {
    const bool stores = std::any_of(group.begin(), group.end(),
                                    [](const Fill* f) { return f->array.re != nest::no_id; });
    if (!stores) continue;
    const auto fill = [&](const std::function<Coords(const Fill&)>& at) {
      std::vector<Elem> elems;
      for (const Fill* f : group) elems.push_back(f->value(at(*f)));
      for (size_t k = 0; k < group.size(); ++k)
        if (const Fill& f = *group[k]; f.array.re != nest::no_id)
          store_local(f.array, inner_offset(*f.frame, f.like, at(f)).id, elems[k]);
    };
    const int64_t n = inner_elements(*group[0]->frame, group[0]->like);
    if (n <= max_unrolled_copy && std::ranges::all_of(group, &Fill::is_copy))
      for (int64_t k = 0; k < n; ++k)
        fill([&](const Fill& f) { return coords_at(*f.frame, f.like, k); });
    else
      element_loop(extents, [&](const Coords& inner) {
        fill([&](const Fill& f) { return coords_with(*f.frame, f.like, inner); });
      });
  }
}

void LaneWriter::copy_locals(const std::vector<std::pair<Elem, Elem>>& to_from, int64_t n) {
  element_loop({n}, [&](const Coords& i) {
    for (const auto& [to, from] : to_from) store_local(to, i[0], load_local(from, i[0]));
  });
}

LaneWriter::Fill LaneWriter::fill_of(Frame& f, int32_t var, const Elem& array) {
  return {array, &f, var, [this, &f, var](const Coords& at) { return read(f, {var}, at); },
          is_copy(f, {var})};
}

// Computes all elements of large values here and stores them in the arrays of the fills.
void LaneWriter::materialize_in_arrays(Frame& f, const std::vector<Fill>& fills) {
  fill_locals(fills);
  for (const Fill& fill : fills)
    if (fill.array.re != nest::no_id)
      f.location[fill.like] = {.kind = ValueLocation::Kind::local, .local = fill.array};
}

// ---- deferred values

// Returns true if an element of `a` takes more than *budget instructions where it is read.
bool LaneWriter::is_expensive(const Frame& f, Atom a, int* budget) const {
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
  const Eqn& e = f.s->j->eqns[i];
  for (size_t k = 0; k < e.in.size(); ++k) {
    const bool unread = !access.reads[k].empty() && access.reads[k][0] == -2;
    if (!unread && is_expensive(f, e.in[k], budget)) return true;
  }
  return false;
}

// Returns true if elements of `a` are already stored somewhere.
bool LaneWriter::is_copy(const Frame& f, Atom a) const {
  int budget = 1;
  return !is_expensive(f, a, &budget);
}

bool LaneWriter::is_expensive_deferred(const Frame& f, Atom a) const {
  if (a.is_literal() || f.location.kind(a.index) != ValueLocation::Kind::pull ||
      inner_elements(f, a.index) <= small_)
    return false;
  int budget = max_recomputed_cost;
  return is_expensive(f, a, &budget);
}

// Returns true if equation i reads operand k at the inner index of the element that it computes (of
// its result, or of the terms that it folds).
bool LaneWriter::reads_same_element(const Frame& f, size_t i, size_t k) const {
  const Eqn& e = f.s->j->eqns[i];
  const Lowering& l = f.s->lowering[i];
  const std::vector<int>& reads = f.s->access[i].reads[k];
  const Shape& from = f.type(e.in[k].index).shape();
  const bool pull = l.form == Form::pull;
  const Shape& to = pull ? f.type(e.out).shape() : l.space;
  if (pull && inner_extents(f, e.in[k].index) != inner_extents(f, e.out)) return false;
  if (from.elements() != to.elements()) return false;
  int before = -1;
  for (int a = 0; a < from.ndim(); ++a) {
    if (from[a] == 1) continue;
    if (reads[a] <= before) return false;
    before = reads[a];
  }
  return true;
}

// Returns true if deferred values must be computed before equation i is written.
bool LaneWriter::must_materialize_deferred(const Frame& f, size_t i) const {
  const Eqn& e = f.s->j->eqns[i];
  const Lowering& l = f.s->lowering[i];
  // Long folds compute their terms inline, unless another equation reads the terms' operands.
  constexpr int64_t written_out = 16;
  int64_t terms = 1;
  for (int64_t a : l.axes) terms *= l.space[a];
  const bool fold = l.form == Form::reduce && terms > written_out;
  const bool same_element = (l.form == Form::pull && !l.destination) || fold;
  bool needed = false;
  for (size_t k = 0; k < e.in.size(); ++k) {
    if (!is_expensive_deferred(f, e.in[k])) continue;
    if (!same_element || !reads_same_element(f, i, k)) return true;
    needed = true;
  }
  if (!fold || !needed) return false;
  return std::any_of(f.deferred.begin(), f.deferred.end(), [&](size_t q) {
    const Eqn& w = f.s->j->eqns[q];
    for (int32_t v = w.out; v < w.out + w.n_out; ++v)
      if (f.last[v] > i && f.last[v] != Program::none && is_expensive_deferred(f, {v})) return true;
    return false;
  });
}

// Computes the deferred values that are expensive and read by equation i or later. Program order
// avoids recursion along chains.
void LaneWriter::materialize_deferred(Frame& f, size_t i) {
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
  std::vector<Fill> fills;
  for (size_t q : f.deferred)
    for (int32_t v = j.eqns[q].out; v < j.eqns[q].out + j.eqns[q].n_out; ++v) {
      if (!needed[v]) continue;
      fills.push_back(fill_of(f, v, stored[v] ? new_local(f, v) : Elem{}));
    }
  materialize_in_arrays(f, fills);
  f.deferred.clear();
}

// Binds inputs of a body to operands of equation i. They are read where they are. A large and
// expensive operand is computed here, so that the body does not recompute it.
void LaneWriter::bind_operands(Frame& f, size_t i, Frame& body, ValueRange inputs,
                               ValueRange operands) {
  std::vector<Fill> fills;
  for (int k = 0; k < inputs.size; ++k) {
    const Atom a = f.s->j->eqns[i].in[static_cast<size_t>(operands.first + k)];
    const int32_t var = inputs.first + k;
    int budget = max_recomputed_cost;
    if (inner_elements(body, var) <= small_ || !is_expensive(f, a, &budget)) {
      body.location[var] = {.kind = ValueLocation::Kind::alias, .outer = &f, .atom = a};
      continue;
    }
    const Elem array = new_local(body, var);
    body.location[var] = {.kind = ValueLocation::Kind::local, .local = array};
    fills.push_back(
        {array, &body, var, [this, &f, a](const Coords& at) { return read(f, a, at); }});
  }
  fill_locals(fills);
}

}  // namespace weft::compiler
