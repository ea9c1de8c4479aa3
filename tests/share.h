// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/share.h: which cases of a large family of generated ones a run judges.
#pragma once
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace weft {

// By how many the shares of cases that the quick run judges are divided here; 0: all are judged.
inline uint64_t share_divisor() {
  const char* s = std::getenv("WEFT_CASES");
  if (!s) return 1;
  return std::strcmp(s, "all") == 0 ? 0 : std::strtoull(s, nullptr, 10);
}

// Hands out the cases of one family, one next() each. The quick run judges the first case and one
// in `every` of the others; a run with WEFT_CASES=all (as ctest's NAME/slow, for tests tagged
// [share]) judges them all, one with WEFT_CASES=N (as under sanitizers) one in N * every. Which
// ones is the same in each run, hangs on `seed`, and follows no order in which loops make them.
class Share {
 public:
  explicit Share(uint64_t every, uint64_t seed = 0)
      : every_(every * share_divisor()), seed_(seed) {}
  bool next() {
    const uint64_t n = number_++;
    return n == 0 || every_ == 0 || mixed(n + (seed_ << 32)) % every_ == 0;
  }

 private:
  static uint64_t mixed(uint64_t n) {
    n *= 0x9e3779b97f4a7c15u;
    return (n ^ n >> 29) * 0xbf58476d1ce4e5b9u >> 32;
  }
  uint64_t every_, seed_, number_ = 0;
};

}  // namespace weft
