// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/ptx.h: the same loop programs for NVIDIA GPUs.
#pragma once
#include <string>
#include <vector>

#include "weft/core/loops/nest.h"

namespace weft::compiler {

struct PtxOptions {
  std::string gpu = "sm_80";
  std::string entry = "weft_kernel";  // the name of the .entry
};

// The PTX of a kernel in which one thread runs one grid point; its schedule is of no concern here.
// Parameters of the entry, all 64 bits wide: a pointer for each buffer, the run-time extents, then
// the size of each grid axis. Thread t of the launch (one-dimensional) runs point t, the last axis
// fastest; threads past the grid return. There is no stop flag.
// Raises CompileError where LLVM cannot generate code for `gpu`. Thread-safe.
std::string ptx(const nest::Kernel& kernel, const PtxOptions& options = {});
// One module with an .entry for each kernel: `entry` for the only one, else entry_0, entry_1, ….
std::string ptx(const std::vector<const nest::Kernel*>& kernels, const PtxOptions& options = {});

}  // namespace weft::compiler
