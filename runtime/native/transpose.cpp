// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/transpose.cpp: transposes blocks. The code is compiled with the library for
// several processor levels: inside a kernel it would take LLVM longer than the rest of the kernel.
#include "runtime/native/transpose.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

#include "runtime/native/cpu.h"

namespace weft::compiler {
namespace {

#define WEFT_INLINE [[gnu::always_inline]] inline

template <size_t bytes>
using Element = std::conditional_t<
    bytes == 1, uint8_t,
    std::conditional_t<bytes == 2, uint16_t, std::conditional_t<bytes == 4, uint32_t, uint64_t>>>;

// `to` is aligned to the vector.
template <class Vector>
WEFT_INLINE void put_non_temporal(char* to, const Vector& x) {
#if defined(__clang__)
  __builtin_nontemporal_store(x, reinterpret_cast<Vector*>(to));
#elif defined(__x86_64__)
  asm volatile("vmovntdq %1, %0" : "=m"(*reinterpret_cast<Vector*>(to)) : "v"(x));
#else
  std::memcpy(to, &x, sizeof x);
#endif
}

template <size_t bytes, int vector_width>
struct Block {
  typedef Element<bytes> Vector __attribute__((vector_size(bytes * vector_width)));
  Vector rows[vector_width];

  template <int half, int... l>
  WEFT_INLINE void exchange(Vector& a, Vector& b, std::integer_sequence<int, l...>) {
    const Vector low = __builtin_shufflevector(a, b, (l & half ? vector_width + l - half : l)...);
    const Vector high = __builtin_shufflevector(a, b, (l & half ? vector_width + l : l + half)...);
    a = low;
    b = high;
  }
  template <int half, int row>
  WEFT_INLINE void pair() {
    if constexpr (!(row & half))
      exchange<half>(rows[row], rows[row + half], std::make_integer_sequence<int, vector_width>());
  }
  template <int half, int... row>
  WEFT_INLINE void level(std::integer_sequence<int, row...> all) {
    (pair<half, row>(), ...);
    if constexpr (2 * half < vector_width) level<2 * half>(all);
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
    (put<non_temporal>(to + starts[vector_width - 1 - row], rows[vector_width - 1 - row]), ...);
  }
  template <bool non_temporal>
  WEFT_INLINE static void put(char* to, const Vector& x) {
    if constexpr (non_temporal)
      put_non_temporal(to, x);
    else
      std::memcpy(to, &x, sizeof x);
  }
};

// `lines`: vectors can be stored as whole cache lines.
template <size_t bytes, int vector_width, bool lines>
WEFT_INLINE void transpose(char* to, const int64_t* to_starts, const char* from,
                           const int64_t* from_starts, int32_t non_temporal) {
  constexpr size_t cache_line = 64, ahead = 4 * cache_line;
  constexpr std::make_integer_sequence<int, vector_width> all;
  if (to_starts[0] || from_starts[0]) return;
  Block<bytes, vector_width> block;
  block.load(from, from_starts, all);
  // Later calls continue along rows that are not contiguous, so their data is prefetched.
  if (from_starts[1] != bytes * vector_width) block.fetch(from + ahead, from_starts, all);
  block.template level<1>(all);
  if constexpr (lines && bytes * vector_width == cache_line)
    if (non_temporal) return block.template store<true>(to, to_starts, all);
  block.template store<false>(to, to_starts, all);
}

#define WEFT_ARGUMENTS \
  char *to, const int64_t *to_starts, const char *from, const int64_t *from_starts, int32_t past
template <size_t bytes, int vector_width>
[[gnu::flatten]] void plain(WEFT_ARGUMENTS) {
  transpose<bytes, vector_width, false>(to, to_starts, from, from_starts, past);
}
template <size_t bytes, int vector_width>
[[gnu::flatten]] WEFT_FOR_V3 void v3(WEFT_ARGUMENTS) {
  transpose<bytes, vector_width, false>(to, to_starts, from, from_starts, past);
}
template <size_t bytes, int vector_width>
[[gnu::flatten]] WEFT_FOR_V4 void v4(WEFT_ARGUMENTS) {
  transpose<bytes, vector_width, true>(to, to_starts, from, from_starts, past);
}

template <size_t bytes, int vector_width>
Transpose best() {
  return {transpose_name(bytes, vector_width),
          native::for_cpu<TurnFn>(plain<bytes, vector_width>, v3<bytes, vector_width>,
                                  v4<bytes, vector_width>)};
}

// ---- records

template <size_t bytes, int vector_width, int size>
struct Records {
  typedef Element<bytes> Vector __attribute__((vector_size(bytes * vector_width)));
  static constexpr int64_t all = int64_t{vector_width} * size;
  Vector x[size];

  WEFT_INLINE void load(const char* from) { std::memcpy(x, from, sizeof x); }
  WEFT_INLINE void store(char* to) const { std::memcpy(to, x, sizeof x); }
  WEFT_INLINE void store_non_temporal(char* to) const {
    for (size_t k = 0; k < size; ++k) put_non_temporal(to + k * sizeof(Vector), x[k]);
  }

  // The element of the other side that becomes element l of vector k. `stores`: the other side is
  // the vectors.
  template <bool stores>
  static constexpr int from(int k, int l) {
    const int e = stores ? k * vector_width + l : l * size + k;
    return stores ? (e % size) * vector_width + e / size : e;
  }
  // Returns true if vector s of the other side contributes to vector k.
  template <bool stores>
  static constexpr bool has(int k, int s) {
    for (int l = 0; l < vector_width; ++l)
      if (from<stores>(k, l) / vector_width == s) return true;
    return false;
  }
  template <bool stores, int k, int s, int... l>
  WEFT_INLINE void merge(Vector& to, std::integer_sequence<int, l...>) const {
    if constexpr (has<stores>(k, s))
      to = __builtin_shufflevector(
          to, x[s],
          (from<stores>(k, l) / vector_width == s ? vector_width + from<stores>(k, l) % vector_width
                                                  : l)...);
  }
  template <bool stores, int k, int... s>
  WEFT_INLINE void pick(Vector& to, std::integer_sequence<int, s...>) const {
    to = x[0];
    (merge<stores, k, s>(to, std::make_integer_sequence<int, vector_width>()), ...);
  }
  // Records of whole vectors are transposed as square blocks.
  template <bool stores>
  WEFT_INLINE void turn_blocks(Records& to) const {
    constexpr int blocks = size / vector_width;
    for (int b = 0; b < blocks; ++b) {
      Block<bytes, vector_width> block;
      for (int r = 0; r < vector_width; ++r)
        block.rows[r] = x[stores ? b * vector_width + r : r * blocks + b];
      block.template level<1>(std::make_integer_sequence<int, vector_width>());
      for (int r = 0; r < vector_width; ++r)
        to.x[stores ? r * blocks + b : b * vector_width + r] = block.rows[r];
    }
  }
  template <bool stores, int... k>
  WEFT_INLINE void turn(Records& to, std::integer_sequence<int, k...> all_of) const {
    if constexpr (size % vector_width == 0)
      turn_blocks<stores>(to);
    else
      (pick<stores, k>(to.x[k], all_of), ...);
  }
};

// Returns true if non-temporal stores of such vectors exist, and can write to this address.
template <class Vector>
WEFT_INLINE bool fits_non_temporal(const char* to) {
  constexpr size_t narrowest = 32;  // AVX
  return sizeof(Vector) >= narrowest && reinterpret_cast<uintptr_t>(to) % sizeof(Vector) == 0;
}

// Transposes square blocks of vector_width elements of each record. The last block ends with the
// record, so it may overlap the one before. Non-temporal stores write whole cache lines, so the
// records are put together elsewhere first.
template <bool stores, size_t bytes, int vector_width>
WEFT_INLINE void move_blocks(char* to, const char* from, int64_t elements, int64_t size,
                             int32_t non_temporal) {
  using B = Block<bytes, vector_width>;
  using Vector = typename B::Vector;
  constexpr size_t vector = sizeof(Vector);
  alignas(64) char together[longest_record * vector];
  char* const streamed = to;
  const bool streams =
      stores && non_temporal && elements == vector_width * size && fits_non_temporal<Vector>(to);
  if (streams) to = together;
  // Records without a place in memory, and the one that has a place for its first elements.
  alignas(64) char absent[longest_record * bytes], part[longest_record * bytes];
  char *const memory = stores ? to : const_cast<char*>(from), *records[vector_width];
  char* partly = nullptr;  // the place of the first elements
  size_t there = 0;        // their bytes
  for (int r = 0; r < vector_width; ++r) {
    char* const place = memory + static_cast<size_t>(r * size) * bytes;
    const int64_t n = elements - r * size;
    records[r] = n >= size ? place : n > 0 ? part : absent;
    if (n <= 0 || n >= size) continue;
    partly = place;
    there = static_cast<size_t>(n) * bytes;
  }
  if (!stores && elements < vector_width * size) {
    std::memset(absent, 0, sizeof absent);
    std::memset(part, 0, sizeof part);
    if (partly) std::memcpy(part, partly, there);
  }
  for (int64_t first = 0;;) {
    const size_t at = static_cast<size_t>(first);
    B block;
    for (size_t r = 0; r < vector_width; ++r)
      std::memcpy(&block.rows[r], stores ? from + (at + r) * vector : records[r] + at * bytes,
                  vector);
    block.template level<1>(std::make_integer_sequence<int, vector_width>());
    for (size_t r = 0; r < vector_width; ++r)
      std::memcpy(stores ? records[r] + at * bytes : to + (at + r) * vector, &block.rows[r],
                  vector);
    if (first == size - vector_width) break;
    first = std::min<int64_t>(first + vector_width, size - vector_width);
  }
  if (stores && partly) std::memcpy(partly, part, there);
  if (!streams) return;
  for (size_t at = 0; at < static_cast<size_t>(size) * vector; at += vector) {
    Vector x;
    std::memcpy(&x, together + at, vector);
    put_non_temporal(streamed + at, x);
  }
}

template <bool stores, size_t bytes, int vector_width, int size>
WEFT_INLINE void move_whole(char* to, const char* from, int64_t elements, int32_t non_temporal) {
  constexpr std::make_integer_sequence<int, size> each;
  using B = Records<bytes, vector_width, size>;
  B block, turned;
  alignas(64) char part[sizeof block.x];
  const bool whole = elements == B::all;
  const size_t moved = static_cast<size_t>(elements) * bytes;
  if (!stores && !whole) {
    std::memset(part, 0, sizeof part);
    std::memcpy(part, from, moved);
    from = part;
  }
  block.load(from);
  block.template turn<stores>(turned, each);
  if (stores && whole && non_temporal && fits_non_temporal<typename B::Vector>(to))
    return turned.store_non_temporal(to);
  turned.store(stores && !whole ? part : to);
  if (stores && !whole) std::memcpy(to, part, moved);
}

template <bool stores, size_t bytes, int vector_width, int size>
WEFT_INLINE void move(char* to, const char* from, int64_t elements, int64_t length,
                      int32_t non_temporal) {
  if constexpr (size > short_record)
    move_blocks<stores, bytes, vector_width>(to, from, elements, length, non_temporal);
  else
    move_whole<stores, bytes, vector_width, size>(to, from, elements, non_temporal);
}

#undef WEFT_ARGUMENTS
#define WEFT_ARGUMENTS char *to, const char *from, int64_t elements, int64_t length, int32_t past
template <bool stores, size_t bytes, int vector_width, int size>
[[gnu::flatten]] void plain_record(WEFT_ARGUMENTS) {
  move<stores, bytes, vector_width, size>(to, from, elements, length, past);
}
template <bool stores, size_t bytes, int vector_width, int size>
[[gnu::flatten]] WEFT_FOR_V3 void v3_record(WEFT_ARGUMENTS) {
  move<stores, bytes, vector_width, size>(to, from, elements, length, past);
}
template <bool stores, size_t bytes, int vector_width, int size>
[[gnu::flatten]] WEFT_FOR_V4 void v4_record(WEFT_ARGUMENTS) {
  move<stores, bytes, vector_width, size>(to, from, elements, length, past);
}
// Kernels do not request vectors wider than the processor level supports.
template <bool stores, size_t bytes, int vector_width, int size>
RecordCall best_record() {
  constexpr RecordFn wide = v4_record<stores, bytes, vector_width, size>;
  constexpr RecordFn middle = [] {
    if constexpr (bytes * vector_width <= 32)
      return v3_record<stores, bytes, vector_width, size>;
    else
      return v4_record<stores, bytes, vector_width, size>;
  }();
  constexpr RecordFn narrow = [] {
    if constexpr (bytes * vector_width <= 16)
      return plain_record<stores, bytes, vector_width, size>;
    else
      return middle;
  }();
  return {record_name(stores, bytes, vector_width, size),
          native::for_cpu<RecordFn>(narrow, middle, wide)};
}

template <size_t bytes, int vector_width, int... size>
void add_all(std::vector<RecordCall>* to, std::integer_sequence<int, size...>) {
  (to->push_back(best_record<false, bytes, vector_width, size + 2>()), ...);
  (to->push_back(best_record<true, bytes, vector_width, size + 2>()), ...);
}

}  // namespace

std::string transpose_name(int64_t element_bytes, int vector_width) {
  return transpose_prefix + std::to_string(element_bytes) + "_" + std::to_string(vector_width);
}

std::vector<Transpose> transposes() {
  return {best<1, 4>(), best<2, 4>(), best<4, 4>(),  best<8, 4>(),  best<1, 8>(), best<2, 8>(),
          best<4, 8>(), best<8, 8>(), best<1, 16>(), best<2, 16>(), best<4, 16>()};
}

std::string record_name(bool stores, int64_t element_bytes, int vector_width, int64_t size) {
  return record_prefix + std::string(stores ? "store_" : "load_") + std::to_string(element_bytes) +
         "_" + std::to_string(vector_width) + "_" +
         (size > short_record ? "any" : std::to_string(size));
}

std::vector<RecordCall> record_calls() {
  constexpr std::make_integer_sequence<int, short_record> sizes;  // the last: any
  std::vector<RecordCall> all;
  add_all<4, 4>(&all, sizes);
  add_all<4, 8>(&all, sizes);
  add_all<4, 16>(&all, sizes);
  add_all<8, 4>(&all, sizes);
  add_all<8, 8>(&all, sizes);
  return all;
}

}  // namespace weft::compiler
