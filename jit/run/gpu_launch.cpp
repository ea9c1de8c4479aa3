// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/run/gpu_launch.cpp: launches get their arguments.
#include "weft/jit/run/gpu_launch.h"

#include <fmt/format.h>

#include <algorithm>

#include "weft/core/text/lasting.h"
#include "weft/jit/schedule/product.h"

namespace weft::compiler {

GpuLaunch::GpuLaunch(cuda::Device& device, const std::vector<int64_t>& axes,
                     const std::string& what)
    : device_(device), axes_(axes), what_(lasting(what)) {}

void GpuLaunch::compile(const nest::Kernel& k, const Schedule& s, const TargetInfo& target) {
  code_ = compile_for_gpu(k, s, target);
  stop_ = device_.stop_word();
  launch_.blocks = blocks_of_grid(s, axes_);
  launch_.threads = s.block;
}

void GpuLaunch::run(const std::vector<KernelNest::Buffer>& buffers, void* const* ptrs) const {
  std::vector<const void*> arguments{static_cast<const void*>(&stop_)};
  std::vector<cuda::Launch::Use> uses;
  for (const KernelNest::Buffer& b : buffers) {
    arguments.push_back(static_cast<const void*>(&ptrs[b.var]));
    uses.push_back({ptrs[b.var], b.written});
  }
  for (const int64_t& n : axes_) arguments.push_back(&n);
  cuda::Launch launch = launch_;
  launch.uses = uses;
  device_.launch(*code_->function, launch, const_cast<void**>(arguments.data()), what_);
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
