// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/sort_vectors.cpp: Batcher's merge exchange (Knuth, volume 3, 5.2.2 M). Its
// comparisons depend only on the length, so that one vector instruction compares the elements of
// all rows.
#include "runtime/native/sort_vectors.h"

#include <algorithm>
#include <bit>

#include "runtime/native/cpu.h"

namespace weft::sorting {
namespace {

// Enumerates the comparisons of a row of n, as runs of (i, i + distance) for i from begin to end.
class Runs {
 public:
  explicit Runs(int64_t n)
      : n_(n), top_(static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(n)) / 2)) {
    p_ = top_;
    start_round();
  }
  bool next() {
    while (p_ > 0) {
      begin = block_;
      end = std::min(block_ + p_, n_ - distance);
      block_ += 2 * p_;
      if (begin < end) return true;
      if (q_ != p_) {
        distance = q_ - p_;
        block_ = p_;
        q_ /= 2;
      } else {
        p_ /= 2;
        start_round();
      }
    }
    return false;
  }
  int64_t begin = 0, end = 0, distance = 0;

 private:
  void start_round() {
    q_ = top_;
    distance = p_;
    block_ = 0;
  }
  int64_t n_, top_, p_ = 0, q_ = 0, block_ = 0;
};

// The sorts for vector registers of this many bytes; 64 bytes of rows take one or several
// registers. It is a macro because vector code must be written inside the function that has the
// target attribute.
#define WEFT_LANE_SORTS(Level, bytes, attributes)                                           \
  struct Level {                                                                            \
    template <class Word>                                                                   \
    attributes static void words(Word* v, int64_t n) {                                      \
      typedef Word V __attribute__((vector_size(bytes), may_alias));                        \
      constexpr int64_t width = 64 / bytes;                                                 \
      V* const x = reinterpret_cast<V*>(v);                                                 \
      for (Runs r(n); r.next();)                                                            \
        for (int64_t i = r.begin * width, d = r.distance * width; i < r.end * width; ++i) { \
          const V a = x[i], b = x[i + d];                                                   \
          x[i] = a < b ? a : b;                                                             \
          x[i + d] = a < b ? b : a;                                                         \
        }                                                                                   \
    }                                                                                       \
    attributes static void placed(uint64_t* v, uint64_t* at, int64_t n) {                   \
      typedef uint64_t V __attribute__((vector_size(bytes), may_alias));                    \
      constexpr int64_t width = 64 / bytes;                                                 \
      V *const x = reinterpret_cast<V*>(v), *const y = reinterpret_cast<V*>(at);            \
      for (Runs r(n); r.next();)                                                            \
        for (int64_t i = r.begin * width, d = r.distance * width; i < r.end * width; ++i) { \
          const V a = x[i], b = x[i + d], s = y[i], t = y[i + d];                           \
          const auto keep = (a < b) | ((a == b) & (s < t));                                 \
          x[i] = keep ? a : b;                                                              \
          x[i + d] = keep ? b : a;                                                          \
          y[i] = keep ? s : t;                                                              \
          y[i + d] = keep ? t : s;                                                          \
        }                                                                                   \
    }                                                                                       \
  }

WEFT_LANE_SORTS(Plain, 16, );
constexpr VectorSorts plain{
    Plain::words<uint32_t>, Plain::words<uint64_t>, Plain::placed, 5, 7, 22};

WEFT_LANE_SORTS(Avx2, 32, WEFT_FOR_V3);
constexpr VectorSorts avx2{Avx2::words<uint32_t>, Avx2::words<uint64_t>, Avx2::placed, 2, 2.5, 5};
WEFT_LANE_SORTS(Avx512, 64, WEFT_FOR_V4);
constexpr VectorSorts avx512{
    Avx512::words<uint32_t>, Avx512::words<uint64_t>, Avx512::placed, 1, 1, 2};
#undef WEFT_LANE_SORTS

}  // namespace

const VectorSorts& vector_sorts() { return native::for_cpu(plain, avx2, avx512); }

double vector_comparisons(int64_t n) {
  const auto levels = static_cast<double>(std::bit_width(static_cast<uint64_t>(n)));
  return static_cast<double>(n) * levels * levels / 4;
}

}  // namespace weft::sorting
