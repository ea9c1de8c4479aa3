// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/compile/fences.h: keeps the time of LLVM's scheduler linear in the accesses of a block.
#pragma once
#include <llvm/Pass.h>

namespace weft::compiler {

// Returns a pass that puts fences into blocks with many accesses. LLVM's scheduler compares an
// access with all others of its block, back to a fence. Without fences, a block with thousands of
// accesses takes seconds. A fence for one thread is not an instruction.
llvm::FunctionPass* create_fence_pass();

}  // namespace weft::compiler
