// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/compile/fences.cpp: counts the accesses of each block.
#include "jit/emit/compile/fences.h"

#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>

namespace weft::compiler {
namespace {

struct FencePass final : llvm::FunctionPass {
  static char id;
  FencePass() : FunctionPass(id) {}

  bool runOnFunction(llvm::Function& f) override {
    constexpr int most = 32;
    std::vector<llvm::Instruction*> last;
    for (llvm::BasicBlock& block : f) {
      int accesses = 0;
      for (llvm::Instruction& i : block)
        if (i.mayReadOrWriteMemory() && ++accesses % most == 0) last.push_back(&i);
    }
    for (llvm::Instruction* i : last)
      llvm::IRBuilder<>(i->getNextNode())
          .CreateFence(llvm::AtomicOrdering::SequentiallyConsistent, llvm::SyncScope::SingleThread);
    return !last.empty();
  }
};
char FencePass::id = 0;

}  // namespace

llvm::FunctionPass* create_fence_pass() { return new FencePass; }

}  // namespace weft::compiler
