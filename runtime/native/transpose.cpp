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

// All functions that return vectors are inlined, so no calling convention matters. Lambdas are
// inlined without optimization, too: only their callers are compiled for wide vectors.
#pragma GCC diagnostic ignored "-Wpsabi"
#define WEFT_INLINE [[gnu::always_inline]] inline
#define WEFT_INLINE_LAMBDA __attribute__((always_inline))

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

// Where rows at equal distances begin.
struct Stride {
  int64_t bytes;
  int64_t operator[](int64_t row) const { return row * bytes; }
};

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
  template <class Starts, int... row>
  WEFT_INLINE void load(const char* from, const Starts& starts,
                        std::integer_sequence<int, row...>) {
    (std::memcpy(&rows[row], from + starts[row], sizeof(Vector)), ...);
  }
  template <bool written, class Starts, int... row>
  WEFT_INLINE void fetch(const char* at, const Starts& starts, std::integer_sequence<int, row...>) {
    (__builtin_prefetch(at + starts[row], written), ...);
  }
  template <bool non_temporal, class Starts, int... row>
  WEFT_INLINE void store(char* to, const Starts& starts, std::integer_sequence<int, row...>) {
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
                           const int64_t* from_starts, int32_t how) {
  constexpr int64_t cache_line = 64, ahead = 4 * cache_line, vector_bytes = bytes * vector_width;
  constexpr std::make_integer_sequence<int, vector_width> all;
  if (to_starts[0] || from_starts[0]) return;
  Block<bytes, vector_width> block;
  block.load(from, from_starts, all);
  // Later calls may continue along rows that are not contiguous. Then their data is prefetched, and
  // the memory of as many rows that follow those which are written.
  if (!(how & TurnHow::without_prefetch) && from_starts[1] != vector_bytes)
    block.template fetch<false>(from + ahead, from_starts, all);
  if (!(how & (TurnHow::without_prefetch | TurnHow::non_temporal)) && to_starts[1] > vector_bytes)
    block.template fetch<true>(to + vector_width * to_starts[1], to_starts, all);
  block.template level<1>(all);
  if constexpr (lines && vector_bytes == cache_line)
    if (how & TurnHow::non_temporal) return block.template store<true>(to, to_starts, all);
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

// Memory has the elements of the records one after another. The other side has one vector for each
// element of a record: lane l of vector e is element l * size + e of memory. Each step converts
// `size` vectors to as many others, with one shuffle for each. In each step, vector q has groups of
// neighbours in memory: groups q, q + size, q + 2 * size and so on. The vectors of elements have
// groups of one element, and the vectors of memory are groups of vector_width elements.
template <size_t bytes, int vector_width>
struct Groups {
  typedef Element<bytes> Vector __attribute__((vector_size(bytes * vector_width)));

  // Takes every second group of g elements of `a`, from group i, and of `b`, from group j. They
  // alternate in the result.
  template <int g, int i, int j, int... l>
  WEFT_INLINE static Vector alternate(const Vector& a, const Vector& b,
                                      std::integer_sequence<int, l...>) {
    return __builtin_shufflevector(a, b,
                                   (l & g ? vector_width + (l & ~g) + j * g : (l & ~g) + i * g)...);
  }
  template <int g, int i, int j>
  WEFT_INLINE static Vector alternate(const Vector& a, const Vector& b) {
    return alternate<g, i, j>(a, b, std::make_integer_sequence<int, vector_width>());
  }

  // Vector q after a step. If `joins`, each two neighbours among the groups of g elements become
  // one group. Else they are separated.
  template <bool joins, int g, int size, int q>
  WEFT_INLINE static Vector after_step(const Vector* x) {
    if constexpr (joins)
      return alternate<g, 2 * q / size, (2 * q + 1) / size>(x[2 * q % size], x[(2 * q + 1) % size]);
    else
      return alternate<g, q % 2, (q + size) % 2>(x[q / 2], x[(q + size) / 2]);
  }
  template <bool joins, int g, int size, int... q>
  WEFT_INLINE static void rest_of_steps(Vector* x, std::integer_sequence<int, q...> all) {
    if constexpr (g > 0 && g < vector_width) {
      const Vector y[size] = {after_step<joins, g, size, q>(x)...};
      ((x[q] = y[q]), ...);
      rest_of_steps<joins, joins ? 2 * g : g / 2, size>(x, all);
    }
  }
  // All steps, in registers. get(q) is a vector of the one side; calls put(q, vector) for the
  // other.
  template <bool joins, int g, int size, class Get, class Put, int... q>
  WEFT_INLINE static void steps(const Get& get, const Put& put,
                                std::integer_sequence<int, q...> all) {
    Vector x[size] = {get(q)...};
    rest_of_steps<joins, g, size>(x, all);
    (put(q, x[q]), ...);
  }
};

// Returns true if non-temporal stores of such vectors exist, and can write to this address.
template <class Vector>
WEFT_INLINE bool fits_non_temporal(const char* to) {
  constexpr size_t narrowest = 32;  // AVX
  return sizeof(Vector) >= narrowest && reinterpret_cast<uintptr_t>(to) % sizeof(Vector) == 0;
}

// Records of any size, in blocks of as many elements as a vector has. The last block may begin in
// the one before. Measured with 64 elements: half of the time of steps as above in the frame. The
// next call mostly stores the records that follow. Blocks do not write memory in order, so that the
// processor does not fetch it by itself.
template <bool stores, size_t bytes, int vector_width>
WEFT_INLINE void move_blocks(char* to, const char* from, int64_t size) {
  constexpr std::make_integer_sequence<int, vector_width> all;
  constexpr int64_t element = bytes;
  const Stride records{size * element}, vectors{vector_width * element};
  for (int64_t done = 0; done < size; done += vector_width) {
    const int64_t e = std::min(done, size - vector_width);
    Block<bytes, vector_width> block;
    block.load(from + e * (stores ? vectors.bytes : element), stores ? vectors : records, all);
    block.template level<1>(all);
    char* const place = to + e * (stores ? element : vectors.bytes);
    if constexpr (stores)
      block.template fetch<true>(place + vector_width * records.bytes, records, all);
    block.template store<false>(place, stores ? records : vectors, all);
  }
}

template <bool stores, size_t bytes, int vector_width, int short_size>
WEFT_INLINE void move(char* to, const char* from, int64_t elements, int64_t any_size,
                      int32_t non_temporal) {
  using G = Groups<bytes, vector_width>;
  using Vector = typename G::Vector;
  constexpr bool is_short = short_size <= short_record;
  constexpr int most = is_short ? short_size : longest_record;
  const int64_t size = is_short ? short_size : any_size;
  const bool whole = elements == size * vector_width;
  const size_t moved = static_cast<size_t>(elements) * bytes;
  alignas(64) char part[most * sizeof(Vector)];
  if (!stores && !whole) {
    std::memset(part, 0, static_cast<size_t>(size) * sizeof(Vector));
    std::memcpy(part, from, moved);
    from = part;
  }
  const bool streams = stores && whole && non_temporal && fits_non_temporal<Vector>(to);
  // Blocks store vectors at any address.
  const bool direct = whole && (is_short || !streams);
  char* const target = stores && !direct ? part : to;
  const auto get = [](const char* at, int64_t q) WEFT_INLINE_LAMBDA {
    Vector v;
    std::memcpy(&v, at + static_cast<size_t>(q) * sizeof v, sizeof v);
    return v;
  };
  const auto put = [&](char* at, int64_t q, const Vector& v) WEFT_INLINE_LAMBDA {
    char* const place = at + static_cast<size_t>(q) * sizeof(Vector);
    if (streams)
      put_non_temporal(place, v);
    else
      std::memcpy(place, &v, sizeof v);
  };
  if constexpr (is_short) {
    constexpr std::make_integer_sequence<int, most> all;
    G::template steps<stores, stores ? 1 : vector_width / 2, most>(
        [&](int64_t q) WEFT_INLINE_LAMBDA { return get(from, q); },
        [&](int64_t q, const Vector& v) WEFT_INLINE_LAMBDA { put(target, q, v); }, all);
  } else {
    move_blocks<stores, bytes, vector_width>(target, from, size);
    for (int64_t q = 0; streams && q < size; ++q) put(to, q, get(part, q));
  }
  if (stores && !whole) std::memcpy(to, part, moved);
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
