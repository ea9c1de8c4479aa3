// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/rewrite/reads_first.h: puts the reads of an array before its update.
#pragma once
#include "weft/detail/jaxpr.h"

namespace weft::compiler {

// Delays updates behind equations that read the array before the update, in the program and in its
// bodies. Then nothing reads the array later, and it can be updated in place. The order of other
// equations changes only with them.
Jaxpr reads_first(const Jaxpr& j);

}  // namespace weft::compiler
