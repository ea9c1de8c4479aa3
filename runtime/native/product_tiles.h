// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/product_tiles.h: products of matrices that are not packed, in tiles of registers.
#pragma once
#include <cstdint>

namespace weft::native {

// c = op(a) op(b), row-major; op transposes where trans_… is set. ld… is the distance between
// stored rows in elements.
struct Gemm {
  bool trans_a = false, trans_b = false;
  int64_t m = 0, n = 0, k = 0, lda = 0, ldb = 0, ldc = 0;
};

// Returns true if the processor has multiply-adds of vectors, which the tiles need.
bool has_product_tiles();
// The fewest columns of a product in tiles: those of the narrowest vector.
inline constexpr int64_t least_tile_columns = 4;
// Computes the product on one thread. It has at least that many columns. Each element is the sum of
// its terms in order, each added with one rounding, so that its bits do not depend on the vectors
// of the processor.
void multiply_in_tiles(const Gemm& g, const float* a, const float* b, float* c);
void multiply_in_tiles(const Gemm& g, const double* a, const double* b, double* c);

}  // namespace weft::native
