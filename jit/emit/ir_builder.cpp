// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/ir_builder.cpp: functions, arrays, vectors, loops and branches.
#include "jit/emit/ir_builder.h"

#include <fmt/format.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>

#include "jit/emit/phis.h"
#include "weft/error.h"

namespace weft::compiler {

void IrBuilder::begin_function(llvm::FunctionType* type, const std::string& name) {
  function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module_);
  function_->setDoesNotThrow();
  auto* first = block("entry");
  auto* start = block("start");
  exit_ = block("exit");
  insert_at(exit_);
  CreateRetVoid();
  insert_at(first);
  alloca_point_ = CreateBr(start);
  insert_at(start);
}

llvm::Type* IrBuilder::like(V x, llvm::Type* element) {
  if (auto* t = llvm::dyn_cast<llvm::FixedVectorType>(x->getType()))
    return llvm::FixedVectorType::get(element, t->getNumElements());
  return element;
}

V IrBuilder::splat(V scalar, int n) {
  if (!has_vectors_) return scalar;
  if (auto* c = llvm::dyn_cast<llvm::Constant>(scalar))
    return llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(n), c);
  return CreateVectorSplat(n, scalar);
}

V IrBuilder::iota(llvm::Type* element) {
  if (!has_vectors_) return llvm::ConstantInt::get(element, 0);
  llvm::SmallVector<llvm::Constant*, 16> l;
  for (int i = 0; i < vector_width; ++i) l.push_back(llvm::ConstantInt::get(element, i));
  return llvm::ConstantVector::get(l);
}

V IrBuilder::any(const Masks& m) {
  V all = m[0];
  for (size_t p = 1; p < m.size(); ++p) all = CreateOr(all, m[p]);
  if (!all->getType()->isVectorTy()) return all;
  auto* bits = getIntNTy(vector_width);
  return CreateICmpNE(CreateBitCast(all, bits), llvm::ConstantInt::get(bits, 0));
}

V IrBuilder::count(const Masks& m) {
  // All masks are joined in one integer, so that one popcount suffices.
  V bits = nullptr;
  auto* wide = getIntNTy(vector_width * static_cast<unsigned>(m.size()) <= 32 ? 32 : 64);
  for (size_t p = 0; p < m.size(); ++p) {
    V x = CreateZExt(CreateBitCast(m[p], getIntNTy(vector_width)), wide);
    if (p) x = CreateShl(x, p * vector_width);
    bits = bits ? CreateOr(bits, x) : x;
  }
  return CreateZExtOrTrunc(call(llvm::Intrinsic::ctpop, {bits}), getInt32Ty());
}

V IrBuilder::at_least_zero(V n) {
  if (const auto c = constant_int(n)) return i64(std::max<int64_t>(*c, 0));
  return call(llvm::Intrinsic::smax, {n, i64(0)});
}

void IrBuilder::prefetch(V address) {
  // The arguments mean: a read, keep in all caches, data.
  call(llvm::Intrinsic::prefetch, {getPtrTy()}, {address, getInt32(0), getInt32(3), getInt32(1)});
}

V IrBuilder::prefix_mask(V n) {
  const V most = call(llvm::Intrinsic::umin, {at_least_zero(n), i64(vector_width)});
  return CreateICmpULT(iota(getInt32Ty()), splat(CreateTrunc(most, getInt32Ty())));
}

V IrBuilder::load_prefix(llvm::Type* t, V at, V n) {
  auto* vector = vector_of(t);
  return CreateMaskedLoad(vector, at, align_of(t), prefix_mask(n),
                          llvm::Constant::getNullValue(vector));
}

V IrBuilder::constant_array(const std::vector<int64_t>& values, llvm::Type* number,
                            const std::string& name) {
  std::vector<llvm::Constant*> all;
  for (int64_t v : values)
    all.push_back(llvm::ConstantInt::get(number, static_cast<uint64_t>(v), true));
  auto* type = llvm::ArrayType::get(number, all.size());
  return new llvm::GlobalVariable(module_, type, true, llvm::GlobalValue::PrivateLinkage,
                                  llvm::ConstantArray::get(type, all), name);
}

V IrBuilder::allocate(llvm::Type* t, int64_t n, const char* name) {
  const int64_t most = limits_.all;
  const int64_t item = static_cast<int64_t>(module_.getDataLayout().getTypeAllocSize(t));
  const int64_t bytes = n <= most ? (item * n + 63) & ~int64_t{63} : most + 1;
  if (frame_bytes_ + scratch_bytes_ + bytes > most)
    throw CompileError(fmt::format(
        "kernel {} needs more than {} bytes of arrays inside its lanes; make them smaller "
        "or take the loop around them out of the mapped function",
        kernel_, most));
  llvm::IRBuilderBase::InsertPointGuard guard(*this);
  SetInsertPoint(alloca_point_);
  if (frame_bytes_ + bytes > limits_.frame) {
    scratch_bytes_ += bytes;
    return CreateConstGEP1_64(getInt8Ty(), function_->getArg(3), scratch_bytes_ - bytes, name);
  }
  frame_bytes_ += bytes;
  auto* a = CreateAlloca(n == 1 ? t : llvm::ArrayType::get(t, n), nullptr, name);
  a->setAlignment(std::max(llvm::Align(64), module_.getDataLayout().getABITypeAlign(t)));
  return a;
}

llvm::CallInst* IrBuilder::call(const std::string& name, llvm::Type* result,
                                llvm::ArrayRef<V> args) {
  llvm::SmallVector<llvm::Type*, 16> types;
  for (V a : args) types.push_back(a->getType());
  auto* type = llvm::FunctionType::get(result, types, false);
  return CreateCall(module_.getOrInsertFunction(name, type), args);
}

IrBuilder::LoopBlocks IrBuilder::begin_loop(const char* name) {
  const LoopBlocks l{insert_block(), block(name), block("body"), block("after")};
  jump(l.header);
  insert_at(l.header);
  return l;
}
void IrBuilder::begin_body(const LoopBlocks& l, V go) {
  CreateCondBr(go, l.body, l.exit);
  insert_at(l.body);
}
void IrBuilder::end_loop(const LoopBlocks& l) {
  auto* back = CreateBr(l.header);
  if (disable_unroll) {
    auto* only = llvm::MDNode::get(getContext(),
                                   llvm::MDString::get(getContext(), "llvm.loop.unroll.disable"));
    auto* loop = llvm::MDNode::getDistinct(getContext(), {nullptr, only});
    loop->replaceOperandWith(0, loop);
    back->setMetadata(llvm::LLVMContext::MD_loop, loop);
  }
  insert_at(l.exit);
}

IrBuilder::Loop IrBuilder::loop(const char* name, V begin, V end, V step, const Vs& init,
                                const std::function<Vs(V i, const Vs& carry)>& body) {
  if (constant_int(begin) && constant_int(end) && *constant_int(begin) >= *constant_int(end))
    return {begin, init};
  const LoopBlocks blocks = begin_loop(name);
  Phis phis(*this, blocks.preheader, /*mask_registers=*/true);
  const V i = phis.add({begin})[0];
  const Vs carry = phis.add(init);
  begin_body(blocks, CreateICmpSLT(i, end));
  const Vs next = body(i, carry);
  phis.close({CreateAdd(i, step)});
  phis.close(next);
  end_loop(blocks);
  return {i, carry};
}

V IrBuilder::each(const char* name, V begin, V end, int64_t step,
                  const std::function<void(V i)>& body) {
  const auto first = constant_int(begin), last = constant_int(end);
  if (first && last && *first < *last && *last - *first <= step) {
    body(begin);
    return i64(*first + step);
  }
  const auto nothing = [&](V i, const Vs&) {
    body(i);
    return Vs{};
  };
  return loop(name, begin, end, i64(step), {}, nothing).index;
}

Vs IrBuilder::branch(V condition, const std::function<Vs()>& then,
                     const std::function<Vs()>& otherwise, bool unlikely) {
  if (const auto c = constant_int(condition)) return *c ? then() : otherwise();
  auto* yes = block("then");
  auto* no = block("else");
  auto* join = block("join");
  CreateCondBr(condition, yes, no,
               unlikely ? llvm::MDBuilder(getContext()).createBranchWeights(1, 1 << 20) : nullptr);
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
    auto* phi = CreatePHI(a[r]->getType(), 2);
    phi->addIncoming(a[r], yes);
    phi->addIncoming(c[r], no);
    out.push_back(phi);
  }
  return out;
}

void IrBuilder::when(V condition, const std::function<void()>& then,
                     const std::function<void()>& otherwise) {
  const auto nothing = [](const std::function<void()>& f) { return [&f] { return f(), Vs(); }; };
  branch(condition, nothing(then), nothing(otherwise));
}

void IrBuilder::when(V condition, const std::function<void()>& then) {
  if (const auto c = constant_int(condition)) return *c ? then() : void();
  auto* yes = block("when");
  auto* join = block("join");
  CreateCondBr(condition, yes, join);
  insert_at(yes);
  then();
  jump(join);
  insert_at(join);
}

}  // namespace weft::compiler
