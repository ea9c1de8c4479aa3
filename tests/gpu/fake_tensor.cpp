// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/gpu/fake_tensor.cpp: matrix loads and products of a warp.
#include "gpu/fake_tensor.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace fake {
namespace {

float number(uint32_t bits, bool half) {
  if (half) return static_cast<float>(std::bit_cast<_Float16>(static_cast<uint16_t>(bits)));
  return std::bit_cast<float>(bits << 16);
}
// Returns number 0 or 1 of a word.
uint32_t part(uint32_t word, int n) { return n ? word >> 16 : word & 0xffff; }

}  // namespace

void load_matrices(std::span<const MatricesOfThread> threads) {
  for (int l = 0; l < static_cast<int>(threads.size()); ++l) {
    const MatricesOfThread& t = threads[static_cast<size_t>(l)];
    for (int k = 0; k < t.matrices; ++k) {
      const auto at = [&](int line, int column) {
        const auto* from =
            static_cast<const std::byte*>(threads[static_cast<size_t>(8 * k + line)].line);
        uint16_t bits;
        std::memcpy(&bits, from + 2 * column, sizeof bits);
        return uint32_t{bits};
      };
      const int own = l / 4, pair = l % 4 * 2;
      t.words[k] = t.transposed ? at(pair, own) | at(pair + 1, own) << 16
                                : at(own, pair) | at(own, pair + 1) << 16;
    }
  }
}

void multiply(std::span<const FactorsOfThread> threads) {
  const bool half = threads[0].half;
  float rows[16][16], columns[16][8];
  for (int l = 0; l < 32; ++l) {
    const uint32_t* w = threads[static_cast<size_t>(l)].words;
    const int own = l / 4, pair = l % 4 * 2;
    for (int n = 0; n < 2; ++n) {
      for (int k = 0; k < 4; ++k)
        rows[own + 8 * (k % 2)][pair + n + 8 * (k / 2)] = number(part(w[k], n), half);
      for (int k = 0; k < 2; ++k) columns[pair + n + 8 * k][own] = number(part(w[4 + k], n), half);
    }
  }
  for (int l = 0; l < 32; ++l)
    for (int k = 0; k < 4; ++k) {
      float& sum = threads[static_cast<size_t>(l)].sums[k];
      const int row = l / 4 + 8 * (k / 2), column = l % 4 * 2 + k % 2;
      for (int t = 0; t < 16; ++t) sum = std::fma(rows[row][t], columns[t][column], sum);
    }
}

}  // namespace fake
