// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/emit/walk_nest.h: an interpreter of nests in plain C++, which runs one instruction for
// one point at a time. It gives the expected results for the code generator's tests and shares no
// code with it.
#pragma once
#include <cstdint>

#include "core/loops/nest.h"

namespace weft::compiler {

// Runs the kernel like a compiled one (jit/emit/compile/codegen.h), without the stop flag. A NaN
// may have another payload.
void walk_nest(const nest::Kernel& kernel, void* const* buffers, const int64_t* extents,
               const int64_t* range);

}  // namespace weft::compiler
