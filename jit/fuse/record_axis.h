// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/fuse/record_axis.h: finds values whose elements along the last axis have different code.
#pragma once
#include "jit/fuse/analysis.h"
#include "weft/detail/ref.h"

namespace weft::compiler {

// Returns true if v is put together from parts along its last axis, which is short. A point then
// computes a whole row, so that each part has its own code. At a point of one element, the code of
// all parts would run, and a select would choose one. `inlined`: the variable is computed where it
// is read.
bool is_record(const Program& p, int32_t v, FunctionRef<bool(int32_t)> inlined);

}  // namespace weft::compiler
