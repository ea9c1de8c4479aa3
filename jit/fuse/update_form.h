// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/fuse/update_form.h: compares the two forms of an update. One copies the array and overwrites
// elements. The other searches the updates for each element that is read.
#pragma once
#include "jit/fuse/analysis.h"

namespace weft::compiler {

// Returns true if equation i has both forms and the copy costs less. `dies`: the memory of the
// array may be overwritten, so nothing is copied.
bool is_cheaper_as_update(const Program& p, size_t i, bool dies);

}  // namespace weft::compiler
