// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/run/gpu_code.cpp: compiling a kernel once a GPU.
#include "weft/jit/run/gpu_code.h"

#include "weft/jit/emit/image.h"
#include "weft/jit/run/code_cache.h"
#include "weft/jit/run/codegen.h"

namespace weft::compiler {

std::shared_ptr<const GpuCode> compile_for_gpu(const nest::Kernel& kernel, const Schedule& schedule,
                                               const TargetInfo& target) {
  static auto& cache = *new CodeCache<GpuCode>();
  return cache.get(code_key(kernel, schedule, target), [&] {
    constexpr const char* entry = "weft_kernel";
    const std::string image = gpu_image({{kernel, schedule}}, target, entry);
    auto& device = static_cast<cuda::Device&>(*target.device);
    return std::make_shared<const GpuCode>(GpuCode{kernel, schedule, device.load(image, {entry})[0],
                                                   static_cast<int64_t>(image.size()),
                                                   local_arrays(image)});
  });
}

}  // namespace weft::compiler
