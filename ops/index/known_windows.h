// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/index/known_windows.h: gathers whose indices the program alone gives.
#pragma once
#include <optional>

#include "ops/index/index_map.h"

namespace weft {

// Returns the value if it is computed from numbers and iotas alone, by integers and masks, and has
// few elements. JAX computes the indices of `x[1:]`, `x[[0, 2]]`, `roll` and `take` in this way.
std::optional<Array> known_value(const Array& x, const Producer* made);

// A gather of known indices.
struct KnownWindows {
  Array x, indices;
  WindowDims dims;
  std::vector<int64_t> sizes;
  OutOfBounds mode;
  Shape result;
};
// Returns the windows as slices of x, or nothing if they are not at regular distances, or outside
// of x. Slices need no indices in memory, and their readers know which elements they read.
std::optional<Array> known_windows(const KnownWindows& g);

}  // namespace weft
