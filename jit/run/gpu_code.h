// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/run/gpu_code.h: a kernel that is compiled for a GPU and loaded there.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "weft/core/loops/nest.h"
#include "weft/jit/schedule/schedule.h"
#include "weft/jit/schedule/target.h"
#include "weft/runtime/cuda/device.h"

namespace weft::compiler {

// The module it lies in is unloaded with the last handle, when what was launched of it is over.
struct GpuCode {
  nest::Kernel kernel;  // equal to all that share the code
  Schedule schedule;
  std::shared_ptr<const cuda::Function> function;
  int64_t bytes = 0;   // of the image
  int64_t arrays = 0;  // bytes of a thread's local memory that the kernel's own arrays take
};

// Compiles for the device of the target and loads it there, or finds it: kernels of equal print()
// and equal schedules share it while a handle lives, as they do on the host (jit/run/codegen.h).
// Thread-safe. Raises CompileError where that does, and if the driver does not take it.
std::shared_ptr<const GpuCode> compile_for_gpu(const nest::Kernel& kernel, const Schedule& schedule,
                                               const TargetInfo& target);
// The kernel of jit/emit/gpu/condition.h, as long as somebody has it.
std::shared_ptr<const cuda::Function> condition_setter(const TargetInfo& target);
// By which its image is kept on disk (jit/run/disk_cache.h): all that it hangs on, and nothing of
// the one device that it is for, so that a later process or another GPU of the kind has the same.
std::string gpu_image_key(const nest::Kernel& kernel, const Schedule& schedule,
                          const TargetInfo& target);

}  // namespace weft::compiler
