// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/gpu/product.h: matrix products. It may touch the loop of the product, the shared memory
// and the indices of points. Another way of multiplying a stage is another function like
// fma_terms().
#pragma once
#include "jit/emit/gpu/factors.h"
#include "jit/emit/gpu/mma.h"

namespace weft::compiler {

// The threads of a block copy the factors of a tile of points to shared memory, some terms at a
// time. Each thread has some points of the tile, whose sums are in registers. A sum adds its terms
// in order, like the loop of the kernel, except on tensor cores.
class Product : GpuPart {
 public:
  explicit Product(GpuEmitter& e) : GpuPart(e), factors_(e), tensor_cores_(e) {}

  void emit(V block, V thread, V rows, V columns);

 private:
  ProductSide make_side(const ProductState& p, bool of_rows);
  void locate_tile(ProductState& p, V block, V rows, V columns);
  V barrier_and(V condition);
  Vs load_stage(const ProductState& p, const ProductSide& s, V stage, V term);
  Vs fma_terms(const ProductState& p, V stage, const Vs& sums, int terms, int unrolled);
  struct Sums {
    Vs sums;
    V stage;  // the shared memory of the next stage
  };
  Sums full_stages(const ProductState& p, const Vs& sums, bool prefetch);
  // Both sides, into a stage in shared memory.
  Vs load(const ProductState& p, V first_term);
  void store(const ProductState& p, V at, V first_term, const Vs& loaded);
  void copy(const ProductState& p, V at, V first_term);
  Vs remainder(ProductState p, const Sums& before);
  void epilogue(const ProductState& p, const Vs& sums);

  Factors factors_;
  TensorCores tensor_cores_;
};

}  // namespace weft::compiler
