// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/run/gpu_launch.cpp: images are made and loaded, launches get their arguments.
#include "weft/jit/run/gpu_launch.h"

#include <fmt/format.h>

#include "weft/core/shape.h"
#include "weft/core/text/lasting.h"
#include "weft/jit/emit/image.h"

namespace weft::compiler {
namespace {
constexpr const char* entry = "weft_kernel";
}

GpuLaunch::GpuLaunch(cuda::Device& device, const std::vector<int64_t>& axes,
                     const std::string& what)
    : device_(device), axes_(axes), what_(lasting(what)) {}

void GpuLaunch::compile(const nest::Kernel& k, const Schedule& s, const TargetInfo& target) {
  function_ = device_.load(gpu_image({{k, s}}, target, entry), {entry})[0];
  stop_ = device_.stop_word();
  const int64_t points = Shape(axes_).elements();
  const int64_t of_block = int64_t{s.block / s.threads} * s.points;
  launch_.blocks = (points + of_block - 1) / of_block;
  launch_.threads = s.block;
}

void GpuLaunch::run(const std::vector<KernelNest::Buffer>& buffers, void* const* ptrs) const {
  std::vector<const void*> arguments{static_cast<const void*>(&stop_)};
  for (const KernelNest::Buffer& b : buffers)
    arguments.push_back(static_cast<const void*>(&ptrs[b.var]));
  for (const int64_t& n : axes_) arguments.push_back(&n);
  device_.launch(*function_, launch_, const_cast<void**>(arguments.data()), what_);
}

std::string GpuLaunch::describe() const {
  return fmt::format("{} blocks of {}, {} registers, {} bytes spilled", launch_.blocks,
                     launch_.threads, function_->registers, function_->spilled_bytes);
}

}  // namespace weft::compiler
