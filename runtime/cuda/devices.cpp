// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/cuda/devices.cpp: finds the GPUs of the machine at the first request for one.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "runtime/cuda/gpu.h"

namespace weft::cuda {
namespace {

constexpr int oldest_capability = 75;

// Fills in the properties of a device; returns why it cannot be used, or "".
std::string look_at(const Driver& d, int index, DeviceProperties& f) {
  Result first_error = d.device_get(&f.ordinal, index);
  const auto noted = [&](Result r) {
    if (first_error == success) first_error = r;
  };
  const auto attribute = [&](int which) {
    int value = 0;
    noted(d.device_attribute(&value, which, f.ordinal));
    return value;
  };
  char title[256] = {};
  noted(d.device_name(title, sizeof title - 1, f.ordinal));
  f.title = title;
  f.major = attribute(number::major_capability);
  f.minor = attribute(number::minor_capability);
  f.multiprocessors = attribute(number::multiprocessors);
  f.threads = attribute(number::threads_of_multiprocessor);
  f.memory_pools = attribute(number::memory_pools) != 0;
  noted(d.total_memory(&f.memory, f.ordinal));
  if (first_error)
    return fmt::format("device {} cannot be asked: {}", index, text_of(d, first_error));
  if (f.major * 10 + f.minor < oldest_capability)
    return fmt::format(
        "device {} ({}) has compute capability {}.{}, and {}.{} is the least that "
        "will do",
        index, f.title, f.major, f.minor, oldest_capability / 10, oldest_capability % 10);
  if (!f.memory_pools)
    return fmt::format("device {} ({}) has no memory pools, which virtual GPUs may lack", index,
                       f.title);
  return {};
}

std::string add_gpus() {
  static auto& d = *new Driver;
  if (std::string missing = open_driver(d); !missing.empty()) return missing;
  int n = 0;
  if (const Result r = d.device_count(&n))
    return fmt::format("CUDA: the devices cannot be counted: {}", text_of(d, r));
  if (n == 0) return "CUDA: the driver shows no device; see what CUDA_VISIBLE_DEVICES says";
  std::vector<std::string> missing;
  for (int i = 0; i < n; ++i) {
    DeviceProperties f;
    if (std::string why = look_at(d, i, f); !why.empty())
      missing.push_back(std::move(why));
    else
      detail::add_device(new Gpu(d, std::move(f)));
  }
  return missing.empty() ? "" : fmt::format("CUDA: {}", fmt::join(missing, "; "));
}

[[maybe_unused]] const bool installed = [] {
  detail::install_devices("cuda", add_gpus);
  return true;
}();

}  // namespace
}  // namespace weft::cuda
