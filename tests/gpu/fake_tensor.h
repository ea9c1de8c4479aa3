// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/gpu/fake_tensor.h: the operations that the threads of a warp compute together on tensor
// cores.
#pragma once
#include <cstdint>
#include <span>

namespace fake {

// The operands of one thread for a load of matrices (ldmatrix). A matrix has 8 x 8 numbers of 16
// bits. `line` is the address of line l % 8 of matrix l / 8, and `words` has room for one word of
// each matrix.
struct MatricesOfThread {
  const void* line;
  uint32_t* words;
  int32_t matrices, transposed;
};
// Word k of thread l holds two numbers of matrix k: numbers 2 (l % 4) and 2 (l % 4) + 1 of line l /
// 4. For a transposed matrix it holds number l / 4 of lines 2 (l % 4) and 2 (l % 4) + 1.
void load_matrices(std::span<const MatricesOfThread> threads);

// The operands of one thread for a product of 16 x 16 and 16 x 8 numbers, F16 or BF16. It has four
// sums: two of row l / 4 and two of the row 8 below. It has words of the first factor: those rows
// for terms 2 (l % 4), then for the terms 8 later. It has words of the second factor: column l / 4.
struct FactorsOfThread {
  float* sums;
  const uint32_t* words;
  int32_t half;
};
// Adds the terms in order and rounds each sum to F32.
void multiply(std::span<const FactorsOfThread> threads);

}  // namespace fake
