// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/compile/fences.cpp: counts the accesses of each block.
#include "jit/emit/compile/fences.h"

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>

namespace weft::compiler {
namespace {

// Fences also keep the scheduler from moving loads up. The factorization of a 16 x 16 matrix takes
// 1.25 times as long with one behind every 32 accesses.
constexpr size_t most_without_fences = 512, between_fences = 128;

// Returns the number of instructions that access memory for this one. Gathers and scatters that the
// target lacks become an access for each element.
size_t accesses_of(const llvm::Instruction& i, const llvm::TargetTransformInfo& target) {
  if (!i.mayReadOrWriteMemory()) return 0;
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
  if (!call) return 1;
  const bool gather = call->getIntrinsicID() == llvm::Intrinsic::masked_gather,
             scatter = call->getIntrinsicID() == llvm::Intrinsic::masked_scatter;
  if (!gather && !scatter) return 1;
  auto* type = llvm::cast<llvm::FixedVectorType>(gather ? call->getType()
                                                        : call->getArgOperand(0)->getType());
  const auto alignment =
      llvm::cast<llvm::ConstantInt>(call->getArgOperand(gather ? 1 : 2))->getMaybeAlignValue();
  const bool legal = gather ? target.isLegalMaskedGather(type, alignment.valueOrOne())
                            : target.isLegalMaskedScatter(type, alignment.valueOrOne());
  return legal ? 1 : type->getNumElements();
}

struct FencePass final : llvm::FunctionPass {
  static char id;
  FencePass() : FunctionPass(id) {}

  void getAnalysisUsage(llvm::AnalysisUsage& needs) const override {
    needs.addRequired<llvm::TargetTransformInfoWrapperPass>();
    needs.setPreservesCFG();
  }

  bool runOnFunction(llvm::Function& f) override {
    const auto& target = getAnalysis<llvm::TargetTransformInfoWrapperPass>().getTTI(f);
    std::vector<llvm::Instruction*> last;
    for (llvm::BasicBlock& block : f) {
      size_t all = 0, since = 0;
      for (llvm::Instruction& i : block) all += accesses_of(i, target);
      if (all <= most_without_fences) continue;
      for (llvm::Instruction& i : block) {
        const size_t n = accesses_of(i, target);
        if (n && since >= between_fences) {
          last.push_back(&i);
          since = 0;
        }
        since += n;
      }
    }
    for (llvm::Instruction* i : last)
      llvm::IRBuilder<>(i).CreateFence(llvm::AtomicOrdering::SequentiallyConsistent,
                                       llvm::SyncScope::SingleThread);
    return !last.empty();
  }
};
char FencePass::id = 0;

}  // namespace

llvm::FunctionPass* create_fence_pass() { return new FencePass; }

}  // namespace weft::compiler
