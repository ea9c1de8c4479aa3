// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/cpu/tiles.h: grids in tiles. It may touch the tiles of the emitter and the indices of
// points. Another way of reading a tile replaces fill_tile().
#pragma once
#include "jit/emit/cpu/cpu_emitter.h"

namespace weft::compiler {

// For kernels that read an operand along another axis than the one that fills the vector.
// Neighbouring points of such a load are far apart in memory, but its index moves by one element
// from row to row of the grid. It is done for a whole tile: its cache lines are read once, as
// vectors along the rows, and transposed in registers. The code of the tile then finds the values
// of neighbouring points contiguous in a small array.
class Tiles : EmitterPart<CpuEmitter> {
 public:
  explicit Tiles(CpuEmitter& e) : EmitterPart(e) {}

  void emit(int64_t rows, V outer_begin, V outer_end, V inner_begin, V inner_end);

 private:
  void fill_tile(nest::Id v, int64_t rows);
  void tile_rows(V begin, V end, int64_t rows, V inner_begin, V inner_end);
};

}  // namespace weft::compiler
