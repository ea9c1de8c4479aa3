// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/sort_radix.h: stable radix sort of long rows, from the least significant digit.
// Records are moved whole, so that equal ones keep their bits and their order.
#pragma once
#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "core/ir.h"
#include "runtime/native/sort_word.h"
#include "weft/device/threads.h"

namespace weft::sorting {

// An element with its original index, or with other data that moves along.
template <class T, class At>
struct Placed {
  T key;
  At at;
};
template <class T, class At>
raw_t<T> word(const Placed<T, At>& x) {
  return word(x.key);
}

// Calls f(part, begin, end) in parallel for `parts` pieces of [0, n).
template <class F>
void in_parts(int64_t n, int64_t parts, F f) {
  const int64_t size = (n + parts - 1) / parts;
  const auto run = [&](int64_t lo, int64_t hi) {
    for (int64_t p = lo; p < hi; ++p) f(p, std::min(n, p * size), std::min(n, (p + 1) * size));
  };
  if (parts == 1)
    run(0, 1);
  else
    parallel_for(parts, 1, run);
}

// Sorts rows of records; reuses its tables from row to row.
template <class Record>
class Radix {
 public:
  explicit Radix(int64_t parts) : parts_(parts), differing_(parts) {}

  // Sorts `from` into `to`, with `other` as scratch. The three arrays have room for n and do not
  // overlap.
  void sort(const Record* from, Record* to, Record* other, int64_t n) {
    const std::vector<int> shifts = plan(from, n);
    if (shifts.empty())
      in_parts(n, parts_,
               [&](int64_t, int64_t lo, int64_t hi) { std::copy(from + lo, from + hi, to + lo); });
    for (size_t i = 0; i < shifts.size(); ++i) {
      Record* const target = (shifts.size() - i) % 2 == 1 ? to : other;
      pass(from, target, n, shifts[i]);
      from = target;
    }
  }
  // Sorts with a and b as buffers; returns the one that holds the result.
  Record* sort(Record* a, Record* b, int64_t n) {
    for (int shift : plan(a, n)) {
      pass(a, b, n, shift);
      std::swap(a, b);
    }
    return a;
  }

 private:
  using Word = raw_t<decltype(word(std::declval<Record>()))>;

  // The lowest bits of the digits in which words differ.
  std::vector<int> plan(const Record* x, int64_t n) {
    if (n < 2) return {};
    const Word first = word(x[0]);
    in_parts(n, parts_, [&](int64_t p, int64_t lo, int64_t hi) {
      Word d = 0;
      for (int64_t i = lo; i < hi; ++i) d |= static_cast<Word>(word(x[i]) ^ first);
      differing_[p] = d;
    });
    uint64_t differ = 0;
    for (Word d : differing_) differ |= d;
    if (differ == 0) return {};
    // Digits of equal size. Short rows use smaller digits because large tables do not pay off.
    const int low = std::countr_zero(differ), width = std::bit_width(differ) - low;
    const int most = n < 2048 ? 8 : 11, digits = (width + most - 1) / most;
    bits_ = (width + digits - 1) / digits;
    std::vector<int> shifts;
    for (int s = low; s < low + width; s += bits_)
      if ((differ >> s & mask()) != 0) shifts.push_back(s);
    return shifts;
  }
  uint64_t mask() const { return (uint64_t{1} << bits_) - 1; }

  void pass(const Record* from, Record* to, int64_t n, int shift) {
    const size_t buckets = size_t{1} << bits_;
    const auto mask = static_cast<Word>(this->mask());
    counts_.assign(buckets * static_cast<size_t>(parts_), 0);
    in_parts(n, parts_, [&](int64_t p, int64_t lo, int64_t hi) {
      int64_t* const count = counts_.data() + static_cast<size_t>(p) * buckets;
      for (int64_t i = lo; i < hi; ++i) ++count[word(from[i]) >> shift & mask];
    });
    int64_t sum = 0;
    for (size_t b = 0; b < buckets; ++b)
      for (size_t p = 0; p < static_cast<size_t>(parts_); ++p)
        sum += std::exchange(counts_[p * buckets + b], sum);
    in_parts(n, parts_, [&](int64_t p, int64_t lo, int64_t hi) {
      int64_t* const next = counts_.data() + static_cast<size_t>(p) * buckets;
      for (int64_t i = lo; i < hi; ++i) {
        const Record r = from[i];
        to[next[word(r) >> shift & mask]++] = r;
      }
    });
  }

  int64_t parts_;
  int bits_ = 0;
  std::vector<Word> differing_;  // one per part
  std::vector<int64_t> counts_;  // by part and digit
};

}  // namespace weft::sorting
