// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/sort_vectors.h: sorts short rows side by side: word i of row l is v[i * rows + l].
#pragma once
#include <cstdint>

namespace weft::sorting {

// The number of rows that are sorted side by side, in memory aligned to 64.
template <class Word>
inline constexpr int64_t rows_of_vector = 64 / static_cast<int64_t>(sizeof(Word));

struct VectorSorts {
  void (*words32)(uint32_t* v, int64_t n);
  void (*words64)(uint64_t* v, int64_t n);
  // Sorts pairs by v, then by `at`.
  void (*placed64)(uint64_t* v, uint64_t* at, int64_t n);
  // Rough nanoseconds for one comparison of all rows together.
  double ns32, ns64, ns_placed;
};
// The sorts for this processor.
const VectorSorts& vector_sorts();

// The number of comparisons for a row of n.
double vector_comparisons(int64_t n);

}  // namespace weft::sorting
