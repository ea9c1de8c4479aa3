// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/nests/outputs.cpp: stores variables of the program, and results that are written by steps.
#include "jit/nests/outputs.h"

#include "jit/nests/structured.h"
#include "jit/nests/value_uses.h"

namespace weft::compiler {

using I64v = num::Ir<int64_t>;

Elem Outputs::begin_steps(Frame& f, int32_t var) {
  const bool in_memory = f.is_stored_by_step(var);
  const Elem array = in_memory ? Elem{} : arrays_.create(f.lane_type(var));
  const auto kind = in_memory ? ValueLocation::Kind::unset : ValueLocation::Kind::local;
  f.location[var] = {.kind = kind, .local = array};
  return array;
}

void Outputs::store_step(const Frame& f, int32_t var, const Elem& array, const Coords& at,
                         const Elem& e) {
  if (array.re == nest::no_id) return memory_.store(var, at, e);
  arrays_.store_at(array, f.lane_type(var), at, e);
}

void Outputs::store(Frame& program, int32_t var) {
  const LaneType t = program.lane_type(var);
  const auto store_at = [&](const Coords& c) {
    memory_.store(var, c, elements_.read(program, {var}, c));
  };
  // A value without a grid axis is the same in all lanes of that axis, so only the first one writes
  // it.
  num::Ir<bool> first(true);
  bool missing = false;
  for (size_t g = 0; g < space_.grid().size(); ++g) {
    bool has = false;
    for (int a = 0; a < t.shape().ndim(); ++a) has = has || t.grid_axis(a) == static_cast<int>(g);
    if (has) continue;
    missing = true;
    first = first & (I64v::at(space_.grid()[g]) == I64v(0));
  }
  const int64_t n = t.inner_elements();
  const auto store_all = [&] {
    const KernelShape& shape = *program.kernel;
    const bool few = n <= shape.small ||
                     (!shape.along_rows && n <= max_unrolled_copy && is_copy(program, {var}));
    if (!few)
      return arrays_.element_loop(t.inner_extents(),
                                  [&](const Coords& c) { store_at(space_.coords_with(t, c)); });
    for (int64_t k = 0; k < n; ++k) store_at(space_.coords_at(t, k));
  };
  missing ? if_then(b_, first.id, store_all) : store_all();
}

}  // namespace weft::compiler
