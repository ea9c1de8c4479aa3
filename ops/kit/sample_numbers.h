// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/kit/sample_numbers.h: pseudorandom numbers for samples and tests, the same on every run.
#pragma once
#include "core/ir.h"
#include "weft/array.h"

namespace weft {

// The generator is splitmix64.
class SampleNumbers {
 public:
  explicit SampleNumbers(uint64_t seed) : state_(seed) {}
  uint64_t word() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // Returns a number in [lo, hi).
  double uniform(double lo, double hi) {
    return lo + (hi - lo) * (static_cast<double>(word() >> 11) * 0x1p-53);
  }
  // Returns uniform numbers in [lo, hi). Integers include both ends. Both parts of a complex number
  // are drawn from this range.
  Array operator()(const Type& t, double lo, double hi);

 private:
  uint64_t state_;
};

}  // namespace weft
