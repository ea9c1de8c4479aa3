// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/nests/lane_update.cpp: updates of arrays inside the lane, in place where nothing reads the
// old values later.
#include <algorithm>

#include "jit/nests/lane_writer.h"

namespace weft::compiler {

using I64v = num::Ir<int64_t>;
using Form = Lowering::Form;
using nest::Id;

// Returns the variables whose elements still have to be computed from those of `var` at equation i.
// They are computed where they are used.
VarMap<bool> LaneWriter::pending_dependents(const Frame& f, size_t i, int32_t var) const {
  VarMap<bool> dependents(*f.s->j, false);
  dependents[var] = true;
  for (size_t q = 0; q < i; ++q) {
    const Eqn& e = f.s->j->eqns[q];
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

// Returns true if operand k of equation i is a local array that may be overwritten. Nothing may
// read it after this equation, either directly or through deferred values.
bool LaneWriter::is_last_use(const Frame& f, size_t i, size_t k, VarMap<bool>* dependents) const {
  const Eqn& e = f.s->j->eqns[i];
  if (!f.analysis || e.in[k].is_literal()) return false;
  const int32_t var = e.in[k].index;
  if (f.location.kind(var) != ValueLocation::Kind::local ||
      std::count(e.in.begin(), e.in.end(), e.in[k]) != 1 || var < f.read_only_inputs)
    return false;
  *dependents = pending_dependents(f, i, var);
  const auto reads = [&](Atom a) { return dependents->get(a, false); };
  for (size_t q = i + 1; q < f.s->j->eqns.size(); ++q) {
    const auto& in = f.s->j->eqns[q].in;
    if (std::any_of(in.begin(), in.end(), reads)) return false;
  }
  return std::none_of(f.s->j->out.begin(), f.s->j->out.end(), reads);
}

// Computes the values that are deferred, depend on operand k of equation i, and are read by
// equation i or later. It does so if they are small compared to the operand, which may then be
// overwritten.
void LaneWriter::materialize_dependents(Frame& f, size_t i, size_t k) {
  const Atom a = f.s->j->eqns[i].in[k];
  if (!f.analysis || a.is_literal() || f.location.kind(a.index) != ValueLocation::Kind::local ||
      f.last[a] != i)
    return;
  const VarMap<bool> dependents = pending_dependents(f, i, a.index);
  std::vector<int32_t> readers;
  int64_t elements = 0;
  for (int32_t v = 0; v < dependents.size(); ++v) {
    const size_t last = f.last[v];
    if (v == a.index || !dependents[v] || last == Program::none || last < i) continue;
    readers.push_back(v);
    elements += inner_elements(f, v);
  }
  if (2 * elements > inner_elements(f, a.index)) return;
  for (int32_t v : readers) materialize(f, v);
}

// Writes the updates of equation i into its first operand, if possible. The updates read everything
// they need from it first.
bool LaneWriter::update_in_place(Frame& f, size_t i) {
  const Eqn& e = f.s->j->eqns[i];
  if (!f.s->lowering[i].destination) return false;
  materialize_dependents(f, i, 0);
  VarMap<bool> dependents;
  if (!is_last_use(f, i, 0, &dependents)) return false;
  const int64_t n = e.in[1].is_literal() ? 1 : inner_elements(f, e.in[1].index);
  const ValueLocation array = f.location[e.in[0].index];
  if (n <= small_) {
    std::vector<Update> all;
    for (int64_t k = 0; k < n; ++k)
      all.push_back(
          update_at(f, i, e.in[1].is_literal() ? Coords{} : coords_at(f, e.in[1].index, k)));
    for (const Update& u : all) apply_update(f, i, array.local, u);
  } else {
    for (size_t k = 1; k < e.in.size(); ++k)
      if (dependents.get(e.in[k], false)) return false;
    sequential_loop(n, [&](Id at) {
      apply_update(f, i, array.local, update_at(f, i, coords_of_flat(f, e.in[1].index, at)));
    });
  }
  f.location[e.out] = array;
  return true;
}

LaneWriter::Update LaneWriter::update_at(Frame& f, size_t i, const Coords& at) {
  const Eqn& e = f.s->j->eqns[i];
  EqnReader r(*this, f, e);
  const Lowering::Target target = f.s->lowering[i].destination(r, at);
  // Other lanes write the updates of their elements.
  num::Ir<bool> valid = num::Ir<bool>::at(target.valid);
  for (size_t a = 0; a < target.index.size(); ++a) {
    const int lane = grid_axis_of(f, e.out, static_cast<int>(a));
    if (lane < 0 || target.index[a] == grid_[lane]) continue;
    valid = num::both(valid, I64v::at(target.index[a]) == I64v::at(grid_[lane]));
  }
  return {inner_offset(f, e.out, target.index).id, valid.id, r.read(1, at)};
}

void LaneWriter::apply_update(const Frame& f, size_t i, const Elem& array, const Update& u) {
  const auto write = [&] {
    const Elem old = load_local(array, u.offset);
    store_local(array, u.offset, f.s->lowering[i].merge(b_, old, u.value));
  };
  bool valid = false;
  if (!num::Ir<bool>::at(u.valid).known(&valid)) return if_then(u.valid, write);
  if (valid) write();
}

}  // namespace weft::compiler
