// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/gpu/product_state.h: the values that the parts of a matrix product share: the tile of
// the block, and the points and the memory of a thread. Only product.cpp sets them. A new value
// that two of the parts need is added here.
#pragma once
#include "jit/emit/llvm_value.h"
#include "jit/schedule/product.h"

namespace weft::compiler {

// The rows of the tile, or its columns: points along one axis of the grid.
struct ProductSide {
  const ProductFactor* factor;
  ProductStage::Side stage;
  int axis;
  int points;  // of the tile
  // Neighbours that a thread moves in one access, and its number of such accesses.
  int group, groups;
  V first, last;  // points: the first of the tile, and the last of the grid
  // A thread's points in the tile: the first, and the distances from it.
  V thread_offset;
  llvm::SmallVector<int, 8> point_offsets;
  V fragment;  // for tensor cores: where a thread reads for its warp, in bytes
};

struct ProductState {
  ProductLoop loop;
  const ProductSchedule& s;
  llvm::Type *sum_type, *factor_type;  // of sums, and of factors in shared memory
  ProductStage stage;
  V memory, thread;
  bool full_stage;  // a stage is full of terms
  ProductSide rows, columns;
  // Points that a thread reads in one access.
  static int points_per_access(int of_thread) { return of_thread < 4 ? of_thread : 4; }
};

}  // namespace weft::compiler
