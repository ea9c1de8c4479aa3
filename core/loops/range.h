// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/loops/range.h: ranges of integers, and their arithmetic.
#pragma once
#include <cstdint>

namespace weft::nest {

// The possible values of an integer: all from low to high. It is empty if low > high (code that
// does not run).
struct Range {
  int64_t low = INT64_MIN, high = INT64_MAX;
  bool empty() const { return low > high; }
  bool within(const Range& o) const { return empty() || (low >= o.low && high <= o.high); }
  friend bool operator==(const Range&, const Range&) = default;
};
inline constexpr Range everything{};

// These are `everything` if the arithmetic overflows.
Range sum(const Range& x, const Range& y);
Range difference(const Range& x, const Range& y);
Range product(const Range& x, const Range& y);
// Divisions by positive divisors.
Range quotient(const Range& x, const Range& y);
Range remainder(const Range& x, const Range& y);
// Returns the ranges of the smaller and of the larger of two numbers.
Range smaller(const Range& x, const Range& y);
Range larger(const Range& x, const Range& y);

}  // namespace weft::nest
