// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/run/gpu_launch.cpp: sets up the arguments of launches.
#include "jit/run/gpu_launch.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/intern_string.h"
#include "jit/schedule/product.h"

namespace weft::compiler {

GpuLaunch::GpuLaunch(cuda::Device& device, const std::vector<int64_t>& axes,
                     const std::string& what)
    : device_(device), axes_(axes), what_(intern_string(what)) {}

void GpuLaunch::compile(const nest::Kernel& k, const Schedule& s, const TargetInfo& target) {
  code_ = compile_for_gpu(k, s, target);
  stop_ = device_.stop_word();
  launch_.blocks = blocks_of_grid(s, axes_);
  launch_.threads = s.block;
}

bool GpuLaunch::has_points() const { return Shape(axes_).elements() > 0; }

void GpuLaunch::run(cuda::Launcher& to, const std::vector<KernelNest::Buffer>& buffers,
                    void* const* ptrs) const {
  constexpr size_t few = 24;
  const size_t n = buffers.size(), all = 1 + n + axes_.size();
  const void* few_arguments[few];
  cuda::Launch::Use few_uses[few];
  std::vector<const void*> many_arguments(all > few ? all : 0);
  std::vector<cuda::Launch::Use> many_uses(all > few ? n : 0);
  const void** const arguments = all > few ? many_arguments.data() : few_arguments;
  cuda::Launch::Use* const uses = all > few ? many_uses.data() : few_uses;
  arguments[0] = static_cast<const void*>(&stop_);
  for (size_t i = 0; i < n; ++i) {
    arguments[1 + i] = static_cast<const void*>(&ptrs[buffers[i].var]);
    uses[i] = {ptrs[buffers[i].var], buffers[i].written};
  }
  for (size_t i = 0; i < axes_.size(); ++i) arguments[1 + n + i] = &axes_[i];
  cuda::Launch launch = launch_;
  launch.uses = {uses, n};
  to.launch(*code_->function, launch, const_cast<void**>(arguments), what_);
}

std::string GpuLaunch::shape() const {
  return fmt::format("{} block{} of {} thread{}", launch_.blocks, launch_.blocks == 1 ? "" : "s",
                     launch_.threads, launch_.threads == 1 ? "" : "s");
}

std::string GpuLaunch::describe() const {
  const cuda::Function& f = *code_->function;
  const cuda::Occupancy o = device_.occupancy(f, launch_);
  return fmt::format(
      "{} registers, {} bytes of shared memory, {} bytes of local arrays, {} bytes spilled, "
      "occupancy {:.0f} % ({} blocks a multiprocessor)",
      f.registers, f.shared_bytes + launch_.shared, code_->arrays,
      std::max<int64_t>(0, f.local_bytes - code_->arrays), 100 * o.share, o.blocks);
}

}  // namespace weft::compiler
