// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/nests/kernel_nest.h: the loop program of a planned kernel.
#pragma once
#include <vector>

#include "weft/core/loops/nest.h"
#include "weft/jit/fuse/plan.h"

namespace weft::compiler {

// A kernel, and the variables of the program that its buffers are.
struct KernelNest {
  struct Buffer {
    int32_t var;
    bool written;
  };
  nest::Kernel kernel;
  std::vector<Buffer> buffers;
};

// in_memory[var]: an earlier step has made the variable.
KernelNest write_nest(const Program& p, const KernelPlan& k, const std::vector<bool>& in_memory);
// The updates of a scatter into memory that holds the operand already. Where they are shared out,
// points of the grid go to different places, and the others follow each other in their order; else
// all do.
KernelNest write_scatter_nest(const Program& p, size_t eqn, bool shared);
// The grid of the former.
std::vector<int64_t> scatter_grid(const Program& p, size_t eqn);

}  // namespace weft::compiler
