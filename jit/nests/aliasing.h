// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/nests/aliasing.h: which results of a kernel may be written where an operand lies.
#pragma once
#include <utility>
#include <vector>

#include "weft/jit/nests/kernel_nest.h"

namespace weft::compiler {

// Pairs (written, read) of variables: a point of the grid reads of the second only the elements
// that it writes of the first, and each before it writes it, so that both may have one memory
// however the points are run.
std::vector<std::pair<int32_t, int32_t>> aliases(const KernelNest& n, const KernelPlan& k,
                                                 const JaxprData& j);

}  // namespace weft::compiler
