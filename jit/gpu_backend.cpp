// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/gpu_backend.cpp: the compiler for CUDA devices.
#include <map>
#include <mutex>

#include "jit/pipeline.h"
#include "jit/schedule/target.h"
#include "runtime/cuda/device.h"

namespace weft::compiler {
namespace {

// Programs refer to the target, so it is never freed.
const TargetInfo& target_of(cuda::Device& d) {
  static std::mutex guard;
  static auto* targets = new std::map<cuda::Device*, TargetInfo>;
  const std::lock_guard lock(guard);
  const auto [at, made] = targets->try_emplace(&d);
  if (made) {
    at->second = gpu_target(d.architecture());
    at->second.emulated = d.emulated();
    at->second.device = &d;
    at->second.libraries = &d;
  }
  return at->second;
}

Ref<const Executable> compile_for(const Jaxpr& j, weft::detail::Device& d) {
  const TargetScope scope(target_of(static_cast<cuda::Device&>(d)));
  return compile_program(j);
}
const bool installed = (install_gpu_backend(compile_for), true);

}  // namespace
}  // namespace weft::compiler
