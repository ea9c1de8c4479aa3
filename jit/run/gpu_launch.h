// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/run/gpu_launch.h: the code of one kernel on a GPU, and how its grid is launched.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "weft/jit/schedule/schedule.h"
#include "weft/runtime/cuda/device.h"

namespace weft::compiler {

class GpuLaunch {
 public:
  // `what` names the kernel in errors of the device.
  GpuLaunch(cuda::Device& device, const std::vector<int64_t>& axes, const std::string& what);
  // Raises CompileError if the driver does not take it.
  void compile(const nest::Kernel& k, const Schedule& s, const TargetInfo& target);
  // Of all points of the grid; `buffers` are those of the kernel, at addresses of the device.
  void run(const std::vector<void*>& buffers) const;
  std::string describe() const;  // what the driver says that it takes

 private:
  cuda::Device& device_;
  std::vector<int64_t> axes_;
  const char* what_;
  std::shared_ptr<const cuda::Function> function_;
  cuda::Launch launch_;
};

}  // namespace weft::compiler
