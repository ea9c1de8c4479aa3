// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/compile/gpu_code.h: a kernel that is compiled for a GPU and loaded there.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "core/loops/nest.h"
#include "jit/schedule/schedule.h"
#include "jit/schedule/target.h"
#include "runtime/cuda/device.h"

namespace weft::compiler {

// Its module is unloaded with the last handle, after all its launches have finished.
struct GpuCode {
  nest::Kernel kernel;  // equal for all users of the code
  Schedule schedule;
  std::shared_ptr<const cuda::Function> function;
  int64_t bytes = 0;   // of the image
  int64_t arrays = 0;  // bytes of local memory per thread for the kernel's own arrays
};

// Compiles for the device of the target and loads the code there, or finds it. Kernels of equal
// print() and equal schedules share it while a handle lives, as on the host
// (jit/emit/compile/codegen.h). Thread-safe. Raises CompileError as there, and if the driver
// rejects the code.
std::shared_ptr<const GpuCode> compile_for_gpu(const nest::Kernel& kernel, const Schedule& schedule,
                                               const TargetInfo& target);
// Returns the kernel of jit/emit/compile/condition.h, which is loaded while it has users.
std::shared_ptr<const cuda::Function> condition_setter(const TargetInfo& target);
// Returns the key of its image on disk (jit/emit/compile/disk_cache.h). It covers everything that
// the image depends on, but nothing specific to one device. A later process, or another GPU of the
// same kind, thus finds the same image.
std::string gpu_image_key(const nest::Kernel& kernel, const Schedule& schedule,
                          const TargetInfo& target);

}  // namespace weft::compiler
