// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/gpu/fake_tensor.h: what the threads of a warp compute together on tensor cores.
#pragma once
#include <cstdint>
#include <span>

namespace fake {

// What one thread brings to a load of pieces of 8 x 8 numbers of 16 bits: where line l % 8 of piece
// l / 8 lies, and room for its words, one a piece.
struct PiecesOfThread {
  const void* line;
  uint32_t* words;
  int32_t pieces, turned;
};
// Word k of thread l: numbers 2 (l % 4) and the next of line l / 4 of piece k; of pieces that are
// turned, of lines 2 (l % 4) and the next number l / 4.
void load_pieces(std::span<const PiecesOfThread> threads);

// What one thread brings to a product of 16 x 16 and 16 x 8 numbers, F16 or BF16: four sums, two of
// row l / 4 and two of the row 8 below; words of the first factor (those rows for terms 2 (l % 4),
// then for terms 8 later), and of the second (column l / 4).
struct FactorsOfThread {
  float* sums;
  const uint32_t* words;
  int32_t half;
};
// Terms are added in order, each sum rounded to F32.
void multiply(std::span<const FactorsOfThread> threads);

}  // namespace fake
