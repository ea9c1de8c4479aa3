// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/phis.h: the phis of the values that a loop carries.
#pragma once
#include <llvm/IR/IRBuilder.h>

#include "jit/emit/llvm_value.h"

namespace weft::compiler {

// The phis of a loop's header, which is entered from `preheader`. Without mask registers a mask is
// carried as a vector of integers, -1 or 0. LLVM would otherwise narrow its elements to 16 bits and
// widen them again in every trip.
class Phis {
 public:
  Phis(llvm::IRBuilder<>& builder, llvm::BasicBlock* preheader, bool mask_registers)
      : b_(builder), preheader_(preheader), keep_masks_(mask_registers) {}

  // Must be called at the header.
  Vs add(const Vs& init) {
    Vs out;
    for (V x : init) {
      const bool wide = widens(x);
      llvm::Type* t = wide ? integers(x) : x->getType();
      if (wide) x = widened(x);
      auto* header = b_.GetInsertBlock();
      phis_.push_back(llvm::PHINode::Create(t, 2, "", header->getFirstNonPHIIt()));
      phis_.back()->addIncoming(x, preheader_);
      out.push_back(wide ? b_.CreateICmpSLT(phis_.back(), llvm::Constant::getNullValue(t))
                         : phis_.back());
    }
    return out;
  }
  // Must be called where the trip ends, for all phis in the order in which they were added.
  void close(const Vs& next) {
    for (V x : next)
      phis_[closed_++]->addIncoming(widens(x) ? b_.CreateSExt(x, integers(x)) : x,
                                    b_.GetInsertBlock());
  }

 private:
  bool widens(V x) const {
    return !keep_masks_ && x->getType()->isVectorTy() && x->getType()->isIntOrIntVectorTy(1);
  }
  llvm::Type* integers(V x) const {
    return llvm::VectorType::get(b_.getInt32Ty(), llvm::cast<llvm::VectorType>(x->getType()));
  }
  V widened(V x) {
    const llvm::IRBuilderBase::InsertPointGuard guard(b_);
    b_.SetInsertPoint(preheader_->getTerminator());
    return b_.CreateSExt(x, integers(x));
  }
  llvm::IRBuilder<>& b_;
  llvm::BasicBlock* preheader_;
  bool keep_masks_;
  llvm::SmallVector<llvm::PHINode*, 16> phis_;
  size_t closed_ = 0;
};

}  // namespace weft::compiler
