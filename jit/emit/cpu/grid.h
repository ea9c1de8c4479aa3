// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/cpu/grid.h: the loops over the grid of a kernel. It may touch the indices and the masks
// of points. Another order of points is another function here, which emit() chooses by the
// schedule.
#pragma once
#include "jit/emit/cpu/cpu_emitter.h"

namespace weft::compiler {

// Values that are the same for all points are computed before the loops. The last axis runs in
// vectors, with a mask at its end.
class CpuGrid : EmitterPart<CpuEmitter> {
 public:
  explicit CpuGrid(CpuEmitter& e) : EmitterPart(e) {}

  void emit(V outer_begin, V outer_end, V inner_begin, V inner_end);
  void rows_one_by_one(V outer_begin, V outer_end, V inner_begin, V inner_end);
  // Emits the points of the vectors that begin at `begin`, with this mask.
  void emit_points(V begin, const Masks& m);
  // Emits the points [begin, end) of a row in vectors.
  void grid_points(V begin, V end);

 private:
  void grid_row(V begin, V end);
};

}  // namespace weft::compiler
