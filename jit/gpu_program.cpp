// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/gpu_program.cpp: compiles for a target without a device and returns its kernels.
#include "jit/gpu_program.h"

#include <fmt/format.h>

#include <map>
#include <mutex>

#include "jit/emit/compile/image.h"
#include "jit/forced.h"
#include "jit/pipeline.h"
#include "jit/run/bound_kernel.h"

namespace weft::compiler {
namespace {

// Programs refer to the target, so it is never freed.
const TargetInfo& target_of(const std::string& architecture) {
  static std::mutex guard;
  static auto* targets = new std::map<std::string, TargetInfo>;
  const std::lock_guard lock(guard);
  const auto [at, made] = targets->try_emplace(architecture);
  if (made) at->second = gpu_target(architecture);
  return at->second;
}

void add_steps(const CompiledProgram& p, std::vector<const RunStep*>* steps) {
  for (const auto& step : p.steps()) {
    steps->push_back(step.get());
    for (const CompiledProgram* inner : step->inner()) add_steps(*inner, steps);
  }
}

}  // namespace

GpuProgram gpu_program(const Jaxpr& j, const std::string& architecture) {
  const TargetInfo& target = target_of(architecture);
  const TargetScope scope(target);
  const Ref<const CompiledProgram> program = compile_program(j);
  std::vector<const RunStep*> steps;
  add_steps(*program, &steps);
  std::vector<GpuKernelCode> kernels;
  for (const RunStep* step : steps)
    if (const BoundKernel* k = step->kernel()) kernels.push_back({k->kernel(), k->schedule()});
  const std::string entry = "weft_kernel";
  GpuProgram r{{}, gpu_image(kernels, target, entry)};
  for (size_t n = 0; const RunStep* step : steps) {
    r.steps.push_back({step->describe(), {}});
    if (!step->kernel()) continue;
    r.steps.back().entry = kernels.size() == 1 ? entry : fmt::format("{}_{}", entry, n);
    ++n;
  }
  return r;
}

}  // namespace weft::compiler
