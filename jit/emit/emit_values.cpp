// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/emit_values.cpp: values in their three forms, masks, and the small blocks of control
// flow that the rest of the emitter uses.
#include <fmt/format.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/MDBuilder.h>

#include "jit/emit/emit_phis.h"
#include "jit/emit/frame.h"
#include "jit/schedule/nest_names.h"
#include "weft/error.h"

namespace weft::compiler {

Emitter::Emitter(const nest::Kernel& kernel, const Schedule& schedule, llvm::Module& module,
                 const Machine& machine)
    : k_(kernel),
      s_(schedule),
      m_(module),
      c_(module.getContext()),
      machine_(machine),
      b_(module.getContext()),
      values_(kernel.insts.size()),
      locals_(kernel.insts.size()) {}

llvm::Type* Emitter::type(Kind k) const {
  switch (k) {
    case Kind::Mask: return llvm::Type::getInt1Ty(c_);
    case Kind::I8: return llvm::Type::getInt8Ty(c_);
    case Kind::I16: return llvm::Type::getInt16Ty(c_);
    case Kind::I32: return llvm::Type::getInt32Ty(c_);
    case Kind::I64: return llvm::Type::getInt64Ty(c_);
    case Kind::F32: return llvm::Type::getFloatTy(c_);
    case Kind::F64: return llvm::Type::getDoubleTy(c_);
    default: throw InternalError("a value without a kind reached code generation");
  }
}

V Emitter::splat(V scalar, int n) {
  if (machine_.gpu) return scalar;
  if (auto* c = llvm::dyn_cast<llvm::Constant>(scalar))
    return llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(n), c);
  return b_.CreateVectorSplat(n, scalar);
}

V Emitter::iota(llvm::Type* element) {
  if (machine_.gpu) return llvm::ConstantInt::get(element, 0);
  llvm::SmallVector<llvm::Constant*, 16> l;
  for (int i = 0; i < vector_width_; ++i) l.push_back(llvm::ConstantInt::get(element, i));
  return llvm::ConstantVector::get(l);
}

V Emitter::scalar(Id v) { return values_[v].base; }

// A splat is created directly after the definition, where it precedes every use and is outside the
// loops that do not change it.
V Emitter::vec(Id v, int vector) {
  Val& x = values_[v];
  if (!x.vectors.empty()) return x.vectors[vector];
  if (x.stride) return linear_vec(x, vector, x.base->getType());
  if (x.splat) return x.splat;
  auto* def = llvm::dyn_cast<llvm::Instruction>(x.base);
  if (!def) return x.splat = splat(x.base);
  llvm::IRBuilderBase::InsertPointGuard guard(b_);
  if (llvm::isa<llvm::PHINode>(def))
    b_.SetInsertPoint(def->getParent(), def->getParent()->getFirstNonPHIIt());
  else
    b_.SetInsertPoint(def->getParent(), std::next(def->getIterator()));
  return x.splat = splat(x.base);
}

V Emitter::vector_base(const Val& x, int vector) {
  if (vector == 0) return x.base;
  return b_.CreateAdd(
      x.base,
      b_.CreateMul(x.stride, llvm::ConstantInt::get(x.base->getType(), vector * vector_width_)));
}

V Emitter::linear_vec(const Val& x, int vector, llvm::Type* element) {
  const V base = b_.CreateTrunc(vector_base(x, vector), element);
  const V stride = b_.CreateTrunc(x.stride, element);
  return b_.CreateAdd(splat(base), b_.CreateMul(iota(element), splat(stride)));
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
  values_[v] = Val{parts[0], s.uniform() ? nullptr : i64(s.stride), {}, nullptr};
}

V Emitter::mask_of(int vector) { return active_.empty() ? splat(b_.getTrue()) : active_[vector]; }

V Emitter::any(const Masks& m) {
  V all = m[0];
  for (size_t p = 1; p < m.size(); ++p) all = b_.CreateOr(all, m[p]);
  if (!all->getType()->isVectorTy()) return all;
  auto* bits = b_.getIntNTy(vector_width_);
  return b_.CreateICmpNE(b_.CreateBitCast(all, bits), llvm::ConstantInt::get(bits, 0));
}

V Emitter::count(const Masks& m) {
  // All masks are joined in one integer, so that one popcount suffices.
  V bits = nullptr;
  auto* wide = b_.getIntNTy(vector_width_ * static_cast<unsigned>(m.size()) <= 32 ? 32 : 64);
  for (size_t p = 0; p < m.size(); ++p) {
    V x = b_.CreateZExt(b_.CreateBitCast(m[p], b_.getIntNTy(vector_width_)), wide);
    if (p) x = b_.CreateShl(x, p * vector_width_);
    bits = bits ? b_.CreateOr(bits, x) : x;
  }
  return b_.CreateZExtOrTrunc(call(llvm::Intrinsic::ctpop, {bits}), b_.getInt32Ty());
}

V Emitter::at_least_zero(V n) {
  if (const auto c = constant_int(n)) return i64(std::max<int64_t>(*c, 0));
  return call(llvm::Intrinsic::smax, {n, i64(0)});
}

V Emitter::prefix_mask(V n) {
  const V most = call(llvm::Intrinsic::umin, {at_least_zero(n), i64(vector_width_)});
  return b_.CreateICmpULT(iota(b_.getInt32Ty()), splat(b_.CreateTrunc(most, b_.getInt32Ty())));
}

V Emitter::allocate(llvm::Type* t, int64_t n, const char* name) {
  const int64_t most = machine_.gpu ? arrays_of_thread : arrays_in_scratch;
  const int64_t item = static_cast<int64_t>(m_.getDataLayout().getTypeAllocSize(t));
  const int64_t bytes = n <= most ? (item * n + 63) & ~int64_t{63} : most + 1;
  if (frame_bytes_ + scratch_bytes_ + bytes > most)
    throw CompileError(fmt::format(
        "kernel {} needs more than {} bytes of arrays inside its lanes; make them smaller "
        "or take the loop around them out of the mapped function",
        k_.name, most));
  llvm::IRBuilderBase::InsertPointGuard guard(b_);
  b_.SetInsertPoint(alloca_point_);
  if (!machine_.gpu && frame_bytes_ + bytes > arrays_in_frame) {
    scratch_bytes_ += bytes;
    return b_.CreateConstGEP1_64(b_.getInt8Ty(), fn_->getArg(3), scratch_bytes_ - bytes, name);
  }
  frame_bytes_ += bytes;
  auto* a = b_.CreateAlloca(n == 1 ? t : llvm::ArrayType::get(t, n), nullptr, name);
  a->setAlignment(std::max(llvm::Align(64), m_.getDataLayout().getABITypeAlign(t)));
  return a;
}

llvm::CallInst* Emitter::call(const std::string& name, llvm::Type* result, llvm::ArrayRef<V> args) {
  llvm::SmallVector<llvm::Type*, 16> types;
  for (V a : args) types.push_back(a->getType());
  auto* type = llvm::FunctionType::get(result, types, false);
  return b_.CreateCall(m_.getOrInsertFunction(name, type), args);
}

// The countdown is a number of estimated cycles in memory that all loops share. A check costs a
// decrement and a branch that is not taken.
void Emitter::emit_cancellation_check(int64_t cost) {
  if (!stop_flag_ || terms_in_shared_memory_) return;
  auto* check = block("look");
  auto* go = block("go");
  b_.CreateCondBr(b_.CreateICmpSLT(decrement_countdown(cost), i32(0)), check, go,
                  llvm::MDBuilder(c_).createBranchWeights(1, 1 << 20));
  exit_if_stopped(check, go);
  insert_at(go);
}
V Emitter::decrement_countdown(int64_t cost) {
  const V left =
      b_.CreateSub(b_.CreateLoad(b_.getInt32Ty(), countdown_),
                   i32(static_cast<int32_t>(std::min<int64_t>(cost, cycles_between_checks))));
  b_.CreateStore(left, countdown_);
  return left;
}
void Emitter::exit_if_stopped(llvm::BasicBlock* check, llvm::BasicBlock* go) {
  insert_at(check);
  b_.CreateStore(i32(cycles_between_checks), countdown_);
  V flag = b_.CreateLoad(b_.getInt32Ty(), stop_flag_, /*isVolatile=*/true);
  // Threads of a block that wait for each other check equally often, so either all of them exit or
  // none.
  if ((s_.product.loop != nest::no_id || s_.threads > warp) && !machine_.emulated)
    flag = call(llvm::Intrinsic::nvvm_barrier0_or, {}, {flag});
  b_.CreateCondBr(b_.CreateICmpNE(flag, i32(0)), stop_exit(), go);
}

// Returns the block through which a cancelled kernel exits. Threads of a GPU do not wait for one
// that has ended. Threads of an emulated GPU must be told that it ended on purpose.
llvm::BasicBlock* Emitter::stop_exit() {
  const bool synchronizes =
      thread_in_point_ || s_.product.loop != nest::no_id || s_.refill != nest::no_id;
  if (!synchronizes || !machine_.emulated) return exit_;
  if (stop_exit_) return stop_exit_;
  llvm::IRBuilderBase::InsertPointGuard guard(b_);
  stop_exit_ = block("stop");
  insert_at(stop_exit_);
  call("weft_emulated_exit", b_.getVoidTy(), {});
  jump(exit_);
  return stop_exit_;
}

Emitter::LoopBlocks Emitter::begin_loop(const char* name) {
  const LoopBlocks l{insert_block(), block(name), block("body"), block("after")};
  jump(l.header);
  insert_at(l.header);
  return l;
}
void Emitter::begin_body(const LoopBlocks& l, V go) {
  b_.CreateCondBr(go, l.body, l.exit);
  insert_at(l.body);
}
void Emitter::end_loop(const LoopBlocks& l) {
  auto* back = b_.CreateBr(l.header);
  if (disable_unroll_) {
    auto* only = llvm::MDNode::get(c_, llvm::MDString::get(c_, "llvm.loop.unroll.disable"));
    auto* loop = llvm::MDNode::getDistinct(c_, {nullptr, only});
    loop->replaceOperandWith(0, loop);
    back->setMetadata(llvm::LLVMContext::MD_loop, loop);
  }
  insert_at(l.exit);
}

Emitter::Loop Emitter::loop(const char* name, V begin, V end, V step, const Vs& init,
                            const std::function<Vs(V i, const Vs& carry)>& body) {
  if (constant_int(begin) && constant_int(end) && *constant_int(begin) >= *constant_int(end))
    return {begin, init};
  const LoopBlocks blocks = begin_loop(name);
  Phis phis(b_, blocks.preheader, /*mask_registers=*/true);
  const V i = phis.add({begin})[0];
  const Vs carry = phis.add(init);
  begin_body(blocks, b_.CreateICmpSLT(i, end));
  const Vs next = body(i, carry);
  phis.close({b_.CreateAdd(i, step)});
  phis.close(next);
  end_loop(blocks);
  return {i, carry};
}

V Emitter::each(const char* name, V begin, V end, int64_t step,
                const std::function<void(V i)>& body) {
  const auto nothing = [&](V i, const Vs&) {
    body(i);
    return Vs{};
  };
  return loop(name, begin, end, i64(step), {}, nothing).index;
}

Vs Emitter::branch(V condition, const std::function<Vs()>& then,
                   const std::function<Vs()>& otherwise, bool unlikely) {
  if (const auto c = constant_int(condition)) return *c ? then() : otherwise();
  auto* yes = block("then");
  auto* no = block("else");
  auto* join = block("join");
  b_.CreateCondBr(condition, yes, no,
                  unlikely ? llvm::MDBuilder(c_).createBranchWeights(1, 1 << 20) : nullptr);
  insert_at(yes);
  const Vs a = then();
  yes = insert_block();
  jump(join);
  insert_at(no);
  const Vs c = otherwise();
  no = insert_block();
  jump(join);
  insert_at(join);
  Vs out;
  for (size_t r = 0; r < a.size(); ++r) {
    auto* phi = b_.CreatePHI(a[r]->getType(), 2);
    phi->addIncoming(a[r], yes);
    phi->addIncoming(c[r], no);
    out.push_back(phi);
  }
  return out;
}

void Emitter::when(V condition, const std::function<void()>& then,
                   const std::function<void()>& otherwise) {
  const auto nothing = [](const std::function<void()>& f) { return [&f] { return f(), Vs(); }; };
  branch(condition, nothing(then), nothing(otherwise));
}

void Emitter::when(V condition, const std::function<void()>& then) {
  if (const auto c = constant_int(condition)) return *c ? then() : void();
  auto* yes = block("when");
  auto* join = block("join");
  b_.CreateCondBr(condition, yes, join);
  insert_at(yes);
  then();
  jump(join);
  insert_at(join);
}

}  // namespace weft::compiler
