// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/sort_rows.cpp: the native code of `sort`: short rows side by side through a
// sorting network, long rows by radix sort.
#include "runtime/native/sort_rows.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "runtime/native/sort_radix.h"
#include "runtime/native/sort_vectors.h"
#include "runtime/native/sort_word.h"
#include "weft/device/threads.h"
#include "weft/dtype.h"

namespace weft::sorting {

Rows rows_of(const Shape& s, int64_t axis) {
  Rows r;
  r.length = s[axis];
  for (int64_t a = axis + 1; a < s.ndim(); ++a) r.step *= s[a];
  r.count = r.length == 0 ? 0 : s.elements() / r.length;
  return r;
}

void partition(int64_t n, double ns, FunctionRef<void(int64_t, int64_t)> f) {
  const double total = ns * static_cast<double>(n);
  if (n <= 0) return;
  if (total < 40000 || num_threads() == 1) {
    f(0, n);
    return;
  }
  // Parts of at least 20 microseconds, because each allocates its own memory.
  const double parts = std::min(total / 20000, num_threads() * 8.0);
  parallel_for(n, std::max<int64_t>(1, static_cast<int64_t>(static_cast<double>(n) / parts)), f);
}

int64_t shared_bytes(int64_t n, int64_t each) { return std::min<int64_t>(n, num_threads()) * each; }

int64_t parts_of_row(int64_t count, int64_t length) {
  const int64_t threads = num_threads();
  if (threads == 1 || length < 65536 || count >= 4 * threads) return 1;
  return std::min(2 * threads, length / 16384);
}

namespace {

struct Call {
  const Types& types;
  const NativeArgs& args;
  int64_t keys;
  Rows rows;

  template <class T>
  const T* in(size_t operand) const {
    return args.in<T>(operand, types[operand].elements());
  }
  template <class T>
  T* out(size_t operand) const {
    return args.out<T>(operand, types[operand].elements());
  }
  // Returns true if a single word of one operand determines the order.
  bool one_word() const { return keys == 1 && types[0].dtype() != C128; }
};

// Calls f(read) for each word of the sort key, the least significant first. read(i) is the word of
// the element at i.
template <class F>
void each_word(const Call& c, F f) {
  for (size_t k = c.keys; k-- > 0;)
    with_dtype(c.types[k].dtype(), [&](auto* q) {
      using T = std::remove_pointer_t<decltype(q)>;
      const T* x = c.in<T>(k);
      if constexpr (std::is_same_v<T, complex128_t>) {
        f([x](int64_t i) -> uint64_t { return word(x[i].im); });
        f([x](int64_t i) -> uint64_t { return word(x[i].re); });
      } else {
        f([x](int64_t i) -> uint64_t { return word(x[i]); });
      }
    });
}

struct Sixteen {
  uint64_t word[2];
};
// Writes elements [lo, hi) of a row of every operand in the order that at(i) gives.
template <class At>
void write_in_order(const Call& c, int64_t row, int64_t lo, int64_t hi, At at) {
  const int64_t start = c.rows.start(row), step = c.rows.step;
  const auto copy = [&]<class T>(const T* from, T* to) {
    for (int64_t i = lo; i < hi; ++i)
      to[start + i * step] = from[start + static_cast<int64_t>(at(i)) * step];
  };
  for (size_t k = 0; k < c.types.size(); ++k) switch (itemsize(c.types[k].dtype())) {
      case 1: copy(c.in<uint8_t>(k), c.out<uint8_t>(k)); break;
      case 2: copy(c.in<uint16_t>(k), c.out<uint16_t>(k)); break;
      case 4: copy(c.in<uint32_t>(k), c.out<uint32_t>(k)); break;
      case 8: copy(c.in<uint64_t>(k), c.out<uint64_t>(k)); break;
      default: copy(c.in<Sixteen>(k), c.out<Sixteen>(k)); break;
    }
}

// ---- short rows, side by side

// The memory that one thread needs for a block of rows.
class SideBySide {
 public:
  static constexpr int64_t most = 16;  // rows per block
  static int64_t bytes(int64_t n) {
    return 2 * Scratch::bytes_of<uint64_t>(n * 8) + Scratch::bytes_of<uint32_t>(n * most);
  }
  SideBySide(const Call& c) : c_(c), n_(c.rows.length), memory_(bytes(n_)) {
    words_ = memory_.take<uint64_t>(n_ * 8);
    places_ = memory_.take<uint64_t>(n_ * 8);
    order_ = memory_.take<uint32_t>(n_ * most);
    // Unused row positions are sorted too, so they must be initialized.
    std::memset(words_, 0, n_ * 64);
    std::memset(places_, 0, n_ * 64);
  }

  // Sorts rows [first, first + count), at most `most` rows.
  void sort(int64_t first, int64_t count) {
    if (c_.types.size() == 1 && c_.keys == 1 && sort_values(first, count)) return;
    with_dtype(c_.types[0].dtype(), [&](auto* q) {
      using T = std::remove_pointer_t<decltype(q)>;
      if (!c_.one_word())
        in_eights(first, count, [&](int64_t r, int64_t n) { order_by_all(r, n); });
      else if constexpr (sizeof(T) <= 2)
        order_by_narrow<T>(first, count);
      else if constexpr (sizeof(T) == 4)
        in_eights(first, count, [&](int64_t r, int64_t n) { order_by_half<T>(r, n); });
      else if constexpr (sizeof(T) == 8)
        in_eights(first, count, [&](int64_t r, int64_t n) { order_by_word<T>(r, n); });
    });
  }

 private:
  template <class F>
  static void in_eights(int64_t first, int64_t count, F f) {
    for (int64_t r = 0; r < count; r += 8) f(first + r, std::min<int64_t>(8, count - r));
  }
  // Calls f(row in block, i, address of element i of that row). Contiguous rows are visited in
  // tiles, strided rows element by element.
  template <class F>
  void each(int64_t first, int64_t count, F f) const {
    int64_t start[most];
    for (int64_t l = 0; l < count; ++l) start[l] = c_.rows.start(first + l);
    const int64_t step = c_.rows.step;
    constexpr int64_t tile = 16;
    int64_t t = 0;
    for (; step == 1 && t + tile <= n_; t += tile)
      for (int64_t l = 0; l < count; ++l)
        for (int64_t i = t; i < t + tile; ++i) f(l, i, start[l] + i);
    for (; t < n_; ++t)
      for (int64_t l = 0; l < count; ++l) f(l, t, start[l] + t * step);
  }

  // Sorts a single operand as words from which the elements are restored. Returns false if some
  // elements cannot be restored from their words.
  bool sort_values(int64_t first, int64_t count) {
    return with_dtype(c_.types[0].dtype(), [&](auto* q) {
      using T = std::remove_pointer_t<decltype(q)>;
      if constexpr (is_complex_v<T> || sizeof(T) < 4)
        return false;
      else if constexpr (sizeof(T) == 8)
        return sort_values_as<T>(first, std::min<int64_t>(8, count)) &&
               (count <= 8 || sort_values_as<T>(first + 8, count - 8));
      else
        return sort_values_as<T>(first, count);
    });
  }
  template <class T>
  bool sort_values_as(int64_t first, int64_t count) {
    using Word = raw_t<T>;
    constexpr int64_t width = rows_of_vector<Word>;
    Word* const v = reinterpret_cast<Word*>(words_);
    const T* x = c_.in<T>(0);
    bool ambiguous = false;
    each(first, count, [&](int64_t l, int64_t i, int64_t at) {
      const Word b = raw(x[at]);
      ambiguous |= is_ambiguous<T>(b);
      v[i * width + l] = total_order<T>(b);
    });
    if (ambiguous) return false;
    if constexpr (sizeof(T) == 4)
      vector_sorts().words32(v, n_);
    else
      vector_sorts().words64(v, n_);
    Word* y = c_.out<Word>(0);
    each(first, count,
         [&](int64_t l, int64_t i, int64_t at) { y[at] = from_total_order<T>(v[i * width + l]); });
    return true;
  }

  // A word of at most half the width and the element's index below it form one word.
  template <class T>
  void order_by_narrow(int64_t first, int64_t count) {
    uint32_t* const v = reinterpret_cast<uint32_t*>(words_);
    const T* x = c_.in<T>(0);
    each(first, count, [&](int64_t l, int64_t i, int64_t at) {
      v[i * 16 + l] = uint32_t{word(x[at])} << 16 | static_cast<uint32_t>(i);
    });
    vector_sorts().words32(v, n_);
    write(first, count, [&](int64_t l, int64_t i) { return v[i * 16 + l] & 0xffff; });
  }
  template <class T>
  void order_by_half(int64_t first, int64_t count) {
    const T* x = c_.in<T>(0);
    each(first, count, [&](int64_t l, int64_t i, int64_t at) {
      words_[i * 8 + l] = uint64_t{word(x[at])} << 32 | static_cast<uint64_t>(i);
    });
    vector_sorts().words64(words_, n_);
    write(first, count, [&](int64_t l, int64_t i) { return words_[i * 8 + l] & 0xffffffff; });
  }
  template <class T>
  void order_by_word(int64_t first, int64_t count) {
    const T* x = c_.in<T>(0);
    each(first, count, [&](int64_t l, int64_t i, int64_t at) {
      words_[i * 8 + l] = word(x[at]);
      places_[i * 8 + l] = static_cast<uint64_t>(i);
    });
    vector_sorts().placed64(words_, places_, n_);
    write(first, count, [&](int64_t l, int64_t i) { return places_[i * 8 + l]; });
  }
  // Sorts by one word after another, each time stably in the order found so far.
  void order_by_all(int64_t first, int64_t count) {
    for (int64_t j = 0; j < n_ * count; ++j) order_[j] = static_cast<uint32_t>(j % n_);
    each_word(c_, [&](auto read) {
      for (int64_t l = 0; l < count; ++l) {
        const int64_t start = c_.rows.start(first + l);
        for (int64_t i = 0; i < n_; ++i) {
          const uint32_t at = order_[l * n_ + i];
          words_[i * 8 + l] = read(start + at * c_.rows.step);
          places_[i * 8 + l] = static_cast<uint64_t>(i) << 32 | at;
        }
      }
      vector_sorts().placed64(words_, places_, n_);
      for (int64_t l = 0; l < count; ++l)
        for (int64_t i = 0; i < n_; ++i)
          order_[l * n_ + i] = static_cast<uint32_t>(places_[i * 8 + l]);
    });
    for (int64_t l = 0; l < count; ++l)
      write_in_order(c_, first + l, 0, n_, [&](int64_t i) { return order_[l * n_ + i]; });
  }
  template <class At>
  void write(int64_t first, int64_t count, At at) {
    for (int64_t l = 0; l < count; ++l)
      write_in_order(c_, first + l, 0, n_, [&](int64_t i) { return at(l, i); });
  }

  const Call& c_;
  int64_t n_;
  Scratch memory_;
  uint64_t *words_, *places_;
  uint32_t* order_;
};

// ---- long rows

// Calls f(state, row) for each row: on several threads, or one row after the other if the threads
// share each row. State is reused by one thread from row to row.
template <class State, class F>
void each_row(const Call& c, double ns, F f) {
  const int64_t parts = parts_of_row(c.rows.count, c.rows.length);
  const auto run = [&](int64_t lo, int64_t hi) {
    State s(c, parts);
    for (int64_t row = lo; row < hi; ++row) f(s, row);
  };
  if (parts > 1)
    run(0, c.rows.count);
  else
    partition(c.rows.count, ns, run);
}

// Returns true if rows are sorted word by word, as records of a word and an index.
bool by_all(const Call& c) {
  const bool places_fit = c.rows.length <= std::numeric_limits<uint32_t>::max();
  return !c.one_word() || (c.types.size() > 1 && !places_fit);
}
// The number of record buffers that sorting one row needs. A single contiguous operand is sorted
// from its input to its output, with one buffer.
int64_t rows_beside(const Call& c) {
  return !by_all(c) && c.types.size() == 1 && c.rows.step == 1 ? 1 : 2;
}

template <class Record>
struct RowsBeside {
  RowsBeside(const Call& c, int64_t p)
      : parts(p),
        radix(p),
        memory(rows_beside(c) * Scratch::bytes_of<Record>(c.rows.length)),
        a(memory.take<Record>(c.rows.length)),
        b(rows_beside(c) == 2 ? memory.take<Record>(c.rows.length) : nullptr) {}
  int64_t parts;
  Radix<Record> radix;
  Scratch memory;
  Record *a, *b;
};

// Sorts a single operand.
template <class T>
void sort_long_values(const Call& c, double ns) {
  const T* x = c.in<T>(0);
  T* y = c.out<T>(0);
  const int64_t n = c.rows.length, step = c.rows.step;
  each_row<RowsBeside<T>>(c, ns, [&](RowsBeside<T>& s, int64_t row) {
    const int64_t start = c.rows.start(row);
    if (step == 1) {
      s.radix.sort(x + start, y + start, s.a, n);
      return;
    }
    in_parts(n, s.parts, [&](int64_t, int64_t lo, int64_t hi) {
      for (int64_t i = lo; i < hi; ++i) s.a[i] = x[start + i * step];
    });
    const T* sorted = s.radix.sort(s.a, s.b, n);
    in_parts(n, s.parts, [&](int64_t, int64_t lo, int64_t hi) {
      for (int64_t i = lo; i < hi; ++i) y[start + i * step] = sorted[i];
    });
  });
}

// Sorts elements of one operand together with their indices, or with the elements of the only other
// operand.
template <class T>
void sort_long_placed(const Call& c, double ns) {
  using Record = Placed<T, uint32_t>;
  const T* x = c.in<T>(0);
  const int64_t n = c.rows.length, step = c.rows.step;
  const bool pairs = c.types.size() == 2 && itemsize(c.types[1].dtype()) == 4;
  T* y = c.out<T>(0);
  const uint32_t* x_other = pairs ? c.in<uint32_t>(1) : nullptr;
  uint32_t* y_other = pairs ? c.out<uint32_t>(1) : nullptr;
  each_row<RowsBeside<Record>>(c, ns, [&](RowsBeside<Record>& s, int64_t row) {
    const int64_t start = c.rows.start(row);
    in_parts(n, s.parts, [&](int64_t, int64_t lo, int64_t hi) {
      for (int64_t i = lo; i < hi; ++i) {
        const int64_t at = start + i * step;
        s.a[i] = {x[at], pairs ? x_other[at] : static_cast<uint32_t>(i)};
      }
    });
    const Record* sorted = s.radix.sort(s.a, s.b, n);
    in_parts(n, s.parts, [&](int64_t, int64_t lo, int64_t hi) {
      if (!pairs) {
        write_in_order(c, row, lo, hi, [&](int64_t i) { return sorted[i].at; });
        return;
      }
      for (int64_t i = lo; i < hi; ++i) {
        y[start + i * step] = sorted[i].key;
        y_other[start + i * step] = sorted[i].at;
      }
    });
  });
}

// Several words, or rows so long that an index needs 64 bits: sorts word by word.
void sort_long_by_all(const Call& c, double ns) {
  using Record = Placed<uint64_t, uint64_t>;
  const int64_t n = c.rows.length, step = c.rows.step;
  each_row<RowsBeside<Record>>(c, ns, [&](RowsBeside<Record>& s, int64_t row) {
    const int64_t start = c.rows.start(row);
    Record *sorted = s.a, *other = s.b;
    for (int64_t i = 0; i < n; ++i) sorted[i].at = static_cast<uint64_t>(i);
    each_word(c, [&](auto read) {
      in_parts(n, s.parts, [&](int64_t, int64_t lo, int64_t hi) {
        for (int64_t i = lo; i < hi; ++i)
          sorted[i].key = read(start + static_cast<int64_t>(sorted[i].at) * step);
      });
      Record* const result = s.radix.sort(sorted, other, n);
      if (result != sorted) std::swap(sorted, other);
    });
    in_parts(n, s.parts, [&](int64_t, int64_t lo, int64_t hi) {
      write_in_order(c, row, lo, hi, [&](int64_t i) { return sorted[i].at; });
    });
  });
}

// ---- the choice

// Rough nanoseconds for a block of rows side by side, and for one row by radix sort.
double vectors_ns(const Call& c) {
  const auto n = static_cast<double>(c.rows.length);
  const int bytes = itemsize(c.types[0].dtype());
  const VectorSorts& s = vector_sorts();
  const bool alone = c.types.size() == 1;
  double each = 0;
  if (!c.one_word())
    each = 2 * static_cast<double>(c.keys) * s.ns_placed;
  else if (bytes < 4 || (bytes == 4 && alone))
    each = s.ns32;
  else if (bytes == 4 || alone)
    each = 2 * s.ns64;
  else
    each = 2 * s.ns_placed;
  // Beyond the first-level cache every comparison costs more.
  if (c.rows.length > 512) each *= 3;
  const auto rows = static_cast<double>(std::min(c.rows.count, SideBySide::most));
  return vector_comparisons(c.rows.length) * each + 2 * n * rows;
}
double radix_ns(const Call& c) {
  int words = 0;
  for (size_t k = 0; k < static_cast<size_t>(c.keys); ++k)
    words += c.types[k].dtype() == C128 ? 2 : 1;
  const int digits = c.rows.length < 2048 ? 8 : 11;
  const int bits = c.one_word() ? 8 * itemsize(c.types[0].dtype()) : 64;
  const int passes = words * ((bits + digits - 1) / digits);
  return passes * (300 + 3 * static_cast<double>(c.rows.length));
}

int64_t blocks_of(const Call& c) {
  return (c.rows.count + SideBySide::most - 1) / SideBySide::most;
}
bool side_by_side(const Call& c) {
  return c.rows.length <= 2048 && static_cast<double>(blocks_of(c)) * vectors_ns(c) <
                                      static_cast<double>(c.rows.count) * radix_ns(c);
}

}  // namespace

int64_t sort_workspace(const Types& types, int64_t axis, int64_t keys) {
  const NativeArgs none{{}, {}};
  const Call c{types, none, keys, rows_of(types[0].shape(), axis)};
  if (c.rows.count == 0) return 0;
  if (side_by_side(c)) return shared_bytes(blocks_of(c), SideBySide::bytes(c.rows.length));
  const int64_t size = itemsize(types[0].dtype());
  const int64_t record = by_all(c)           ? sizeof(Placed<uint64_t, uint64_t>)
                         : types.size() == 1 ? size
                         : size == 8         ? sizeof(Placed<uint64_t, uint32_t>)
                                             : sizeof(Placed<uint32_t, uint32_t>);
  const int64_t each = rows_beside(c) * Scratch::bytes_of<std::byte>(record * c.rows.length);
  return parts_of_row(c.rows.count, c.rows.length) > 1 ? each : shared_bytes(c.rows.count, each);
}

void sort_rows(const Types& types, int64_t axis, int64_t keys, const NativeArgs& args) {
  const Call c{types, args, keys, rows_of(types[0].shape(), axis)};
  if (c.rows.count == 0) return;
  const double in_vectors = vectors_ns(c), alone = radix_ns(c);
  if (side_by_side(c)) {
    partition(blocks_of(c), in_vectors, [&](int64_t lo, int64_t hi) {
      SideBySide rows(c);
      for (int64_t b = lo; b < hi; ++b)
        rows.sort(b * SideBySide::most,
                  std::min(SideBySide::most, c.rows.count - b * SideBySide::most));
    });
    return;
  }
  if (by_all(c)) {
    sort_long_by_all(c, alone);
    return;
  }
  with_dtype(types[0].dtype(), [&](auto* q) {
    using T = std::remove_pointer_t<decltype(q)>;
    if constexpr (!std::is_same_v<T, complex128_t>)
      types.size() == 1 ? sort_long_values<T>(c, alone) : sort_long_placed<T>(c, alone);
  });
}

}  // namespace weft::sorting
