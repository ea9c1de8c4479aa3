// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/ir_builder.h: LLVM's IRBuilder with the loops, branches, vectors and arrays that kernels
// use. It may touch the LLVM function that is being written and its module, and knows nothing of
// nests. A new form of control flow or of a vector is added here.
#pragma once
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "jit/emit/llvm_value.h"

namespace weft::compiler {

// The arrays of a kernel: how many bytes are in its frame, and how many it may have in all. The
// rest is in scratch memory of the call, the fourth argument of the function.
struct ArrayLimits {
  int64_t frame, all;
};

// Like LLVM's builder it folds only constants, because loops are emitted with incomplete phis.
class IrBuilder : public llvm::IRBuilder<> {
 public:
  // `kernel` is the name that errors say. Without vectors, a "vector" is one scalar.
  IrBuilder(llvm::Module& module, std::string kernel, const ArrayLimits& limits, bool has_vectors)
      : llvm::IRBuilder<>(module.getContext()),
        module_(module),
        kernel_(std::move(kernel)),
        limits_(limits),
        has_vectors_(has_vectors) {}

  llvm::Module& module() const { return module_; }

  // Creates a function and the block in which it returns. The insertion point is its start. Arrays
  // are created in its first block, from anywhere in the function.
  void begin_function(llvm::FunctionType* type, const std::string& name);
  llvm::Function* function() const { return function_; }
  // Makes `f` the function in which blocks are created. Returns the previous one.
  llvm::Function* exchange_function(llvm::Function* f) { return std::exchange(function_, f); }
  llvm::BasicBlock* exit_block() const { return exit_; }
  llvm::Instruction* alloca_point() const { return alloca_point_; }
  // Returns uninitialized memory of this call, an alloca or scratch memory.
  V allocate(llvm::Type* t, int64_t n, const char* name);
  int64_t scratch_bytes() const { return scratch_bytes_; }  // scratch memory that one call needs

  // Constants and vectors.
  V i64(int64_t v) { return getInt64(static_cast<uint64_t>(v)); }
  V i32(int32_t v) { return getInt32(static_cast<uint32_t>(v)); }
  // Returns the value of an integer constant.
  static std::optional<int64_t> constant_int(V x) {
    const auto* c = llvm::dyn_cast_or_null<llvm::ConstantInt>(x);
    return c ? std::optional(c->getSExtValue()) : std::nullopt;
  }
  llvm::Type* vector_of(llvm::Type* t) const {
    return has_vectors_ ? llvm::FixedVectorType::get(t, vector_width) : t;
  }
  llvm::Align align_of(llvm::Type* t) const {
    return llvm::Align(module_.getDataLayout().getTypeStoreSize(t));
  }
  // Element, or a vector of as many elements as x has.
  static llvm::Type* like(V x, llvm::Type* element);
  V splat(V scalar) { return splat(scalar, vector_width); }
  V splat(V scalar, int n);
  V iota(llvm::Type* element);
  V any(const Masks& m);
  V count(const Masks& m);
  V prefix_mask(V n);                       // elements l < n of one vector
  V load_prefix(llvm::Type* t, V at, V n);  // the first n elements of one vector, and then 0
  // An array of constants of this integer type, in memory.
  V constant_array(const std::vector<int64_t>& values, llvm::Type* number, const std::string& name);
  V at_least_zero(V n);

  // Calls.
  V call(llvm::Intrinsic::ID id, llvm::ArrayRef<llvm::Type*> types, llvm::ArrayRef<V> args) {
    return CreateIntrinsic(id, types, args);
  }
  // The overload is the type of the first argument.
  V call(llvm::Intrinsic::ID id, llvm::ArrayRef<V> args) {
    return call(id, {args[0]->getType()}, args);
  }
  // Fetches the cache line of an address for a read. Any address is valid.
  void prefetch(V address);
  // Calls a function of the library.
  llvm::CallInst* call(const std::string& name, llvm::Type* result, llvm::ArrayRef<V> args);

  // Blocks.
  llvm::BasicBlock* block(const char* name) {
    return llvm::BasicBlock::Create(getContext(), name, function_);
  }
  llvm::BasicBlock* insert_block() { return GetInsertBlock(); }
  void insert_at(llvm::BasicBlock* bb) { SetInsertPoint(bb); }
  void jump(llvm::BasicBlock* bb) { CreateBr(bb); }
  // A loop whose header decides whether to go on. Code after begin_loop is in the header, code
  // after begin_body in the body, and code after end_loop follows the loop.
  struct LoopBlocks {
    llvm::BasicBlock *preheader, *header, *body, *exit;
  };
  LoopBlocks begin_loop(const char* name);
  void begin_body(const LoopBlocks& l, V go);
  void end_loop(const LoopBlocks& l);
  // Emits `for (i = begin; i < end; i += step)` with carries.
  struct Loop {
    V index;
    Vs carry;
  };
  Loop loop(const char* name, V begin, V end, V step, const Vs& init,
            const std::function<Vs(V i, const Vs& carry)>& body);
  // The same without carries. Returns the index after the loop.
  V each(const char* name, V begin, V end, int64_t step, const std::function<void(V i)>& body);
  Vs branch(V condition, const std::function<Vs()>& then, const std::function<Vs()>& otherwise,
            bool unlikely = false);
  void when(V condition, const std::function<void()>& then);
  void when(V condition, const std::function<void()>& then, const std::function<void()>& otherwise);

  int vector_width = 1;         // elements of a vector of the code that follows
  bool disable_unroll = false;  // loops that follow have few trips; ptxas must not unroll them

 private:
  llvm::Module& module_;
  std::string kernel_;
  ArrayLimits limits_;
  bool has_vectors_;
  llvm::Function* function_ = nullptr;
  llvm::BasicBlock* exit_ = nullptr;
  llvm::Instruction* alloca_point_ = nullptr;  // allocas are created before it
  int64_t frame_bytes_ = 0, scratch_bytes_ = 0;
};

}  // namespace weft::compiler
