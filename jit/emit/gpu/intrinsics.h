// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/gpu/intrinsics.h: the functions of a GPU that LLVM has no instruction for. It may touch
// the IrBuilder only. A new function is added to GpuIntrinsics and to its two implementations:
// nvvm.cpp for NVIDIA GPUs, emulated.cpp for threads that run on the host (docs/decisions/0030).
#pragma once
#include <memory>

#include "jit/emit/ir_builder.h"

namespace weft::compiler {

class GpuIntrinsics {
 public:
  virtual ~GpuIntrinsics() = default;

  // Kernels. `types` are those of the arguments.
  virtual llvm::PointerType* pointer_type() = 0;
  virtual llvm::FunctionType* kernel_type(llvm::ArrayRef<llvm::Type*> types) = 0;
  virtual void set_calling_convention(llvm::Function* kernel) = 0;
  // Tells ptxas the number of threads of a block, and how many blocks a multiprocessor must have
  // registers for (0: unknown).
  virtual void annotate_kernel(int block, int blocks) = 0;
  virtual V argument(llvm::ArrayRef<llvm::Type*> types, size_t i) = 0;
  // These return 64-bit numbers.
  virtual V block_index() = 0;
  virtual V thread_index() = 0;

  // The threads of a warp. `thread` is the number of this thread in it, `source` that of another.
  // Returns the 32-bit word of thread `source`; all threads must call it.
  virtual V shuffle(V word, V source) = 0;
  // Returns the bits of the threads that pass true and have not ended. The threads wait for each
  // other.
  virtual V ballot(V yes) = 0;
  virtual void warp_barrier(V thread) = 0;

  // The threads of a block. All of them wait for each other in a barrier. Each then sees what the
  // others have written.
  virtual void barrier() = 0;
  // A barrier that also returns, in 32 bits, whether all threads pass a number that is not 0.
  virtual V barrier_and(V number) = 0;
  // Returns a stop flag that is the same for all threads of a block.
  virtual V stop_flag_of_block(V flag) = 0;
  virtual V shared_memory(int64_t bytes) = 0;
  // Returns the block through which a cancelled kernel exits whose threads wait for each other.
  virtual llvm::BasicBlock* stop_exit() = 0;

  // Tensor cores. The threads of a warp load 8 x 8 matrices of 16-bit numbers together. `line` is
  // the address of one line of them. Returns this thread's words.
  virtual Vs load_matrices(V line, int matrices, bool transposed) = 0;
  // Adds the product of 16 x 16 and 16 x 8 numbers, of which `words` are this thread's factors, to
  // its four sums. `half`: the numbers are F16, else BF16.
  virtual Vs multiply_matrices(Vs words, const Vs& sums, bool half) = 0;
};

std::unique_ptr<GpuIntrinsics> nvvm_intrinsics(IrBuilder& b);
std::unique_ptr<GpuIntrinsics> emulated_intrinsics(IrBuilder& b);
inline std::unique_ptr<GpuIntrinsics> gpu_intrinsics(IrBuilder& b, bool emulated) {
  return emulated ? emulated_intrinsics(b) : nvvm_intrinsics(b);
}

}  // namespace weft::compiler
