// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/support/share.h: selects the cases of a large generated family that one run checks.
#pragma once
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "ops/kit/sample_numbers.h"

namespace weft {

// Returns the number that divides the share of cases that this run checks, compared with the quick
// run. 0 means that the run checks all cases.
inline uint64_t share_divisor() {
  const char* s = std::getenv("WEFT_CASES");
  if (!s) return 1;
  return std::strcmp(s, "all") == 0 ? 0 : std::strtoull(s, nullptr, 10);
}

// Returns how many of `count` cases this run checks. It is for cases in arbitrary order, all of
// which the quick run checks.
inline uint64_t share_of(uint64_t count) {
  const uint64_t divisor = share_divisor();
  return divisor == 0 ? count : count / divisor;
}

// Selects the cases of one family: next() is called once for each case. The quick run checks the
// first case and one in `every` of the others. A run with WEFT_CASES=all checks all of them, as
// ctest's NAME/slow does for tests tagged [share]. A run with WEFT_CASES=N checks one in N * every,
// as runs under sanitizers do. The selection is the same in each run. It depends on `seed` and is
// independent of the order in which loops make the cases.
class Share {
 public:
  explicit Share(uint64_t every, uint64_t seed = 0)
      : every_(every * share_divisor()), numbers_(seed) {}
  // Selects all cases in every run.
  static Share all() { return Share(); }
  bool next() {
    const bool chosen = every_ == 0 || numbers_.word() % every_ == 0;
    return std::exchange(first_, false) || chosen;
  }

 private:
  Share() : numbers_(0) {}
  uint64_t every_ = 0;  // 0: selects every case
  SampleNumbers numbers_;
  bool first_ = true;
};

}  // namespace weft
