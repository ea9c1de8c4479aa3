// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/gpu/mma.h: tensor cores, for matrix products. It may touch the factors in shared memory
// and the sums of a thread. Another shape of matrices is added beside the constants in the .cpp
// file.
#pragma once
#include "jit/emit/gpu/gpu_part.h"
#include "jit/emit/gpu/product_state.h"

namespace weft::compiler {

// The threads of a warp together multiply 16 rows by 8 columns of 16 terms. Each thread has words
// of the factors' 8 x 8 matrices, two numbers each, and 2 x 2 of the sums.
class TensorCores : GpuPart {
 public:
  explicit TensorCores(GpuEmitter& e) : GpuPart(e) {}

  // Returns, in thread l, the byte offset of line l % 8 of matrix l / 8. The four matrices of 16
  // rows are two halves of the rows for each half of the terms. The four matrices of 16 columns are
  // two halves of the terms for each half of the columns.
  V fragment_offset(const ProductState& p, const ProductSide& s, V first_point, V in_warp);
  // Multiplies `terms` terms of a stage. The stage holds terms up to a multiple of 16.
  Vs mma_terms(const ProductState& p, V stage, const Vs& sums, int terms);

 private:
  Vs load_fragments(const ProductState& p, const ProductSide& s, V stage, int term, int point,
                    int matrices);
  Vs multiply_fragments(const ProductState& p, llvm::ArrayRef<V> rows, llvm::ArrayRef<V> columns,
                        const Vs& sums);
};

}  // namespace weft::compiler
