// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/run/gpu_launch.cpp: images are made and loaded, launches get their arguments.
#include "weft/jit/run/gpu_launch.h"

#include <fmt/format.h>

#include <functional>
#include <numeric>

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
  const int64_t points =
      std::accumulate(axes_.begin(), axes_.end(), int64_t{1}, std::multiplies<>());
  const int64_t of_block = int64_t{s.block} * s.points;
  launch_.blocks = (points + of_block - 1) / of_block;
  launch_.threads = s.block;
}

void GpuLaunch::run(const std::vector<void*>& buffers) const {
  if (launch_.blocks == 0) return;
  const void* stop = device_.stop_word();
  std::vector<void*> arguments{&stop};
  for (void* const& b : buffers) arguments.push_back(const_cast<void**>(&b));
  for (const int64_t& n : axes_) arguments.push_back(const_cast<int64_t*>(&n));
  device_.launch(*function_, launch_, arguments.data(), what_);
}

std::string GpuLaunch::describe() const {
  return fmt::format("{} blocks of {}, {} registers, {} bytes spilled", launch_.blocks,
                     launch_.threads, function_->registers, function_->spilled_bytes);
}

}  // namespace weft::compiler
