// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/loops/range.cpp: arithmetic of ranges.
#include "core/loops/range.h"

#include <algorithm>

namespace weft::nest {
namespace {

template <class Op>
Range of_corners(const Range& x, const Range& y, Op op) {
  Range out{INT64_MAX, INT64_MIN};
  for (int64_t p : {x.low, x.high})
    for (int64_t q : {y.low, y.high}) {
      int64_t r = 0;
      if (op(p, q, &r)) return everything;
      out = {std::min(out.low, r), std::max(out.high, r)};
    }
  return out;
}

}  // namespace

Range sum(const Range& x, const Range& y) {
  return of_corners(
      x, y, [](int64_t p, int64_t q, int64_t* r) { return __builtin_add_overflow(p, q, r); });
}
Range difference(const Range& x, const Range& y) {
  return of_corners(
      x, y, [](int64_t p, int64_t q, int64_t* r) { return __builtin_sub_overflow(p, q, r); });
}
Range product(const Range& x, const Range& y) {
  return of_corners(
      x, y, [](int64_t p, int64_t q, int64_t* r) { return __builtin_mul_overflow(p, q, r); });
}
Range quotient(const Range& x, const Range& y) {
  return of_corners(x, y, [](int64_t p, int64_t q, int64_t* r) {
    *r = p / q;
    return false;
  });
}
Range remainder(const Range& x, const Range& y) {
  if (x.low >= 0 && x.high < y.low) return x;
  const int64_t most = y.high - 1;
  return {x.low >= 0 ? 0 : std::max(x.low, -most), x.high <= 0 ? 0 : std::min(x.high, most)};
}
Range smaller(const Range& x, const Range& y) {
  return {std::min(x.low, y.low), std::min(x.high, y.high)};
}
Range larger(const Range& x, const Range& y) {
  return {std::max(x.low, y.low), std::max(x.high, y.high)};
}

}  // namespace weft::nest
