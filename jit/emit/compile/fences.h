// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/compile/fences.h: keeps the time of LLVM's scheduler linear in the accesses of a block.
#pragma once
#include <llvm/Pass.h>

namespace weft::compiler {

// Returns a pass that puts a fence behind every 32 accesses of a block. LLVM's scheduler compares
// an access with all others of its block, back to a fence. Without fences, a block with 1,000
// accesses takes seconds. A fence for one thread is not an instruction.
llvm::FunctionPass* create_fence_pass();

}  // namespace weft::compiler
