// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/cpu/tiles.h: grids in tiles. It may touch the tiles of the emitter and the indices of
// points. Another way of moving a tile replaces move_tile().
#pragma once
#include <functional>
#include <utility>
#include <vector>

#include "jit/emit/cpu/cpu_emitter.h"

namespace weft::compiler {

// For kernels that read or write along another axis than the one that fills the vector.
// Neighbouring points of such an access are far apart in memory, but its index moves by one element
// from row to row of the grid. It is done for a whole tile: its cache lines are moved once, as
// vectors along the rows, and transposed in registers. The code of the tile finds the values of
// neighbouring points contiguous in a small array, or puts them there.
class Tiles : EmitterPart<CpuEmitter> {
 public:
  explicit Tiles(CpuEmitter& e) : EmitterPart(e) {}

  void emit(int64_t rows, V outer_begin, V outer_end, V inner_begin, V inner_end);

 private:
  // The accesses of one kind and type: their tiles, one after another. If they share the code of a
  // transposition, arrays have the place and the stride of each.
  struct Group {
    nest::Opcode what;
    llvm::Type* type = nullptr;
    std::vector<nest::Id> accesses = {};
    V arrays = nullptr, firsts = nullptr, strides = nullptr;
  };

  void allocate(int64_t rows);
  std::pair<V, V> place_of(nest::Id v);
  void move_tiles(nest::Opcode what, int64_t rows, V columns);
  void move_tile(nest::Id v, int64_t rows, V columns);
  bool turns_in_library(nest::Id v, bool last_columns) const;
  // Transpose a block of as many rows as a vector has elements.
  void turn_in_library(nest::Id v, V memory, V frame);
  void turn_in_kernel(nest::Id v, V memory, V frame, V stride, V last);
  // Calls turn(memory, frame) for each block of a tile.
  void turn_rows(nest::Id like, int64_t rows, V first, V array,
                 const std::function<void(V memory, V frame)>& turn);
  void tile(int64_t rows, V top, V i, V columns);

  std::vector<Group> groups_;
};

}  // namespace weft::compiler
