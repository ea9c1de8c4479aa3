// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/gpu/product.h: what a product of matrices is emitted of.
#pragma once
#include "weft/jit/emit/emit.h"
#include "weft/jit/schedule/product.h"

namespace weft::compiler {

// The rows of the tile, or its columns: points of an axis of the grid.
struct Emitter::ProductSide {
  const ProductFactor* factor;
  ProductStage::Side stage;
  int axis;
  int points;         // of the tile
  int group, groups;  // neighbours that a thread moves together, and how many times it does
  V first, last;      // points: the first of the tile, the last that there is
  // Where a thread's points are in the tile: the first, and what the others are behind it.
  V mine;
  llvm::SmallVector<int, 8> others;
  V fragment;  // of tensor cores: where a thread reads for its warp, in bytes
};

struct Emitter::Product {
  ProductLoop loop;
  const ProductSchedule& s;
  llvm::Type *type, *number;  // of sums, and of factors in shared memory
  ProductStage stage;
  V memory, thread;
  bool whole;  // a stage is full of terms
  ProductSide rows, columns;
  // Points that a thread reads together.
  static int together(int of_thread) { return of_thread < 4 ? of_thread : 4; }
};

}  // namespace weft::compiler
