// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/compile/image.h: code of loop nests for NVIDIA GPUs, in the form that the driver loads.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/loops/nest.h"
#include "jit/schedule/schedule.h"
#include "weft/detail/ref.h"

namespace llvm {
class Module;
}

namespace weft::compiler {

// An .entry of a module.
struct GpuKernelCode {
  const nest::Kernel& kernel;
  Schedule schedule;
};

// Returns the PTX of kernels for a GPU (jit/schedule/target.h). A single kernel has the entry
// `entry`; several are entry_0, entry_1, ….
// An entry has 64-bit parameters. The first is the address of a word that is not 0 when the kernel
// must stop; long loops read it about every millisecond. Then come a pointer for each buffer, the
// run-time extents, and the size of each grid axis.
// A launch is one-dimensional. Its blocks have the number of threads that the schedule says, and
// run p = block / threads points at a time. Block b has the points from b * p * points on, in
// row-major order. Thread t of it, or warp t if a warp shares a point, runs points t, t + p, …,
// each of them `interleave` neighbours. Points past the grid are skipped. For a matrix product
// (jit/schedule/product.h) and for grids in tiles, a block has a tile. There are blocks_of_grid()
// blocks.
//
// For an emulated GPU it returns the text of the LLVM module, for the host. An entry takes the
// array of pointers to its arguments. It calls weft_emulated_block_index and
// weft_emulated_thread_index for its position, and weft_emulated_shuffle for values of other
// threads of its warp. weft_emulated_ballot returns the threads that pass yes. weft_emulated_shared
// returns the memory of its block, whose size is the attribute "weft-shared". weft_emulated_barrier
// waits for the block, and weft_emulated_exit ends a thread before the others
// (docs/decisions/0030).
// Raises CompileError where LLVM cannot generate code for the GPU, or where a kernel cannot have
// its schedule. Thread-safe.
std::string gpu_image(const std::vector<GpuKernelCode>& kernels, const TargetInfo& target,
                      const std::string& entry = "weft_kernel");
// Returns the image of the code that `emit` puts into a module.
std::string image_of(const TargetInfo& target, FunctionRef<void(llvm::Module&)> emit);
// Returns the LLVM IR from which the PTX is generated, as text.
std::string gpu_llvm_ir(const std::vector<GpuKernelCode>& kernels, const TargetInfo& target,
                        const std::string& entry = "weft_kernel");
// Returns the bytes of local memory that the PTX of one kernel declares for per-thread arrays. All
// other local memory that the driver reports is spilled registers.
int64_t local_arrays(const std::string& ptx);

}  // namespace weft::compiler
