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
                           const int64_t* from_starts, int32_t how) {
  constexpr size_t cache_line = 64, ahead = 4 * cache_line;
  constexpr std::make_integer_sequence<int, vector_width> all;
  if (to_starts[0] || from_starts[0]) return;
  Block<bytes, vector_width> block;
  block.load(from, from_starts, all);
  // Later calls may continue along rows that are not contiguous. Then their data is prefetched.
  if (!(how & TurnHow::without_prefetch) && from_starts[1] != bytes * vector_width)
    block.fetch(from + ahead, from_starts, all);
  block.template level<1>(all);
  if constexpr (lines && bytes * vector_width == cache_line)
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

  // The same for any size, in the frame: one step, and those after it.
  template <bool joins, int g, class Get, class Put>
  WEFT_INLINE static void any_step(const Get& get, int64_t size, const Put& put) {
    const int64_t half = size / 2, odd = size % 2;
    if constexpr (joins) {
      for (int64_t q = 0; q < half; ++q) put(q, alternate<g, 0, 0>(get(2 * q), get(2 * q + 1)));
      if (odd) put(half, alternate<g, 0, 1>(get(size - 1), get(0)));
      for (int64_t q = odd; q < half + odd; ++q)
        put(half + q, alternate<g, 1, 1>(get(2 * q - odd), get(2 * q - odd + 1)));
    } else if (odd) {
      for (int64_t q = 0; q < half; ++q) {
        put(2 * q, alternate<g, 0, 1>(get(q), get(q + half)));
        put(2 * q + 1, alternate<g, 1, 0>(get(q), get(q + half + 1)));
      }
      put(size - 1, alternate<g, 0, 1>(get(half), get(size - 1)));
    } else {
      for (int64_t q = 0; q < half; ++q) {
        put(2 * q, alternate<g, 0, 0>(get(q), get(q + half)));
        put(2 * q + 1, alternate<g, 1, 1>(get(q), get(q + half)));
      }
    }
  }
  template <bool joins, int g, class Get, class Put>
  WEFT_INLINE static void any_steps(const Get& get, int64_t size, Vector* spare, Vector* other,
                                    const Put& put) {
    if constexpr (joins ? 2 * g == vector_width : g == 1) {
      any_step<joins, g>(get, size, put);
    } else {
      any_step<joins, g>(get, size,
                         [&](int64_t q, const Vector& v) WEFT_INLINE_LAMBDA { spare[q] = v; });
      any_steps<joins, joins ? 2 * g : g / 2>(
          [&](int64_t q) WEFT_INLINE_LAMBDA { return spare[q]; }, size, other, spare, put);
    }
  }
};

// Returns true if non-temporal stores of such vectors exist, and can write to this address.
template <class Vector>
WEFT_INLINE bool fits_non_temporal(const char* to) {
  constexpr size_t narrowest = 32;  // AVX
  return sizeof(Vector) >= narrowest && reinterpret_cast<uintptr_t>(to) % sizeof(Vector) == 0;
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
  char* const target = stores && !whole ? part : to;
  const bool streams = stores && whole && non_temporal && fits_non_temporal<Vector>(to);
  const auto put = [&](int64_t q, const Vector& v) WEFT_INLINE_LAMBDA {
    char* const place = target + static_cast<size_t>(q) * sizeof(Vector);
    if (streams)
      put_non_temporal(place, v);
    else
      std::memcpy(place, &v, sizeof v);
  };
  const auto get = [&](int64_t q) WEFT_INLINE_LAMBDA {
    Vector v;
    std::memcpy(&v, from + static_cast<size_t>(q) * sizeof v, sizeof v);
    return v;
  };
  constexpr int first = stores ? 1 : vector_width / 2;
  if constexpr (is_short) {
    constexpr std::make_integer_sequence<int, most> all;
    G::template steps<stores, first, most>(get, put, all);
  } else {
    Vector spare[most], other[most];
    G::template any_steps<stores, first>(get, size, spare, other, put);
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
