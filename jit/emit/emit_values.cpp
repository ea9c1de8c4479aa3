// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/emit_values.cpp: values in their three forms, masks, and tests for cancelled calls.
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/MDBuilder.h>

#include "jit/emit/emit.h"
#include "jit/emit/frame.h"
#include "jit/schedule/nest_names.h"
#include "weft/error.h"

namespace weft::compiler {

Emitter::Emitter(const nest::Kernel& kernel, const Schedule& schedule, llvm::Module& module,
                 const Machine& machine)
    : k_(kernel),
      s_(schedule),
      machine_(machine),
      b_(module, kernel.name,
         machine.gpu ? ArrayLimits{arrays_of_thread, arrays_of_thread}
                     : ArrayLimits{arrays_in_frame, arrays_in_scratch},
         !machine.gpu),
      ops_(b_, {machine.half, !machine.gpu}),
      values_(kernel.insts.size()),
      locals_(kernel.insts.size()) {}

V Emitter::scalar(Id v) { return values_[v].base; }

// A splat is created directly after the definition, where it precedes every use and is outside the
// loops that do not change it.
V Emitter::vec(Id v, int vector) {
  Val& x = values_[v];
  if (!x.vectors.empty()) return x.vectors[vector];
  if (x.stride) return linear_vec(x, vector, x.base->getType());
  if (x.splat) return x.splat;
  auto* def = llvm::dyn_cast<llvm::Instruction>(x.base);
  if (!def) return x.splat = b_.splat(x.base);
  llvm::IRBuilderBase::InsertPointGuard guard(b_);
  if (llvm::isa<llvm::PHINode>(def))
    b_.SetInsertPoint(def->getParent(), def->getParent()->getFirstNonPHIIt());
  else
    b_.SetInsertPoint(def->getParent(), std::next(def->getIterator()));
  return x.splat = b_.splat(x.base);
}

V Emitter::vector_base(const Val& x, int vector) {
  if (vector == 0) return x.base;
  return b_.CreateAdd(
      x.base,
      b_.CreateMul(x.stride, llvm::ConstantInt::get(x.base->getType(), vector * b_.vector_width)));
}

V Emitter::linear_vec(const Val& x, int vector, llvm::Type* element) {
  const V base = b_.CreateTrunc(vector_base(x, vector), element);
  const V stride = b_.CreateTrunc(x.stride, element);
  return b_.CreateAdd(b_.splat(base), b_.CreateMul(b_.iota(element), b_.splat(stride)));
}

V Emitter::stride_of(Id v) {
  const Val& x = values_[v];
  return x.stride ? x.stride : llvm::ConstantInt::get(x.base->getType(), 0);
}

Vs Emitter::parts(Id v, const Variance& want) {
  if (!want.varying) return {scalar(v)};
  return vectors([&](int p) { return vec(v, p); });
}

void Emitter::set_parts(Id v, const Variance& s, const Vs& parts) {
  if (s.varying) return set_vectors(v, parts);
  values_[v] = Val{parts[0], s.uniform() ? nullptr : b_.i64(s.stride), {}, nullptr};
}

V Emitter::mask_of(int vector) {
  return active_.empty() ? b_.splat(b_.getTrue()) : active_[vector];
}

// The countdown is a number of estimated cycles in memory that all loops share. A check costs a
// decrement and a branch that is not taken.
void Emitter::emit_cancellation_check(int64_t cost) {
  if (!stop_flag_ || terms_in_shared_memory_) return;
  auto* check = b_.block("look");
  auto* go = b_.block("go");
  b_.CreateCondBr(b_.CreateICmpSLT(decrement_countdown(cost), b_.i32(0)), check, go,
                  llvm::MDBuilder(b_.getContext()).createBranchWeights(1, 1 << 20));
  exit_if_stopped(check, go);
  b_.insert_at(go);
}
V Emitter::decrement_countdown(int64_t cost) {
  const V left =
      b_.CreateSub(b_.CreateLoad(b_.getInt32Ty(), countdown_),
                   b_.i32(static_cast<int32_t>(std::min<int64_t>(cost, cycles_between_checks))));
  b_.CreateStore(left, countdown_);
  return left;
}
void Emitter::exit_if_stopped(llvm::BasicBlock* check, llvm::BasicBlock* go) {
  b_.insert_at(check);
  b_.CreateStore(b_.i32(cycles_between_checks), countdown_);
  V flag = b_.CreateLoad(b_.getInt32Ty(), stop_flag_, /*isVolatile=*/true);
  // Threads of a block that wait for each other check equally often, so either all of them exit or
  // none.
  if ((s_.product.loop != nest::no_id || s_.threads > warp) && !machine_.emulated)
    flag = b_.call(llvm::Intrinsic::nvvm_barrier0_or, {}, {flag});
  b_.CreateCondBr(b_.CreateICmpNE(flag, b_.i32(0)), stop_exit(), go);
}

// Returns the block through which a cancelled kernel exits. Threads of a GPU do not wait for one
// that has ended. Threads of an emulated GPU must be told that it ended on purpose.
llvm::BasicBlock* Emitter::stop_exit() {
  const bool synchronizes =
      thread_in_point_ || s_.product.loop != nest::no_id || s_.refill != nest::no_id;
  if (!synchronizes || !machine_.emulated) return b_.exit_block();
  if (stop_exit_) return stop_exit_;
  llvm::IRBuilderBase::InsertPointGuard guard(b_);
  stop_exit_ = b_.block("stop");
  b_.insert_at(stop_exit_);
  b_.call("weft_emulated_exit", b_.getVoidTy(), {});
  b_.jump(b_.exit_block());
  return stop_exit_;
}

}  // namespace weft::compiler
