// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/emit/walk_nest.h: runs a loop program one point and one instruction at a time, in plain
// C++. The oracle of the code generator's tests; shares nothing with it.
#pragma once
#include <cstdint>

#include "weft/core/loops/nest.h"

namespace weft::compiler {

// As a compiled kernel (jit/run/codegen.h), without the stop flag. A NaN may have another payload.
void walk_nest(const nest::Kernel& kernel, void* const* buffers, const int64_t* extents,
               const int64_t* range);

}  // namespace weft::compiler
