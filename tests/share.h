// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/share.h: which cases of a large family of generated ones a run judges.
#pragma once
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "weft/ops/kit/sample_numbers.h"

namespace weft {

// By how many the shares of cases that the quick run judges are divided here; 0: all are judged.
inline uint64_t share_divisor() {
  const char* s = std::getenv("WEFT_CASES");
  if (!s) return 1;
  return std::strcmp(s, "all") == 0 ? 0 : std::strtoull(s, nullptr, 10);
}

// How many of so many cases a run judges whose order says nothing, and that the quick run judges
// all.
inline uint64_t share_of(uint64_t count) {
  const uint64_t divisor = share_divisor();
  return divisor == 0 ? count : count / divisor;
}

// Hands out the cases of one family, one next() each. The quick run judges the first case and one
// in `every` of the others; a run with WEFT_CASES=all (as ctest's NAME/slow, for tests tagged
// [share]) judges them all, one with WEFT_CASES=N (as under sanitizers) one in N * every. Which
// ones is the same in each run, hangs on `seed`, and follows no order in which loops make them.
class Share {
 public:
  explicit Share(uint64_t every, uint64_t seed = 0)
      : every_(every * share_divisor()), numbers_(seed) {}
  // All cases, in every run.
  static Share all() { return Share(); }
  bool next() {
    const bool chosen = every_ == 0 || numbers_.word() % every_ == 0;
    return std::exchange(first_, false) || chosen;
  }

 private:
  Share() : numbers_(0) {}
  uint64_t every_ = 0;  // 0: each
  SampleNumbers numbers_;
  bool first_ = true;
};

}  // namespace weft
