// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/cpu/tiles.h: grids in tiles. It may touch the tiles of the emitter and the indices of
// points. Another way of reading a tile replaces fill_tile().
#pragma once
#include <vector>

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
  void make_groups(int64_t rows);
  void fill_tiles(int64_t rows);
  void fill_tile(llvm::Type* t, V first, V stride, V array, int64_t rows);
  void tile_rows(V begin, V end, int64_t rows, V inner_begin, V inner_end);

  // The loads of one type: their tiles, one after another, and arrays with the place and the stride
  // of each load.
  struct Group {
    llvm::Type* type = nullptr;
    std::vector<nest::Id> loads = {};
    V arrays = nullptr, firsts = nullptr, strides = nullptr;
  };
  std::vector<Group> groups_;
};

}  // namespace weft::compiler
