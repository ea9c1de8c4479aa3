// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/kit/coords.h: index arithmetic for lowering rules.
#pragma once
#include "core/loops/lower.h"
#include "core/scalar/number.h"

namespace weft {

using Index64 = num::Ir<int64_t>;
inline Index64 index_at(nest::Id id) { return Index64::at(id); }
// Clamps i into [0, n), so that a read at i is valid even if its result is not selected.
inline Index64 in_range(Index64 i, int64_t n) {
  return num::maximum(num::minimum(i, Index64(n - 1)), Index64(0));
}

}  // namespace weft
