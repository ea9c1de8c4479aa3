// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/nests/updates.cpp: updates of arrays in place, and scatters into memory.
#include "jit/nests/updates.h"

#include <fmt/format.h>

#include <algorithm>

#include "jit/nests/structured.h"
#include "jit/nests/value_uses.h"
#include "weft/error.h"

namespace weft::compiler {

using I64v = num::Ir<int64_t>;
using nest::Id;

namespace {
// Above this number of instructions for an element, with the updates before it that are searched,
// an array is copied. Readers of few elements are faster with the search.
constexpr int max_searched_cost = 24;
// The same for all elements of a small array.
constexpr int64_t max_searched_code = 2000;
// Shorter rows of a scatter are written element by element. A vector that is stored partly cannot
// be read at once by the next update of the same row.
constexpr int64_t min_scattered_row = 8;
}  // namespace

bool Updates::update_in_place(Frame& f, size_t i) {
  const Eqn& e = f.eqn(i);
  if (!f.lowering(i).destination) return false;
  materializer_.materialize_dependents(f, i, 0);
  VarMap<bool> dependents;
  if (!is_last_use(f, i, 0, &dependents)) return false;
  for (size_t k = 1; k < e.in.size() && !has_few_updates(f, i); ++k)
    if (dependents.get(e.in[k], false)) return false;
  const ValueLocation array = f.location[e.in[0].index];
  write_updates(f, i, array);
  f.location[e.out] = array;
  return true;
}

bool Updates::update_copy(Frame& f, size_t i) {
  const Eqn& e = f.eqn(i);
  if (!f.analysis || !f.lowering(i).destination) return false;
  const LaneType t = f.lane_type(e.out);
  int budget = f.is_large(e.out)
                   ? max_searched_cost
                   : static_cast<int>(max_searched_code / std::max<int64_t>(t.inner_elements(), 1));
  if (!is_expensive(f, Atom{e.out}, &budget)) return false;
  const ValueLocation array{.kind = ValueLocation::Kind::local, .local = arrays_.create(t)};
  arrays_.fill({{array.local, t, [&](const Coords& at) { return elements_.read(f, e.in[0], at); },
                 is_copy(f, e.in[0])}});
  write_updates(f, i, array);
  f.location[e.out] = array;
  return true;
}

bool Updates::has_few_updates(const Frame& f, size_t i) const {
  const Atom updates = f.eqn(i).in[1];
  return updates.is_literal() || f.lane_type(updates.index).inner_elements() <= f.kernel->small;
}

// Writes the updates of equation i. If they are few, all of them are read before the first one is
// written.
void Updates::write_updates(Frame& f, size_t i, const ValueLocation& array) {
  const Eqn& e = f.eqn(i);
  const Lowering& l = f.lowering(i);
  if (e.in[1].is_literal()) return apply(l, array, update_at(f, i, {}));
  if (!has_few_updates(f, i)) return write_many(f, i, array);
  const LaneType updates = f.lane_type(e.in[1].index);
  std::vector<Update> all;
  for (int64_t k = 0; k < updates.inner_elements(); ++k)
    all.push_back(update_at(f, i, space_.coords_at(updates, k)));
  for (const Update& u : all) apply(l, array, u);
}

// Writes many updates, in vectors if they go to different elements.
void Updates::write_many(Frame& f, size_t i, const ValueLocation& array) {
  const Lowering& l = f.lowering(i);
  const LaneType updates = f.lane_type(f.eqn(i).in[1].index);
  const auto write = [&](const Coords& at) { apply(l, array, update_at(f, i, at)); };
  const std::vector<int> inner_axes = updates.inner_axes();
  if (std::ranges::all_of(inner_axes,
                          [&](int a) { return l.unique_axes[a] || updates.shape()[a] == 1; }))
    return arrays_.element_loop(updates.inner_extents(), [&](const Coords& inner) {
      write(space_.coords_with(updates, inner));
    });
  sequential_loops(b_, updates.inner_extents(),
                   [&](const Coords& inner) { write(space_.coords_with(updates, inner)); });
}

Updates::Update Updates::update_at(Frame& f, size_t i, const Coords& at) {
  const Eqn& e = f.eqn(i);
  OperandReader r(elements_, f, e);
  Lowering::Target target = f.lowering(i).destination(r, at);
  const LaneType t = f.lane_type(e.out);
  // Other lanes write the updates of their elements.
  num::Ir<bool> valid = num::Ir<bool>::at(target.valid);
  for (size_t a = 0; a < target.index.size(); ++a) {
    const int lane = t.grid_axis(static_cast<int>(a));
    if (lane < 0 || target.index[a] == space_.grid()[lane]) continue;
    valid = num::both(valid, I64v::at(target.index[a]) == I64v::at(space_.grid()[lane]));
    target.index[a] = space_.grid()[lane];
  }
  const nest::Id offset = space_.inner_offset(t, target.index).id;
  return {std::move(target.index), offset, valid.id, r.read(1, at)};
}

void Updates::apply(const Lowering& l, const ValueLocation& array, const Update& u) {
  const auto write = [&] {
    if (array.kind == ValueLocation::Kind::buffer) {
      const Elem old = memory_.load(array.buffer, u.index);
      return memory_.store(array.buffer, u.index, l.merge(b_, old, u.value));
    }
    const Elem old = arrays_.load(array.local, u.offset);
    arrays_.store(array.local, u.offset, l.merge(b_, old, u.value));
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
  Coords at(u.shape().size());
  // The axes of a row are one, which the last coordinate counts. If the elements of a row are
  // disjoint, a vector processes several of them.
  size_t row_axes = shared ? 0 : contiguous_update_axes(l, program.s->j->in_types(e));
  const bool contiguous = row_axes > 0;
  if (!contiguous && !shared && !at.empty() && l.unique_axes.back()) row_axes = 1;
  const size_t first_of_row = at.size() - row_axes;
  int64_t row = 1;
  for (size_t a = first_of_row; a < at.size(); ++a) row *= u.shape()[static_cast<int64_t>(a)];
  std::vector<size_t> in_order;  // axes whose updates are applied one after another
  std::vector<int64_t> extents;  // of these axes
  for (size_t a = 0, point = 0; a < first_of_row; ++a) {
    if (shared && l.unique_axes[a]) {
      at[a] = space_.grid()[point++];
    } else {
      in_order.push_back(a);
      extents.push_back(u.shape()[static_cast<int64_t>(a)]);
    }
  }
  // All elements of a row have the same condition: their window is inside.
  const auto write = [&](Id row_valid) {
    const Lowering::Target target = l.destination(r, at);
    const Elem update = r.read(1, at);
    const auto store = [&] {
      const Elem old = memory_.load(e.out, target.index);
      memory_.store(e.out, target.index, l.merge(b_, old, update));
    };
    if (target.valid == row_valid) return store();
    if_then(b_, target.valid, store);
  };
  sequential_loops(b_, extents, [&](const Coords& n) {
    for (size_t k = 0; k < n.size(); ++k) at[in_order[k]] = n[k];
    for (size_t a = first_of_row; a < at.size(); ++a) at[a] = b_.integer(0);
    if (!contiguous && row_axes == 0) return write(nest::no_id);
    const Id valid = contiguous ? l.destination(r, at).valid : nest::no_id;
    const auto write_row = [&](Id i) {
      at.back() = i;
      write(valid);
    };
    const auto write_all = [&] {
      if (row < min_scattered_row) return sequential_loop(b_, row, write_row);
      vector_loop(b_, row, write_row);
    };
    if (contiguous) return if_then(b_, valid, write_all);
    write_all();
  });
}

}  // namespace weft::compiler
