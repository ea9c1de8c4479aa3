// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/rewrite/structural_zeros.h: leaves out products with elements that the program fixes as zero.
#pragma once
#include "weft/detail/jaxpr.h"

namespace weft::compiler {

// Rewrites the loops, branches and calls that run in a lane (docs/decisions/0075).
Jaxpr skip_structural_zeros(const Jaxpr& j);

}  // namespace weft::compiler
