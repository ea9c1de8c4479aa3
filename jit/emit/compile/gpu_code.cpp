// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/compile/gpu_code.cpp: compiles a kernel once per GPU.
#include "jit/emit/compile/gpu_code.h"

#include <fmt/format.h>

#include "jit/emit/compile/code_cache.h"
#include "jit/emit/compile/codegen.h"
#include "jit/emit/compile/condition.h"
#include "jit/emit/compile/disk_cache.h"
#include "jit/emit/compile/image.h"

namespace weft::compiler {
std::string gpu_image_key(const nest::Kernel& kernel, const Schedule& schedule,
                          const TargetInfo& target) {
  const TargetInfo& machine = target.emulated ? host_target() : target;
  return fmt::format("{} {} {} {}\n{}{}", target.emulated ? "emulated GPU" : "GPU", machine.triple,
                     machine.cpu, machine.features, to_string(schedule), nest::print(kernel));
}

std::shared_ptr<const GpuCode> compile_for_gpu(const nest::Kernel& kernel, const Schedule& schedule,
                                               const TargetInfo& target) {
  static auto& cache = *new CodeCache<GpuCode>();
  return cache.get(code_key(kernel, schedule, target), [&] {
    constexpr const char* entry = "weft_kernel";
    const std::string image =
        DiskCache::of_process().get(gpu_image_key(kernel, schedule, target),
                                    [&] { return gpu_image({{kernel, schedule}}, target, entry); });
    auto& device = static_cast<cuda::Device&>(*target.device);
    return std::make_shared<const GpuCode>(GpuCode{kernel, schedule, device.load(image, {entry})[0],
                                                   static_cast<int64_t>(image.size()),
                                                   local_arrays(image)});
  });
}

std::shared_ptr<const cuda::Function> condition_setter(const TargetInfo& target) {
  static auto& cache = *new CodeCache<cuda::Function>();
  return cache.get(target.device->name(), [&] {
    auto& device = static_cast<cuda::Device&>(*target.device);
    return device.load(condition_image(target), {condition_entry})[0];
  });
}

}  // namespace weft::compiler
