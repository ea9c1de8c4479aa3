// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/run/gpu_launch.h: the code of one kernel on a GPU, and how its grid is launched.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "jit/emit/compile/gpu_code.h"
#include "jit/nests/kernel_nest.h"
#include "jit/schedule/schedule.h"
#include "runtime/cuda/device.h"

namespace weft::compiler {

class GpuLaunch {
 public:
  // `what` names the kernel in errors of the device.
  GpuLaunch(cuda::Device& device, const std::vector<int64_t>& axes, const std::string& what);
  // Raises CompileError if the driver rejects the code.
  void compile(const nest::Kernel& k, const Schedule& s, const TargetInfo& target);
  // Launches all points of the grid; ptrs[v] is the memory of variable v, on the device.
  void run(cuda::Launcher& to, const std::vector<KernelNest::Buffer>& buffers,
           void* const* ptrs) const;
  cuda::Launcher& stream() const { return device_.launcher(); }
  bool has_points() const;
  const std::shared_ptr<const GpuCode>& code() const { return code_; }  // null: not yet compiled
  std::string shape() const;     // "16 blocks of 256 threads"
  std::string describe() const;  // the resources that the driver reports

 private:
  cuda::Device& device_;
  std::vector<int64_t> axes_;
  const char* what_;
  std::shared_ptr<const GpuCode> code_;
  cuda::Launch launch_;
  const int32_t* stop_ = nullptr;  // the device's stop word
};

}  // namespace weft::compiler
