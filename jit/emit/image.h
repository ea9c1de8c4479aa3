// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/image.h: the same loop programs for GPUs of NVIDIA, as their driver takes them.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "weft/core/loops/nest.h"
#include "weft/core/ref.h"
#include "weft/jit/schedule/schedule.h"

namespace llvm {
class Module;
}

namespace weft::compiler {

// An .entry of a module.
struct GpuKernelCode {
  const nest::Kernel& kernel;
  Schedule schedule;
};

// The PTX of kernels for a GPU (jit/schedule/target.h); the entry of the only one has the name
// `entry`, else they are entry_0, entry_1, ….
// Parameters of an entry, all 64 bits wide: the address of a word that is not 0 when the kernel is
// to stop (long loops look at it about every millisecond), a pointer for each buffer, the run-time
// extents, then the size of each grid axis. A launch is one-dimensional, of blocks of as many
// threads as the schedule says, p = block / threads points at a time; block b has the points from
// b * p * points on, in row-major order, of which thread t, or warp t if one shares a point, runs
// t, t + p, …, each of them `interleave` neighbours; what is past the grid is left out. Of a
// product of matrices (jit/schedule/product.h) and of grids in tiles a block has a tile. There are
// blocks_of_grid() blocks.
//
// For an emulated GPU the text of the LLVM module, for the host: an entry takes the array of
// pointers to its arguments, and calls weft_emulated_block_index and weft_emulated_thread_index for
// where it is, weft_emulated_shuffle for what other threads of its warp have, weft_emulated_vote
// for which of them say yes, weft_emulated_shared for the memory of its block (as much as the
// attribute "weft-shared" says), weft_emulated_barrier to wait for the block, and
// weft_emulated_leave when it ends before them (docs/decisions/0030). Raises CompileError where
// LLVM cannot generate code for the GPU, or a schedule is none of its kernel. Thread-safe.
std::string gpu_image(const std::vector<GpuKernelCode>& kernels, const TargetInfo& target,
                      const std::string& entry = "weft_kernel");
// The image of what `emit` puts into a module.
std::string image_of(const TargetInfo& target, FunctionRef<void(llvm::Module&)> emit);
// What PTX is made of, as LLVM's text.
std::string gpu_llvm_ir(const std::vector<GpuKernelCode>& kernels, const TargetInfo& target,
                        const std::string& entry = "weft_kernel");
// Bytes of local memory that the PTX of one kernel declares, for arrays of a thread's own. Whatever
// else the driver says of local memory is registers that are spilled.
int64_t local_arrays(const std::string& ptx);

}  // namespace weft::compiler
