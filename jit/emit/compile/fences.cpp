// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/compile/fences.cpp: counts the accesses of each block.
#include "jit/emit/compile/fences.h"

#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>

namespace weft::compiler {
namespace {

// Fences also keep the scheduler from moving loads up. The factorization of a 16 x 16 matrix takes
// 1.25 times as long with one behind every 32 accesses.
constexpr size_t most_without_fences = 512, between_fences = 128;

struct FencePass final : llvm::FunctionPass {
  static char id;
  FencePass() : FunctionPass(id) {}

  bool runOnFunction(llvm::Function& f) override {
    std::vector<llvm::Instruction*> last;
    for (llvm::BasicBlock& block : f) {
      std::vector<llvm::Instruction*> accesses;
      for (llvm::Instruction& i : block)
        if (i.mayReadOrWriteMemory()) accesses.push_back(&i);
      if (accesses.size() <= most_without_fences) continue;
      for (size_t n = between_fences; n < accesses.size(); n += between_fences)
        last.push_back(accesses[n - 1]);
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
