// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/nests/kernel_nest.h: builds the loop nest of a planned kernel.
#pragma once
#include <vector>

#include "core/loops/nest.h"
#include "jit/fuse/plan.h"

namespace weft::compiler {

// A kernel, and the program's variables that are its buffers.
struct KernelNest {
  struct Buffer {
    int32_t var;
    bool written;
  };
  nest::Kernel kernel;
  std::vector<Buffer> buffers;
  std::vector<int64_t> grid;  // the extents of the kernel's axes
};

// in_memory[var]: an earlier step has stored the variable.
KernelNest write_nest(const Program& p, const KernelPlan& k, const VarMap<bool>& in_memory);
// Writes the updates of a scatter into memory that already holds the operand. If `shared`, updates
// are partitioned over grid points that write disjoint elements, and each point applies its updates
// in order. Otherwise one point applies all updates in order.
KernelNest write_scatter_nest(const Program& p, size_t eqn, bool shared);

}  // namespace weft::compiler
