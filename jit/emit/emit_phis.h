// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/emit_phis.h: the values that a loop hands from trip to trip.
#pragma once
#include <llvm/IR/IRBuilder.h>

#include "weft/jit/emit/emit.h"

namespace weft::compiler {

// The phis of a loop's head, in groups. Without mask registers a mask goes around as a vector of
// integers, -1 or 0: LLVM would narrow its lanes to 16 bits and widen them again in every trip.
class Phis {
 public:
  Phis(llvm::IRBuilder<>& builder, bool mask_registers)
      : b_(builder), keep_masks_(mask_registers) {}

  // Called at the head; `init` comes from block `from`.
  Vs add(const Vs& init, llvm::BasicBlock* from) {
    Vs out;
    groups_.emplace_back();
    for (V x : init) {
      const bool wide = widens(x);
      llvm::Type* t = wide ? integers(x) : x->getType();
      if (wide) x = widened(x, from);
      auto* head = b_.GetInsertBlock();
      auto* phi = llvm::PHINode::Create(t, 2, "", head->getFirstNonPHIIt());
      phi->addIncoming(x, from);
      groups_.back().push_back(phi);
      out.push_back(wide ? b_.CreateICmpSLT(phi, llvm::Constant::getNullValue(t)) : phi);
    }
    return out;
  }
  // Called where the trip ends.
  void close(size_t group, const Vs& next) {
    for (size_t p = 0; p < next.size(); ++p)
      groups_[group][p]->addIncoming(
          widens(next[p]) ? b_.CreateSExt(next[p], integers(next[p])) : next[p],
          b_.GetInsertBlock());
  }

 private:
  bool widens(V x) const {
    return !keep_masks_ && x->getType()->isVectorTy() && x->getType()->isIntOrIntVectorTy(1);
  }
  llvm::Type* integers(V x) const {
    return llvm::VectorType::get(b_.getInt32Ty(), llvm::cast<llvm::VectorType>(x->getType()));
  }
  V widened(V x, llvm::BasicBlock* from) {
    const llvm::IRBuilderBase::InsertPointGuard guard(b_);
    b_.SetInsertPoint(from->getTerminator());
    return b_.CreateSExt(x, integers(x));
  }
  llvm::IRBuilder<>& b_;
  bool keep_masks_;
  llvm::SmallVector<llvm::SmallVector<llvm::PHINode*, 4>, 8> groups_;
};

}  // namespace weft::compiler
