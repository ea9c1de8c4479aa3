// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/nests/lane_arrays.cpp: arrays of a lane, and loops over elements that compute several of
// them together.
#include "jit/nests/lane_arrays.h"

#include <algorithm>
#include <map>

#include "jit/fuse/region.h"
#include "jit/nests/structured.h"

namespace weft::compiler {

using nest::Id;

Elem LaneArrays::create(const LaneType& t) {
  const DType d = t.dtype();
  const nest::Kind kind = nest::loaded_kind(storage_of(d));
  const int64_t n = std::max<int64_t>(t.inner_elements(), 1);
  return {b_.local(kind, n), components(d) == 2 ? b_.local(kind, n) : nest::no_id};
}

Elem LaneArrays::load(const Elem& array, Id at) {
  return {b_.local_load(array.re, at),
          array.im == nest::no_id ? nest::no_id : b_.local_load(array.im, at)};
}

void LaneArrays::store(const Elem& array, Id at, const Elem& e) {
  b_.local_store(array.re, at, e.re);
  if (array.im != nest::no_id) b_.local_store(array.im, at, e.im);
}

Elem LaneArrays::load_at(const Elem& array, const LaneType& t, const Coords& at) {
  return load(array, space_.inner_offset(t, at).id);
}

void LaneArrays::store_at(const Elem& array, const LaneType& t, const Coords& at, const Elem& e) {
  store(array, space_.inner_offset(t, at).id, e);
}

void LaneArrays::copy(const std::vector<std::pair<Elem, Elem>>& to_from, int64_t n) {
  element_loop({n}, [&](const Coords& i) {
    for (const auto& [to, from] : to_from) store(to, i[0], load(from, i[0]));
  });
}

void LaneArrays::fill(const std::vector<ArrayFill>& fills) {
  std::map<std::vector<int64_t>, std::vector<const ArrayFill*>> groups;
  for (const ArrayFill& f : fills) groups[f.type.inner_extents()].push_back(&f);
  for (const auto& [extents, group] : groups) {
    const bool stores = std::any_of(group.begin(), group.end(),
                                    [](const ArrayFill* f) { return f->array.re != nest::no_id; });
    if (!stores) continue;
    const auto compute = [&](const std::function<Coords(const LaneType&)>& at) {
      std::vector<Elem> elems;
      for (const ArrayFill* f : group) elems.push_back(f->value(at(f->type)));
      for (size_t k = 0; k < group.size(); ++k)
        if (const ArrayFill& f = *group[k]; f.array.re != nest::no_id)
          store_at(f.array, f.type, at(f.type), elems[k]);
    };
    const int64_t n = group[0]->type.inner_elements();
    if (n <= max_unrolled_copy && std::ranges::all_of(group, &ArrayFill::is_copy))
      for (int64_t k = 0; k < n; ++k)
        compute([&](const LaneType& t) { return space_.coords_at(t, k); });
    else
      element_loop(extents, [&](const Coords& inner) {
        compute([&](const LaneType& t) { return space_.coords_with(t, inner); });
      });
  }
}

// If the last axis fills vectors by itself, vectors run only along it: contiguous reads are then
// visible.
void LaneArrays::element_loop(const std::vector<int64_t>& extents,
                              const std::function<void(const Coords&)>& each) {
  const size_t rows = along_rows_ && extents.size() > 1 && extents.back() >= min_vector_row
                          ? extents.size() - 1
                          : 0;
  const std::vector<int64_t> together(extents.begin() + static_cast<std::ptrdiff_t>(rows),
                                      extents.end());
  Coords at;  // of the enclosing rows
  const auto element = [&](Id i) {
    Coords all = at;
    for (Id digit : space_.split(i, together)) all.push_back(digit);
    each(all);
  };
  const std::function<void()> nest = [&] {
    const int64_t n = Shape(together).elements();
    if (at.size() == rows)
      return along_rows_ ? vector_loop(b_, n, element) : sequential_loop(b_, n, element);
    sequential_loop(b_, extents[at.size()], [&](Id i) {
      at.push_back(i);
      nest();
      at.pop_back();
    });
  };
  nest();
}

}  // namespace weft::compiler
