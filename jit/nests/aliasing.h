// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/nests/aliasing.h: finds the results of a kernel that may share the memory of an operand.
#pragma once
#include <utility>
#include <vector>

#include "jit/nests/kernel_nest.h"

namespace weft::compiler {

// Returns pairs (written, read) of variables that may share memory, in whatever order the points
// run. A grid point reads only those elements of `read` that it writes of `written`, and reads each
// before it writes it.
std::vector<std::pair<int32_t, int32_t>> aliases(const KernelNest& n, const KernelPlan& k,
                                                 const JaxprData& j);

}  // namespace weft::compiler
