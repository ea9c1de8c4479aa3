// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/transpose.cpp: blocks turned round, compiled with the library for several levels
// of the machine: as part of a kernel they would take LLVM longer than the rest of it.
#include "weft/runtime/native/transpose.h"

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

#include "weft/runtime/native/cpu.h"

namespace weft::compiler {
namespace {

#define WEFT_INLINE [[gnu::always_inline]] inline

template <size_t bytes>
using Element = std::conditional_t<
    bytes == 1, uint8_t,
    std::conditional_t<bytes == 2, uint16_t, std::conditional_t<bytes == 4, uint32_t, uint64_t>>>;

template <size_t bytes, int lanes>
struct Block {
  typedef Element<bytes> Vector __attribute__((vector_size(bytes * lanes)));
  Vector rows[lanes];

  template <int half, int... l>
  WEFT_INLINE void exchange(Vector& a, Vector& b, std::integer_sequence<int, l...>) {
    const Vector low = __builtin_shufflevector(a, b, (l & half ? lanes + l - half : l)...);
    const Vector high = __builtin_shufflevector(a, b, (l & half ? lanes + l : l + half)...);
    a = low;
    b = high;
  }
  template <int half, int row>
  WEFT_INLINE void pair() {
    if constexpr (!(row & half))
      exchange<half>(rows[row], rows[row + half], std::make_integer_sequence<int, lanes>());
  }
  template <int half, int... row>
  WEFT_INLINE void level(std::integer_sequence<int, row...> all) {
    (pair<half, row>(), ...);
    if constexpr (2 * half < lanes) level<2 * half>(all);
  }
  template <int... row>
  WEFT_INLINE void load(const char* from, const int64_t* starts,
                        std::integer_sequence<int, row...>) {
    (std::memcpy(&rows[row], from + starts[row], sizeof(Vector)), ...);
  }
  template <int... row>
  WEFT_INLINE void fetch(const char* from, const int64_t* starts,
                         std::integer_sequence<int, row...>) {
    (__builtin_prefetch(from + starts[row]), ...);
  }
  template <bool non_temporal, int... row>
  WEFT_INLINE void store(char* to, const int64_t* starts, std::integer_sequence<int, row...>) {
    (put<non_temporal>(to + starts[lanes - 1 - row], rows[lanes - 1 - row]), ...);
  }
  template <bool non_temporal>
  WEFT_INLINE static void put(char* to, const Vector& x) {
#if defined(__clang__)
    if constexpr (non_temporal)
      return __builtin_nontemporal_store(x, reinterpret_cast<Vector*>(to));
#elif defined(__x86_64__)
    if constexpr (non_temporal) {
      asm volatile("vmovntdq %1, %0" : "=m"(*reinterpret_cast<Vector*>(to)) : "v"(x));
      return;
    }
#endif
    std::memcpy(to, &x, sizeof x);
  }
};

// `lines`: vectors can be stored as whole cache lines.
template <size_t bytes, int lanes, bool lines>
WEFT_INLINE void transpose(char* to, const int64_t* to_starts, const char* from,
                           const int64_t* from_starts, int32_t non_temporal) {
  constexpr size_t cache_line = 64, ahead = 4 * cache_line;
  constexpr std::make_integer_sequence<int, lanes> all;
  if (to_starts[0] || from_starts[0]) return;
  Block<bytes, lanes> block;
  block.load(from, from_starts, all);
  // Rows that lie apart are read on by calls to come.
  if (from_starts[1] != bytes * lanes) block.fetch(from + ahead, from_starts, all);
  block.template level<1>(all);
  if constexpr (lines && bytes * lanes == cache_line)
    if (non_temporal) return block.template store<true>(to, to_starts, all);
  block.template store<false>(to, to_starts, all);
}

#define WEFT_ARGUMENTS \
  char *to, const int64_t *to_starts, const char *from, const int64_t *from_starts, int32_t past
template <size_t bytes, int lanes>
[[gnu::flatten]] void plain(WEFT_ARGUMENTS) {
  transpose<bytes, lanes, false>(to, to_starts, from, from_starts, past);
}
template <size_t bytes, int lanes>
[[gnu::flatten]] WEFT_FOR_V3 void v3(WEFT_ARGUMENTS) {
  transpose<bytes, lanes, false>(to, to_starts, from, from_starts, past);
}
template <size_t bytes, int lanes>
[[gnu::flatten]] WEFT_FOR_V4 void v4(WEFT_ARGUMENTS) {
  transpose<bytes, lanes, true>(to, to_starts, from, from_starts, past);
}

template <size_t bytes, int lanes>
Transpose best() {
  return {transpose_name(bytes, lanes),
          native::for_cpu<TurnFn>(plain<bytes, lanes>, v3<bytes, lanes>, v4<bytes, lanes>)};
}

}  // namespace

std::string transpose_name(int64_t element_bytes, int lanes) {
  return transpose_prefix + std::to_string(element_bytes) + "_" + std::to_string(lanes);
}

std::vector<Transpose> transposes() {
  return {best<1, 4>(), best<2, 4>(), best<4, 4>(),  best<8, 4>(),  best<1, 8>(), best<2, 8>(),
          best<4, 8>(), best<8, 8>(), best<1, 16>(), best<2, 16>(), best<4, 16>()};
}

}  // namespace weft::compiler
