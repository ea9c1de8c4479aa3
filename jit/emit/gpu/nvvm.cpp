// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/gpu/nvvm.cpp: the functions of NVIDIA GPUs, LLVM's NVVM intrinsics.
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "jit/emit/gpu/intrinsics.h"
#include "jit/schedule/rows.h"

namespace weft::compiler {
namespace {

class NvvmIntrinsics final : public GpuIntrinsics {
 public:
  explicit NvvmIntrinsics(IrBuilder& b) : b_(b) {}

  llvm::PointerType* pointer_type() override { return llvm::PointerType::get(b_.getContext(), 1); }
  llvm::FunctionType* kernel_type(llvm::ArrayRef<llvm::Type*> types) override {
    return llvm::FunctionType::get(b_.getVoidTy(), types, false);
  }
  void set_calling_convention(llvm::Function* kernel) override {
    kernel->setCallingConv(llvm::CallingConv::PTX_Kernel);
  }
  void annotate_kernel(int block, int blocks) override {
    set_calling_convention(b_.function());
    annotate("kernel", 1);
    annotate("reqntidx", block);
    if (blocks) annotate("minctasm", blocks);
  }
  V argument(llvm::ArrayRef<llvm::Type*>, size_t i) override {
    return b_.function()->getArg(static_cast<unsigned>(i));
  }
  V block_index() override { return index(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x); }
  V thread_index() override { return index(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x); }

  V shuffle(V word, V source) override {
    return b_.call(llvm::Intrinsic::nvvm_shfl_sync_idx_i32, {},
                   {b_.i32(-1), word, source, b_.i32(warp - 1)});
  }
  V ballot(V yes) override {
    return b_.call(llvm::Intrinsic::nvvm_vote_ballot_sync, {}, {b_.i32(-1), yes});
  }
  void warp_barrier(V) override { b_.call(llvm::Intrinsic::nvvm_bar_warp_sync, {}, {b_.i32(-1)}); }

  void barrier() override { b_.call(llvm::Intrinsic::nvvm_barrier0, {}, {}); }
  V barrier_and(V number) override {
    return b_.call(llvm::Intrinsic::nvvm_barrier0_and, {}, {number});
  }
  // Threads of a block that wait for each other check equally often, so either all of them exit or
  // none.
  V stop_flag_of_block(V flag) override {
    return b_.call(llvm::Intrinsic::nvvm_barrier0_or, {}, {flag});
  }
  V shared_memory(int64_t bytes) override {
    auto* type = llvm::ArrayType::get(b_.getInt8Ty(), static_cast<uint64_t>(bytes));
    auto* memory = new llvm::GlobalVariable(
        b_.module(), type, false, llvm::GlobalValue::InternalLinkage, llvm::UndefValue::get(type),
        "shared", nullptr, llvm::GlobalValue::NotThreadLocal, /*AddressSpace=*/3);
    memory->setAlignment(llvm::Align(16));
    return memory;
  }
  // Threads of a GPU do not wait for one that has ended.
  llvm::BasicBlock* stop_exit() override { return b_.exit_block(); }

  Vs load_matrices(V line, int matrices, bool transposed) override {
    using namespace llvm::Intrinsic;
    const ID id = matrices == 4 ? (transposed ? nvvm_ldmatrix_sync_aligned_m8n8_x4_trans_b16
                                              : nvvm_ldmatrix_sync_aligned_m8n8_x4_b16)
                                : (transposed ? nvvm_ldmatrix_sync_aligned_m8n8_x2_trans_b16
                                              : nvvm_ldmatrix_sync_aligned_m8n8_x2_b16);
    const V words = b_.call(id, {line->getType()}, {line});
    Vs out;
    for (int k = 0; k < matrices; ++k)
      out.push_back(b_.CreateExtractValue(words, static_cast<unsigned>(k)));
    return out;
  }
  Vs multiply_matrices(Vs words, const Vs& sums, bool half) override {
    if (half)
      for (V& w : words) w = b_.CreateBitCast(w, llvm::FixedVectorType::get(b_.getHalfTy(), 2));
    words.append(sums);
    const V all = b_.call(half ? llvm::Intrinsic::nvvm_mma_m16n8k16_row_col_f32_f32
                               : llvm::Intrinsic::nvvm_mma_m16n8k16_row_col_bf16,
                          {}, words);
    Vs out;
    for (unsigned k = 0; k < 4; ++k) out.push_back(b_.CreateExtractValue(all, k));
    return out;
  }

 private:
  V index(llvm::Intrinsic::ID id) { return b_.CreateZExt(b_.call(id, {}, {}), b_.getInt64Ty()); }
  void annotate(const char* what, int n) {
    llvm::LLVMContext& c = b_.getContext();
    b_.module()
        .getOrInsertNamedMetadata("nvvm.annotations")
        ->addOperand(llvm::MDNode::get(
            c, {llvm::ConstantAsMetadata::get(b_.function()), llvm::MDString::get(c, what),
                llvm::ConstantAsMetadata::get(b_.getInt32(static_cast<uint32_t>(n)))}));
  }

  IrBuilder& b_;
};

}  // namespace

std::unique_ptr<GpuIntrinsics> nvvm_intrinsics(IrBuilder& b) {
  return std::make_unique<NvvmIntrinsics>(b);
}

}  // namespace weft::compiler
