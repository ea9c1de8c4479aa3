// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/sort_lanes.cpp: Batcher's merge exchange (Knuth, volume 3, 5.2.2 M), whose comparisons depend
// on the length alone, so that each is one instruction for all lanes.
#include "weft/ops/sort_lanes.h"

#include <algorithm>
#include <bit>

namespace weft::sorting {
namespace {

// f(i, j), i < j, exchanges elements i and j if they are out of order.
template <class F>
[[gnu::always_inline]] inline void merge_exchange(int64_t n, F f) {
  if (n < 2) return;
  const auto top = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(n)) / 2);
  for (int64_t p = top; p > 0; p /= 2) {
    int64_t r = 0, d = p;
    for (int64_t q = top;; q /= 2) {
      for (int64_t block = r; block < n - d; block += 2 * p)
        for (int64_t i = block, end = std::min(block + p, n - d); i < end; ++i) f(i, i + d);
      if (q == p) break;
      d = q - p;
      r = p;
    }
  }
}

// 64 bytes of lanes are several registers on processors with shorter ones.
template <class Word, int bytes>
[[gnu::always_inline]] inline void sort_words(Word* v, int64_t n) {
  using V = typename Register<Word, bytes>::type;
  constexpr int64_t width = 64 / bytes;
  V* const x = reinterpret_cast<V*>(v);
  merge_exchange(n, [x](int64_t i, int64_t j) {
    for (int64_t k = 0; k < width; ++k) {
      const V a = x[i * width + k], b = x[j * width + k];
      x[i * width + k] = a < b ? a : b;
      x[j * width + k] = a < b ? b : a;
    }
  });
}
template <int bytes>
[[gnu::always_inline]] inline void sort_placed(uint64_t* v, uint64_t* at, int64_t n) {
  using V = typename Register<uint64_t, bytes>::type;
  constexpr int64_t width = 64 / bytes;
  V *const x = reinterpret_cast<V*>(v), *const y = reinterpret_cast<V*>(at);
  merge_exchange(n, [x, y](int64_t i, int64_t j) {
    for (int64_t k = 0; k < width; ++k) {
      const int64_t s = i * width + k, t = j * width + k;
      const V a = x[s], b = x[t], c = y[s], d = y[t];
      const auto keep = (a < b) | ((a == b) & (c < d));
      x[s] = keep ? a : b;
      x[t] = keep ? b : a;
      y[s] = keep ? c : d;
      y[t] = keep ? d : c;
    }
  });
}

void plain32(uint32_t* v, int64_t n) { sort_words<uint32_t, 16>(v, n); }
void plain64(uint64_t* v, int64_t n) { sort_words<uint64_t, 16>(v, n); }
void plain_placed(uint64_t* v, uint64_t* at, int64_t n) { sort_placed<16>(v, at, n); }
constexpr LaneSorts plain{plain32, plain64, plain_placed, 6, 35, 60};

#if defined(__x86_64__) && defined(__GNUC__)
#define WEFT_AVX2 [[gnu::flatten, gnu::target("avx2")]]
WEFT_AVX2 void avx2_32(uint32_t* v, int64_t n) { sort_words<uint32_t, 32>(v, n); }
WEFT_AVX2 void avx2_64(uint64_t* v, int64_t n) { sort_words<uint64_t, 32>(v, n); }
WEFT_AVX2 void avx2_placed(uint64_t* v, uint64_t* at, int64_t n) { sort_placed<32>(v, at, n); }
#undef WEFT_AVX2
constexpr LaneSorts avx2{avx2_32, avx2_64, avx2_placed, 2.5, 4, 7};

#define WEFT_AVX512 \
  [[gnu::flatten, gnu::target("avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")]]
WEFT_AVX512 void avx512_32(uint32_t* v, int64_t n) { sort_words<uint32_t, 64>(v, n); }
WEFT_AVX512 void avx512_64(uint64_t* v, int64_t n) { sort_words<uint64_t, 64>(v, n); }
WEFT_AVX512 void avx512_placed(uint64_t* v, uint64_t* at, int64_t n) { sort_placed<64>(v, at, n); }
#undef WEFT_AVX512
constexpr LaneSorts avx512{avx512_32, avx512_64, avx512_placed, 1.5, 1.5, 3};

const LaneSorts& suitable() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return avx512;
  return __builtin_cpu_supports("avx2") ? avx2 : plain;
}
#else
const LaneSorts& suitable() { return plain; }
#endif

}  // namespace

const LaneSorts& lane_sorts() {
  static const LaneSorts& chosen = suitable();
  return chosen;
}

double lane_comparisons(int64_t n) {
  const auto levels = static_cast<double>(std::bit_width(static_cast<uint64_t>(n)));
  return static_cast<double>(n) * levels * levels / 4;
}

}  // namespace weft::sorting
