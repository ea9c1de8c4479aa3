// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/fuse/fold_layout.h: chooses how the folds of a kernel fill vectors (docs/decisions/0074).
#pragma once
#include <cstdint>
#include <functional>

#include "jit/fuse/analysis.h"

namespace weft::compiler {

enum class FoldLayout : uint8_t {
  points,      // vectors run along neighbouring results, which read their terms where they are
  rows,        // vectors run along the terms of one result
  short_rows,  // vectors run along neighbouring results. Their terms are copied to arrays of the
               // lane first, in blocks that are transposed in registers
};

// Rows in memory of this many elements may be copied to an array of a lane.
bool is_short_row(int64_t elements);

// Chooses the layout of a kernel whose first fold is equation i. inlined(v): true if variable v is
// computed where it is read.
FoldLayout fold_layout(const Program& p, size_t i, const std::function<bool(int32_t)>& inlined);

}  // namespace weft::compiler
