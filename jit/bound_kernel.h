// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/bound_kernel.h: a kernel and the variables of a program that its buffers are. Whatever runs a
// generated kernel goes through it.
#pragma once
#include <memory>
#include <vector>

#include "weft/jit/codegen.h"
#include "weft/jit/lane_writer.h"

namespace weft::compiler {

class BoundKernel {
 public:
  // Raises InternalError naming the equation if the kernel is malformed, or if some point of the
  // grid could reach beyond the memory of a variable.
  BoundKernel(nest::Kernel kernel, std::vector<LaneWriter::Bound> buffers,
              const std::vector<int64_t>& grid, const JaxprData& j);
  void compile() { code_ = compiler::compile(kernel_); }
  const nest::Kernel& kernel() const { return kernel_; }
  const std::shared_ptr<const Code>& code() const { return code_; }

  // One run of it. ptrs[v] is the memory of variable v.
  class Run {
   public:
    Run(const BoundKernel& k, void* const* ptrs, const int32_t* stop);
    Run(const Run&) = delete;
    // A part of the grid (KernelFn); parts may run at the same time.
    void part(const int64_t (&range)[4]) const { code_.run(table_ + 1, nullptr, range); }
    void all_of_one_point() const { part({0, 1, 0, 1}); }

   private:
    static constexpr size_t few = 16;
    const Code& code_;
    void* inline_[few + 1];
    std::vector<void*> many_;
    void** table_ = inline_;
  };

 private:
  nest::Kernel kernel_;
  std::vector<LaneWriter::Bound> buffers_;
  std::shared_ptr<const Code> code_;
};

}  // namespace weft::compiler
