// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/compile/condition.cpp: emits the kernel that sets the condition of a graph node.
#include "jit/emit/compile/condition.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include "jit/emit/compile/image.h"

namespace weft::compiler {

std::string condition_image(const TargetInfo& target) {
  return image_of(target, [&](llvm::Module& m) {
    llvm::LLVMContext& c = m.getContext();
    llvm::IRBuilder<> b(c);
    auto *number = b.getInt64Ty(), *word = b.getInt32Ty();
    auto* ptr = llvm::PointerType::get(c, target.emulated ? 0 : 1);
    llvm::Type* const own[] = {ptr, number, ptr, number, number};
    llvm::Type* const array[] = {ptr};
    auto* f = llvm::Function::Create(
        llvm::FunctionType::get(
            b.getVoidTy(), target.emulated ? llvm::ArrayRef(array) : llvm::ArrayRef(own), false),
        llvm::Function::ExternalLinkage, condition_entry, m);
    if (!target.emulated) f->setCallingConv(llvm::CallingConv::PTX_Kernel);
    b.SetInsertPoint(llvm::BasicBlock::Create(c, "start", f));
    const auto argument = [&](unsigned i) -> llvm::Value* {
      if (!target.emulated) return f->getArg(i);
      return b.CreateLoad(own[i], b.CreateLoad(ptr, b.CreateConstGEP1_64(ptr, f->getArg(0), i)));
    };
    auto* stop = b.CreateLoad(word, argument(0), /*isVolatile=*/true);
    auto *is_bool = llvm::BasicBlock::Create(c, "bool", f),
         *is_number = llvm::BasicBlock::Create(c, "number", f),
         *set = llvm::BasicBlock::Create(c, "set", f);
    b.CreateCondBr(b.CreateICmpEQ(argument(4), b.getInt64(0)), is_bool, is_number);
    b.SetInsertPoint(is_bool);
    auto* holds = b.CreateICmpNE(b.CreateLoad(b.getInt8Ty(), argument(2)), b.getInt8(0));
    b.CreateBr(set);
    b.SetInsertPoint(is_number);
    const auto call = [&](llvm::Intrinsic::ID id, llvm::Value* x, llvm::Value* y) {
      return b.CreateIntrinsic(id, {number}, {x, y});
    };
    auto* index = call(llvm::Intrinsic::smax, b.getInt64(0),
                       b.CreateSExt(b.CreateLoad(word, argument(2)), number));
    auto* branch = call(llvm::Intrinsic::smin, index, b.CreateSub(argument(4), b.getInt64(1)));
    auto* selected = b.CreateICmpEQ(branch, argument(3));
    b.CreateBr(set);
    b.SetInsertPoint(set);
    auto* condition = b.CreatePHI(b.getInt1Ty(), 2);
    condition->addIncoming(holds, is_bool);
    condition->addIncoming(selected, is_number);
    auto* value = b.CreateAnd(b.CreateICmpEQ(stop, b.getInt32(0)), condition);
    b.CreateCall(m.getOrInsertFunction("cudaGraphSetConditional", b.getVoidTy(), number, word),
                 {argument(1), b.CreateZExt(value, word)});
    b.CreateRetVoid();
  });
}

}  // namespace weft::compiler
