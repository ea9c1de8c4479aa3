// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/sort_lanes.h: short rows sorted side by side: word i of row l lies at v[i * lanes
// + l].
#pragma once
#include <cstdint>

namespace weft::sorting {

// Rows that lie side by side, in memory aligned to 64.
template <class Word>
inline constexpr int64_t lanes_v = 64 / static_cast<int64_t>(sizeof(Word));

struct LaneSorts {
  void (*words32)(uint32_t* v, int64_t n);
  void (*words64)(uint64_t* v, int64_t n);
  // Pairs, by v and then by `at`.
  void (*placed64)(uint64_t* v, uint64_t* at, int64_t n);
  // Nanoseconds that a comparison takes, roughly, in all lanes together.
  double ns32, ns64, ns_placed;
};
// Those that suit the processor.
const LaneSorts& lane_sorts();

// How many comparisons a row of n takes.
double lane_comparisons(int64_t n);

}  // namespace weft::sorting
