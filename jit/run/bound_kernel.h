// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/run/bound_kernel.h: a kernel and the program's variables that are its buffers. Every
// generated kernel runs through it.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "jit/emit/compile/codegen.h"
#include "jit/nests/kernel_nest.h"
#include "jit/run/gpu_launch.h"

namespace weft::compiler {

class BoundKernel {
 public:
  // Raises InternalError naming the equation if a point of the grid could access memory beyond a
  // variable.
  BoundKernel(KernelNest nest, Schedule schedule, const JaxprData& j);
  void compile();
  const nest::Kernel& kernel() const {
    return code_ ? code_->kernel() : gpu_ && gpu_->code() ? gpu_->code()->kernel : kernel_;
  }
  const Schedule& schedule() const {
    return code_ ? code_->schedule() : gpu_ && gpu_->code() ? gpu_->code()->schedule : schedule_;
  }
  // Null for a GPU.
  const std::shared_ptr<const Code>& code() const { return code_; }
  int64_t code_bytes() const;    // of the object, or of a GPU's image
  long code_users() const;       // the number of kernels that share it
  std::string describe() const;  // its nest and how it runs
  bool on_gpu() const { return gpu_ != nullptr; }
  const GpuLaunch& gpu() const { return *gpu_; }
  // Launches all points of the grid on the GPU.
  void launch(cuda::Launcher& to, void* const* ptrs) const { gpu_->run(to, buffers_, ptrs); }

  // One run of it. ptrs[v] is the memory of variable v.
  class Run {
   public:
    Run(const BoundKernel& k, void* const* ptrs, const int32_t* stop);
    Run(const Run&) = delete;
    // Runs a part of the grid (KernelFn). Parts may run at the same time. If kernels test their
    // accesses (WEFT_CHECK=1), an invalid one raises an InternalError.
    void run_range(const int64_t (&range)[4]) const {
      if (k_.target_.checked)
        run_range_checked(range);
      else
        k_.code_->run(table_ + 1, nullptr, range);
    }
    void run_single_point() const { run_range({0, 1, 0, 1}); }

   private:
    void run_range_checked(const int64_t (&range)[4]) const;
    static constexpr size_t few = 16;
    const BoundKernel& k_;
    void* inline_[few + 1];
    std::vector<void*> many_;
    void** table_ = inline_;
  };

 private:
  nest::Kernel kernel_;  // until there is code
  Schedule schedule_;    // likewise
  const TargetInfo& target_;
  std::vector<KernelNest::Buffer> buffers_;
  std::shared_ptr<const Code> code_;  // for the host,
  std::unique_ptr<GpuLaunch> gpu_;    // or for a GPU
  int64_t read_ = 0, written_ = 0;    // bytes of its buffers
  // On a checked target, by buffer: its bytes, and a description of its contents.
  std::vector<int64_t> bytes_;
  std::vector<std::string> names_;
};

}  // namespace weft::compiler
