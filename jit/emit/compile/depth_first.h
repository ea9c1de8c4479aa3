// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/compile/depth_first.h: orders the instructions of long blocks for few live values.
#pragma once
#include <llvm/Pass.h>

namespace weft::compiler {

// Returns a pass that puts the operands of each instruction right before it, in blocks with many
// instructions. A nest loads the values of a point before it computes with them. LLVM keeps that
// order until it allocates registers, and then splits and spills the values one by one.
llvm::FunctionPass* create_depth_first_pass();

}  // namespace weft::compiler
