// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/fuse/scan_output.h: in which order a loop stores a result.
#pragma once
#include "jit/fuse/plan.h"

namespace weft::compiler {

// A result of a loop is stored in the order in which it is read if its only reader is a transpose.
// last: by variable, the last equation that reads it, or -1.
ScanOutput scan_output(const Program& p, const VarMap<int>& last, int32_t v);

}  // namespace weft::compiler
