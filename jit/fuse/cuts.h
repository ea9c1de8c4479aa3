// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/fuse/cuts.h: which values are stored if the code of an equation is too long.
#pragma once
#include <functional>
#include <vector>

#include "jit/fuse/analysis.h"

namespace weft::compiler {

// Returns the smallest value, of up to most_bytes, with most of the code that equation i computes
// inline. Among equals it is the one with the most code. Others follow that have as much code,
// which it does not share, and would be chosen next. All together have up to `cost` instructions.
// Returns none if all are too large.
std::vector<int32_t> cuts_of(const Program& p, size_t i,
                             const std::function<bool(int32_t)>& inlined, int64_t most_bytes,
                             int64_t cost);

// Values that elementwise equations repeat: from them, larger values are computed.
VarMap<bool> repeated_values(const Program& p);

// Returns true if a kernel of its own computes v in less time than the kernel whose vectors run
// along the rows from which v takes one element each. `cost` is the number of instructions that it
// takes. They are scalar ones there.
bool pays_apart_from_rows(const Type& v, int64_t cost);

}  // namespace weft::compiler
