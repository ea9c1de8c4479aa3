// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/nests/updates.cpp: updates of local arrays in place, and scatters into memory.
#include "jit/nests/updates.h"

#include <fmt/format.h>

#include "jit/nests/structured.h"
#include "jit/nests/value_uses.h"
#include "weft/error.h"

namespace weft::compiler {

using I64v = num::Ir<int64_t>;
using nest::Id;

bool Updates::update_in_place(Frame& f, size_t i) {
  const Eqn& e = f.eqn(i);
  const Lowering& l = f.lowering(i);
  if (!l.destination) return false;
  materializer_.materialize_dependents(f, i, 0);
  VarMap<bool> dependents;
  if (!is_last_use(f, i, 0, &dependents)) return false;
  const bool literal = e.in[1].is_literal();
  const int64_t n = literal ? 1 : f.lane_type(e.in[1].index).inner_elements();
  const ValueLocation array = f.location[e.in[0].index];
  if (n <= f.kernel->small) {
    std::vector<Update> all;
    for (int64_t k = 0; k < n; ++k)
      all.push_back(
          update_at(f, i, literal ? Coords{} : space_.coords_at(f.lane_type(e.in[1].index), k)));
    for (const Update& u : all) apply(l, array.local, u);
  } else {
    for (size_t k = 1; k < e.in.size(); ++k)
      if (dependents.get(e.in[k], false)) return false;
    const LaneType updates = f.lane_type(e.in[1].index);
    sequential_loop(b_, n, [&](Id at) {
      apply(l, array.local, update_at(f, i, space_.coords_of_flat(updates, at)));
    });
  }
  f.location[e.out] = array;
  return true;
}

Updates::Update Updates::update_at(Frame& f, size_t i, const Coords& at) {
  const Eqn& e = f.eqn(i);
  OperandReader r(elements_, f, e);
  const Lowering::Target target = f.lowering(i).destination(r, at);
  const LaneType t = f.lane_type(e.out);
  // Other lanes write the updates of their elements.
  num::Ir<bool> valid = num::Ir<bool>::at(target.valid);
  for (size_t a = 0; a < target.index.size(); ++a) {
    const int lane = t.grid_axis(static_cast<int>(a));
    if (lane < 0 || target.index[a] == space_.grid()[lane]) continue;
    valid = num::both(valid, I64v::at(target.index[a]) == I64v::at(space_.grid()[lane]));
  }
  return {space_.inner_offset(t, target.index).id, valid.id, r.read(1, at)};
}

void Updates::apply(const Lowering& l, const Elem& array, const Update& u) {
  const auto write = [&] {
    const Elem old = arrays_.load(array, u.offset);
    arrays_.store(array, u.offset, l.merge(b_, old, u.value));
  };
  bool valid = false;
  if (!num::Ir<bool>::at(u.valid).known(&valid)) return if_then(b_, u.valid, write);
  if (valid) write();
}

void Updates::scatter(Frame& program, size_t i, bool shared) {
  const Eqn& e = program.eqn(i);
  const Lowering& l = program.lowering(i);
  const Type u = program.s->j->type(e.in[1]);
  memory_.buffer_of(e.out, true);
  OperandReader r(elements_, program, e);
  if (l.unique_axes.size() != u.shape().size())
    throw InternalError(fmt::format("'{}' does not say which of its updates meet", e.op->name()));
  std::vector<int64_t> in_order;
  std::vector<size_t> axes;
  Coords at(u.shape().size());
  // If the elements of a row are disjoint, a vector processes several of them.
  const bool by_rows =
      !shared && !at.empty() && l.unique_axes.back() && u.shape()[u.ndim() - 1] >= min_vector_row;
  for (size_t a = 0, point = 0; a < at.size() - by_rows; ++a) {
    if (shared && l.unique_axes[a]) {
      at[a] = space_.grid()[point++];
    } else {
      in_order.push_back(u.shape()[static_cast<int64_t>(a)]);
      axes.push_back(a);
    }
  }
  const auto write = [&] {
    const Lowering::Target target = l.destination(r, at);
    const Elem update = r.read(1, at);
    if_then(b_, target.valid, [&] {
      const Elem old = memory_.load(e.out, target.index);
      memory_.store(e.out, target.index, l.merge(b_, old, update));
    });
  };
  int64_t updates = 1;
  for (int64_t extent : in_order) updates *= extent;
  sequential_loop(b_, updates, [&](Id n) {
    const Coords digits = axes.empty() ? Coords{} : space_.split(n, in_order);
    for (size_t k = 0; k < axes.size(); ++k) at[axes[k]] = digits[k];
    if (!by_rows) return write();
    vector_loop(b_, u.shape()[u.ndim() - 1], [&](Id i) {
      at.back() = i;
      write();
    });
  });
}

}  // namespace weft::compiler
