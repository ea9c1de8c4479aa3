// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/cpu/grid.cpp: loops over the points of a grid.
#include "jit/emit/cpu/grid.h"

#include "jit/emit/cpu/sorted_points.h"
#include "jit/emit/cpu/tiles.h"
#include "jit/schedule/nest_names.h"

namespace weft::compiler {

void CpuGrid::emit(V outer_begin, V outer_end, V inner_begin, V inner_end) {
  e_.emit_level(0);
  if (k_.rank < 2) return grid_row(inner_begin, inner_end);
  if (s_.tile) return Tiles(e_).emit(s_.tile, outer_begin, outer_end, inner_begin, inner_end);
  rows_one_by_one(outer_begin, outer_end, inner_begin, inner_end);
}

void CpuGrid::rows_one_by_one(V outer_begin, V outer_end, V inner_begin, V inner_end) {
  b_.each("row", outer_begin, outer_end, 1, [&](V row) {
    e_.indices[0] = row;
    e_.emit_level(1);
    grid_row(inner_begin, inner_end);
  });
}

void CpuGrid::grid_row(V begin, V end) {
  if (k_.rank == 0) return emit_points(nullptr, {});
  if (s_.sort_points) return SortedPoints(e_).emit(begin, end);
  if (e_.divergence.mode == Mode::grid) return grid_points(begin, end);
  b_.each("point", begin, end, 1, [&](V i) {
    e_.stop_checks().emit(weight(k_, 0));
    emit_points(i, {});
  });
}

void CpuGrid::grid_points(V begin, V end) {
  const auto masked = [&](V from) {
    b_.each("tail", from, end, b_.vector_width * e_.interleave, [&](V i) {
      emit_points(i, e_.vectors([&](int p) {
        return b_.prefix_mask(b_.CreateSub(end, b_.CreateAdd(i, b_.i64(p * b_.vector_width))));
      }));
    });
  };
  if (!s_.versioned) return masked(begin);
  const int step = b_.vector_width * e_.interleave;
  const V whole = b_.CreateSub(end, b_.i64(step - 1));
  const V tail = b_.each("vector", begin, whole, step, [&](V i) { emit_points(i, {}); });
  e_.plain_loops = s_.plain_remainder;
  e_.interleave = 1;
  masked(tail);
}

void CpuGrid::emit_points(V begin, const Masks& m) {
  if (k_.rank) e_.indices[k_.rank - 1] = begin;
  const bool neighbours = k_.rank && e_.positions.empty();
  e_.record_checked_point(k_.rank == 2 ? e_.indices[0] : nullptr, neighbours ? begin : nullptr);
  e_.active = e_.in_grid = m;
  e_.emit_level(2);
  e_.active.clear();
  e_.in_grid.clear();
}

}  // namespace weft::compiler
