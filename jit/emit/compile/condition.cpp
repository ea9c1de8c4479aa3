// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/compile/condition.cpp: emits the kernel that sets the condition of a graph node.
#include "jit/emit/compile/condition.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include "jit/emit/compile/image.h"
#include "jit/emit/gpu/intrinsics.h"

namespace weft::compiler {

std::string condition_image(const TargetInfo& target) {
  return image_of(target, [&](llvm::Module& m) {
    IrBuilder b(m, condition_entry, {0, 0}, /*has_vectors=*/false);
    const auto gpu = gpu_intrinsics(b, target.emulated);
    auto *number = b.getInt64Ty(), *word = b.getInt32Ty();
    auto* ptr = gpu->pointer_type();
    llvm::Type* const types[] = {ptr, number, ptr, number, number};
    auto* f = llvm::Function::Create(gpu->kernel_type(types), llvm::Function::ExternalLinkage,
                                     condition_entry, m);
    gpu->set_calling_convention(f);
    b.exchange_function(f);
    b.insert_at(b.block("start"));
    const auto argument = [&](size_t i) { return gpu->argument(types, i); };
    auto* stop = b.CreateLoad(word, argument(0), /*isVolatile=*/true);
    auto *is_bool = b.block("bool"), *is_number = b.block("number"), *set = b.block("set");
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
