// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/gpu/shared_tiles.h: grids in square tiles, for kernels that read an operand along
// another axis than the one along which threads are neighbours. It may touch the indices of points
// and the shared memory. Another operand that a tile serves is handled in fill().
#pragma once
#include <map>

#include "jit/emit/gpu/gpu_part.h"

namespace weft::compiler {

// A block of threads has a tile. It reads its part of such operands along their rows into shared
// memory, and finds it there transposed. All its other reads and writes are then contiguous.
class SharedTiles : GpuPart {
 public:
  explicit SharedTiles(GpuEmitter& e) : GpuPart(e) {}

  void emit(V block, V thread, V rows, V columns);
  // Returns the number of a load in its memory type, or null if the load is done in place.
  V loaded(nest::Id v);

 private:
  struct SharedTile {
    V rows, columns;       // of the grid
    V top, left;           // the first row and column of the tile
    V across, down;        // the position of this thread in the tile
    int64_t rows_at_once;  // rows of the tile that the threads of the block cover together
  };
  void fill(const SharedTile& tile, V memory);
  std::map<nest::Id, V> early_loads(const SharedTile& tile, V down);

  // By load: the shared memory of its tile. `row_` is the element of the current point, or null.
  std::map<nest::Id, V> tiles_;
  V row_ = nullptr;
  // Loads of this point that were issued early, in their memory type.
  std::map<nest::Id, V> early_loads_;
};

}  // namespace weft::compiler
