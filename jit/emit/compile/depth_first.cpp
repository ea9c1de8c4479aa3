// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/compile/depth_first.cpp: walks from the instructions that write memory to their
// operands.
#include "jit/emit/compile/depth_first.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <vector>

namespace weft::compiler {
namespace {

// LLVM's own scheduler orders shorter blocks well.
constexpr size_t least_instructions = 1024;

class Order {
 public:
  explicit Order(llvm::BasicBlock& block) : block_(block) {}

  // Loads stay before the writes that follow them.
  void run() {
    std::vector<llvm::Instruction*> loads, others;
    for (llvm::Instruction& i : block_) {
      if (llvm::isa<llvm::PHINode>(i) || i.isTerminator()) continue;
      if (i.mayHaveSideEffects()) {
        for (llvm::Instruction* load : loads) place(load);
        loads.clear();
        place(&i);
      } else if (i.mayReadFromMemory()) {
        loads.push_back(&i);
      } else {
        others.push_back(&i);
      }
    }
    for (llvm::Instruction* i : others) place(i);
    for (llvm::Instruction* i : loads) place(i);
    for (llvm::Instruction* i : order_) i->moveBefore(block_.getTerminator());
  }

 private:
  // Places an instruction behind its operands.
  void place(llvm::Instruction* root) {
    std::vector<std::pair<llvm::Instruction*, unsigned>> path{{root, 0}};
    if (!placed_.insert(root).second) return;
    while (!path.empty()) {
      auto& [i, next] = path.back();
      if (next == i->getNumOperands()) {
        order_.push_back(i);
        path.pop_back();
        continue;
      }
      auto* operand = llvm::dyn_cast<llvm::Instruction>(i->getOperand(next++));
      if (operand && operand->getParent() == &block_ && !llvm::isa<llvm::PHINode>(operand) &&
          placed_.insert(operand).second)
        path.emplace_back(operand, 0);
    }
  }

  llvm::BasicBlock& block_;
  llvm::DenseSet<llvm::Instruction*> placed_;
  std::vector<llvm::Instruction*> order_;
};

struct DepthFirstPass final : llvm::FunctionPass {
  static char id;
  DepthFirstPass() : FunctionPass(id) {}

  void getAnalysisUsage(llvm::AnalysisUsage& needs) const override { needs.setPreservesCFG(); }

  bool runOnFunction(llvm::Function& f) override {
    bool changed = false;
    for (llvm::BasicBlock& block : f) {
      if (block.size() < least_instructions) continue;
      Order(block).run();
      changed = true;
    }
    return changed;
  }
};
char DepthFirstPass::id = 0;

}  // namespace

llvm::FunctionPass* create_depth_first_pass() { return new DepthFirstPass; }

}  // namespace weft::compiler
