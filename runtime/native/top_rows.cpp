// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/top_rows.cpp: the native code of `top_k`: one pass that keeps the elements above a
// rising threshold, or a full sort if k is a large part of the row.
#include <algorithm>
#include <cstring>
#include <functional>
#include <optional>
#include <vector>

#include "runtime/native/cpu.h"
#include "runtime/native/sort_radix.h"
#include "runtime/native/sort_rows.h"
#include "runtime/native/sort_vectors.h"
#include "runtime/native/sort_word.h"

namespace weft::sorting {
namespace {

// The word type of an element in the order of top_k: at least 32 bits, because vectors compare
// those.
template <class T>
using word_t = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

// A word and its index. Greater candidates come first; of equal words, the one with the smaller
// index is greater.
struct Wide {
  uint64_t word;
  uint32_t from_end;
  friend auto operator<=>(const Wide&, const Wide&) = default;
};
template <class Word>
using candidate_t = std::conditional_t<sizeof(Word) == 8, Wide, uint64_t>;
uint64_t candidate(uint32_t word, uint32_t place) { return uint64_t{word} << 32 | ~place; }
Wide candidate(uint64_t word, uint32_t place) { return {word, ~place}; }
uint32_t word_of(uint64_t c) { return static_cast<uint32_t>(c >> 32); }
uint64_t word_of(const Wide& c) { return c.word; }
uint32_t place_of(uint64_t c) { return ~static_cast<uint32_t>(c); }
uint32_t place_of(const Wide& c) { return ~c.from_end; }

// ---- work on every element, in blocks of constant length, which become vectors

constexpr int64_t group_count = 64, block = 16;

template <class T>
raw_t<T> order_of(const T& x, bool total) {
  return total ? total_order<T>(raw(x)) : top_order<T>(raw(x));
}

template <class T, bool Total>
[[gnu::always_inline]] inline void top_words(const T* __restrict x, int64_t n,
                                             word_t<T>* __restrict w) {
  int64_t i = 0;
  for (; i + block <= n; i += block)
    for (int64_t j = 0; j < block; ++j) w[i + j] = order_of(x[i + j], Total);
  for (; i < n; ++i) w[i] = order_of(x[i], Total);
}

// The k-th greatest of the maxima of group_count groups; n is a multiple of group_count. At least k
// words are no less than it.
template <class Word>
[[gnu::always_inline]] inline Word lower_bound_of(const Word* w, int64_t n, int64_t k) {
  Word most[group_count] = {};
  for (int64_t i = 0; i < n; i += group_count)
    for (int64_t j = 0; j < group_count; ++j) most[j] = most[j] < w[i + j] ? w[i + j] : most[j];
  // Counting is faster than sorting so few elements, because it does not branch.
  Word bound = static_cast<Word>(-1);
  for (Word x : most) {
    Word greater = 0;
    for (int64_t j = 0; j < group_count; ++j) greater += most[j] > x ? 1 : 0;
    bound = greater < static_cast<Word>(k) && x < bound ? x : bound;
  }
  return bound;
}

// Appends the candidates above the bar; returns how many.
template <class Word>
[[gnu::always_inline]] inline int64_t above(const Word* w, int64_t n, Word bar, uint32_t place,
                                            candidate_t<Word>* to) {
  int64_t found = 0, i = 0;
  const auto take = [&](int64_t j) {
    to[found] = candidate(w[j], place + static_cast<uint32_t>(j));
    found += w[j] > bar;
  };
  for (; i + block <= n; i += block) {
    Word any = 0;
    for (int64_t j = 0; j < block; ++j) any |= w[i + j] > bar ? 1 : 0;
    if (any != 0)
      for (int64_t j = i; j < i + block; ++j) take(j);
  }
  for (; i < n; ++i) take(i);
  return found;
}

template <class T>
struct Kernels {
  using Word = word_t<T>;
  void (*words)(const T* x, int64_t n, Word* w);
  void (*total_words)(const T* x, int64_t n, Word* w);
  Word (*bound)(const Word* w, int64_t n, int64_t k);
  int64_t (*above)(const Word* w, int64_t n, Word bar, uint32_t place, candidate_t<Word>* to);
};

template <class T>
struct Plain {
  using Word = word_t<T>;
  static void words(const T* x, int64_t n, Word* w) { top_words<T, false>(x, n, w); }
  static void total(const T* x, int64_t n, Word* w) { top_words<T, true>(x, n, w); }
  static Word bound(const Word* w, int64_t n, int64_t k) { return lower_bound_of<Word>(w, n, k); }
  static int64_t over(const Word* w, int64_t n, Word bar, uint32_t place, candidate_t<Word>* to) {
    return above<Word>(w, n, bar, place, to);
  }
  static constexpr Kernels<T> all{words, total, bound, over};
};

#define WEFT_AVX2 [[gnu::flatten]] WEFT_FOR_V3 static
template <class T>
struct Avx2 {
  using Word = word_t<T>;
  WEFT_AVX2 void words(const T* x, int64_t n, Word* w) { top_words<T, false>(x, n, w); }
  WEFT_AVX2 void total(const T* x, int64_t n, Word* w) { top_words<T, true>(x, n, w); }
  WEFT_AVX2 Word bound(const Word* w, int64_t n, int64_t k) {
    return lower_bound_of<Word>(w, n, k);
  }
  WEFT_AVX2 int64_t over(const Word* w, int64_t n, Word bar, uint32_t place,
                         candidate_t<Word>* to) {
    return above<Word>(w, n, bar, place, to);
  }
  static constexpr Kernels<T> all{words, total, bound, over};
};
#undef WEFT_AVX2
template <class T>
const Kernels<T>& kernels() {
  return native::for_cpu(Plain<T>::all, Avx2<T>::all, Avx2<T>::all);
}

// ---- the best of a row

constexpr int64_t chunk = 4096;

// The k best candidates among the elements seen so far, and some more.
template <class T>
class Best {
 public:
  using Word = word_t<T>;
  using Candidate = candidate_t<Word>;
  Best(int64_t k, bool total)
      : k_(k),
        total_(total),
        slack_(std::max(k, group_count)),
        memory_(bytes(k)),
        words_(memory_.take<Word>(chunk)),
        kept_(memory_.take<Candidate>(k + slack_ + chunk)) {}
  static int64_t bytes(int64_t k) {
    return Scratch::bytes_of<Word>(chunk) +
           Scratch::bytes_of<Candidate>(k + std::max(k, group_count) + chunk);
  }

  void clear() {
    size_ = 0;
    bar_.reset();
  }
  // Processes elements [lo, hi) of a row.
  void see(const T* row, int64_t step, int64_t lo, int64_t hi) {
    for (; lo < hi; lo += chunk) {
      const int64_t n = std::min(chunk, hi - lo);
      const T* x = row + lo * step;
      if (step == 1)
        (total_ ? kernels<T>().total_words : kernels<T>().words)(x, n, words_);
      else
        for (int64_t i = 0; i < n; ++i) words_[i] = order_of(x[i * step], total_);
      if (!bar_) guess(n);
      see_words(n, static_cast<uint32_t>(lo));
    }
  }
  void add(const Best& o) {
    for (int64_t i = 0; i < o.size_; ++i) {
      kept_[size_++] = o.kept_[i];
      if (size_ == k_ + slack_) keep_best();
    }
  }
  // The k best, sorted in descending order.
  const Candidate* sorted() {
    if (size_ > 4 * group_count) keep_best();
    std::sort(kept_, kept_ + size_, std::greater<>());
    return kept_;
  }
  void keep_best() {
    if (size_ <= k_) return;
    std::nth_element(kept_, kept_ + k_ - 1, kept_ + size_, std::greater<>());
    size_ = k_;
    bar_ = word_of(kept_[k_ - 1]);
  }

 private:
  // Sets the bar so that at least k words of the first chunk are above it, but not many more.
  void guess(int64_t n) {
    if (2 * k_ > group_count || n < 2 * group_count) return;
    const Word bound = kernels<T>().bound(words_, n / group_count * group_count, k_);
    if (bound != 0) bar_ = bound - 1;
  }
  void see_words(int64_t n, uint32_t place) {
    if (bar_) {
      size_ += kernels<T>().above(words_, n, *bar_, place, kept_ + size_);
    } else {
      for (int64_t i = 0; i < n; ++i)
        kept_[size_ + i] = candidate(words_[i], place + static_cast<uint32_t>(i));
      size_ += n;
    }
    // A later element must be greater than all kept ones: among equal words, the first index wins.
    if (size_ >= k_ + slack_) keep_best();
  }

  const int64_t k_;
  const bool total_;
  int64_t slack_, size_ = 0;
  std::optional<Word> bar_;
  Scratch memory_;
  Word* words_;
  Candidate* kept_;
};

template <class T>
struct TopCall {
  const T* in;
  T* out;
  int32_t* places;
  Rows from, to;
  int64_t k;
  bool total;
};

template <class T>
void write_top(const TopCall<T>& c, int64_t row, int64_t i, uint32_t place) {
  const int64_t to = c.to.start(row) + i * c.to.step;
  c.out[to] = c.in[c.from.start(row) + static_cast<int64_t>(place) * c.from.step];
  c.places[to] = static_cast<int32_t>(place);
}

template <class T>
void few(const TopCall<T>& c) {
  const int64_t n = c.from.length, parts = parts_of_row(c.from.count, n);
  const auto finish = [&](Best<T>& best, int64_t row) {
    const auto* found = best.sorted();
    for (int64_t i = 0; i < c.k; ++i) write_top(c, row, i, place_of(found[i]));
  };
  if (parts == 1) {
    partition(c.from.count, static_cast<double>(n) + 20.0 * static_cast<double>(c.k),
              [&](int64_t lo, int64_t hi) {
                Best<T> best(c.k, c.total);
                for (int64_t row = lo; row < hi; ++row) {
                  best.clear();
                  best.see(c.in + c.from.start(row), c.from.step, 0, n);
                  finish(best, row);
                }
              });
    return;
  }
  for (int64_t row = 0; row < c.from.count; ++row) {
    std::vector<std::optional<Best<T>>> best(parts);
    in_parts(n, parts, [&](int64_t p, int64_t lo, int64_t hi) {
      Best<T>& b = best[p].emplace(c.k, c.total);
      b.see(c.in + c.from.start(row), c.from.step, lo, hi);
      b.keep_best();
    });
    for (size_t p = 1; p < best.size(); ++p) best[0]->add(*best[p]);
    finish(*best[0], row);
  }
}

// Sorts by the complement of the word. The sort is stable, so among equal words the first index
// comes first.
template <class T>
void many(const TopCall<T>& c) {
  using Word = word_t<T>;
  using Record = Placed<Word, uint32_t>;
  const int64_t n = c.from.length, parts = parts_of_row(c.from.count, n);
  const auto run = [&](int64_t first, int64_t last) {
    Radix<Record> radix(parts);
    Scratch memory(2 * Scratch::bytes_of<Record>(n));
    Record *const a = memory.take<Record>(n), *const b = memory.take<Record>(n);
    for (int64_t row = first; row < last; ++row) {
      const T* x = c.in + c.from.start(row);
      in_parts(n, parts, [&](int64_t, int64_t lo, int64_t hi) {
        for (int64_t i = lo; i < hi; ++i)
          a[i] = {static_cast<Word>(~Word{order_of(x[i * c.from.step], c.total)}),
                  static_cast<uint32_t>(i)};
      });
      const Record* sorted = radix.sort(a, b, n);
      for (int64_t i = 0; i < c.k; ++i) write_top(c, row, i, sorted[i].at);
    }
  };
  if (parts > 1)
    run(0, c.from.count);
  else
    partition(c.from.count, 12.0 * static_cast<double>(n) + 1000, run);
}

bool sorts_all(int64_t n, int64_t k) { return n > 256 && k > n / 8; }

}  // namespace

int64_t top_workspace(const Type& type, int64_t axis, int64_t k) {
  const Rows rows = rows_of(type.shape(), axis);
  const int64_t parts = parts_of_row(rows.count, rows.length);
  int64_t each = 0;
  with_dtype(type.dtype(), [&](auto* q) {
    using T = std::remove_pointer_t<decltype(q)>;
    if constexpr (!is_complex_v<T>)
      each = sorts_all(rows.length, k)
                 ? 2 * Scratch::bytes_of<Placed<word_t<T>, uint32_t>>(rows.length)
                 : Best<T>::bytes(k);
  });
  if (k == 0) return 0;
  if (parts > 1) return sorts_all(rows.length, k) ? each : parts * each;
  return shared_bytes(rows.count, each);
}

void top_rows(const Type& type, int64_t axis, int64_t k, bool total, const NativeArgs& args) {
  const Shape& s = type.shape();
  if (k == 0) return;
  with_dtype(type.dtype(), [&](auto* q) {
    using T = std::remove_pointer_t<decltype(q)>;
    if constexpr (!is_complex_v<T>) {
      const Shape top = s.with(static_cast<int>(axis), k);
      const TopCall<T> c{args.in<T>(0, s.elements()),
                         args.out<T>(0, top.elements()),
                         args.out<int32_t>(1, top.elements()),
                         rows_of(s, axis),
                         rows_of(top, axis),
                         k,
                         total};
      if (sorts_all(c.from.length, k))
        many(c);
      else
        few(c);
    }
  });
}

}  // namespace weft::sorting
