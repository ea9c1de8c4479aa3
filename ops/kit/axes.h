// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/kit/axes.h: lists of axes.
#pragma once
#include <algorithm>
#include <numeric>

#include "core/ir.h"
#include "weft/detail/any_params.h"

namespace weft {

// Returns first, first + 1, …, last - 1.
inline Ints axis_range(int64_t first, int64_t last) {
  Ints r(last - first);
  std::iota(r.begin(), r.end(), first);
  return r;
}
inline Ints axis_range(int64_t n) { return axis_range(0, n); }

inline bool holds(const Ints& axes, int64_t axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

}  // namespace weft
