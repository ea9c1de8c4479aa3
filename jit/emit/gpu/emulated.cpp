// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/gpu/emulated.cpp: the functions of a GPU whose threads run on the host, which the
// emulator provides (docs/decisions/0030).
#include "jit/emit/gpu/intrinsics.h"

namespace weft::compiler {
namespace {

class EmulatedIntrinsics final : public GpuIntrinsics {
 public:
  explicit EmulatedIntrinsics(IrBuilder& b) : b_(b) {}

  llvm::PointerType* pointer_type() override { return llvm::PointerType::get(b_.getContext(), 0); }
  // A kernel takes the array of pointers to its arguments.
  llvm::FunctionType* kernel_type(llvm::ArrayRef<llvm::Type*>) override {
    llvm::Type* const array[] = {pointer_type()};
    return llvm::FunctionType::get(b_.getVoidTy(), llvm::ArrayRef(array), false);
  }
  void set_calling_convention(llvm::Function*) override {}
  void annotate_kernel(int, int) override {}
  V argument(llvm::ArrayRef<llvm::Type*> types, size_t i) override {
    auto* ptr = pointer_type();
    return b_.CreateLoad(
        types[i], b_.CreateLoad(ptr, b_.CreateConstGEP1_64(ptr, b_.function()->getArg(0), i)));
  }
  V block_index() override { return index("weft_emulated_block_index"); }
  V thread_index() override { return index("weft_emulated_thread_index"); }

  V shuffle(V word, V source) override {
    return b_.call("weft_emulated_shuffle", b_.getInt32Ty(), {word, source});
  }
  V ballot(V yes) override {
    return b_.call("weft_emulated_ballot", b_.getInt32Ty(), {b_.CreateZExt(yes, b_.getInt32Ty())});
  }
  void warp_barrier(V thread) override {
    b_.call("weft_emulated_shuffle", b_.getInt32Ty(),
            {b_.i32(0), b_.CreateTrunc(thread, b_.getInt32Ty())});
  }

  void barrier() override { b_.call("weft_emulated_barrier", b_.getVoidTy(), {}); }
  V barrier_and(V number) override {
    return b_.call("weft_emulated_barrier_and", b_.getInt32Ty(), {number});
  }
  V stop_flag_of_block(V flag) override { return flag; }
  V shared_memory(int64_t bytes) override {
    b_.function()->addFnAttr("weft-shared", std::to_string(bytes));
    return b_.call("weft_emulated_shared", b_.getPtrTy(), {b_.i64(0)});
  }
  // Threads of an emulated GPU must be told that one ended on purpose.
  llvm::BasicBlock* stop_exit() override {
    if (stop_exit_) return stop_exit_;
    const llvm::IRBuilderBase::InsertPointGuard guard(b_);
    stop_exit_ = b_.block("stop");
    b_.insert_at(stop_exit_);
    b_.call("weft_emulated_exit", b_.getVoidTy(), {});
    b_.jump(b_.exit_block());
    return stop_exit_;
  }

  Vs load_matrices(V line, int matrices, bool transposed) override {
    const V words = b_.allocate(b_.getInt32Ty(), matrices, "words");
    b_.call("weft_emulated_ldmatrix", b_.getVoidTy(),
            {line, words, b_.i32(matrices), b_.i32(transposed ? 1 : 0)});
    Vs out;
    for (int k = 0; k < matrices; ++k)
      out.push_back(
          b_.CreateLoad(b_.getInt32Ty(), b_.CreateConstGEP1_64(b_.getInt32Ty(), words, k)));
    return out;
  }
  Vs multiply_matrices(Vs words, const Vs& sums, bool half) override {
    auto* type = sums[0]->getType();
    const V factors = b_.allocate(b_.getInt32Ty(), 6, "factors"),
            all = b_.allocate(type, 4, "sums");
    for (size_t k = 0; k < words.size(); ++k)
      b_.CreateStore(words[k], b_.CreateConstGEP1_64(b_.getInt32Ty(), factors, k));
    for (size_t k = 0; k < sums.size(); ++k)
      b_.CreateStore(sums[k], b_.CreateConstGEP1_64(type, all, k));
    b_.call("weft_emulated_mma", b_.getVoidTy(), {all, factors, b_.i32(half ? 1 : 0)});
    Vs out;
    for (size_t k = 0; k < sums.size(); ++k)
      out.push_back(b_.CreateLoad(type, b_.CreateConstGEP1_64(type, all, k)));
    return out;
  }

 private:
  V index(const char* function) {
    return b_.CreateZExt(b_.call(function, b_.getInt32Ty(), {}), b_.getInt64Ty());
  }

  IrBuilder& b_;
  llvm::BasicBlock* stop_exit_ = nullptr;
};

}  // namespace

std::unique_ptr<GpuIntrinsics> emulated_intrinsics(IrBuilder& b) {
  return std::make_unique<EmulatedIntrinsics>(b);
}

}  // namespace weft::compiler
