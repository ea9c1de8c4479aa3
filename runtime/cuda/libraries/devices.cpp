// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/cuda/libraries/devices.cpp: the members of Gpu that report on its libraries and record
// their work.
#include "runtime/cuda/gpu.h"
#include "runtime/cuda/libraries/open.h"

namespace weft::cuda {

std::string Gpu::missing(std::string_view name) const { return library(name, driver_).missing; }

std::vector<std::pair<std::string, std::string>> Gpu::libraries() const {
  return all_libraries(driver_);
}

void Gpu::require_usable(std::span<const Launch::Use> uses) {
  const std::lock_guard lock(guard_);
  require_valid(uses);
}

void Gpu::record_library_call(const char* function, std::span<const Launch::Use> uses) {
  Result numbered = success;
  {
    const std::lock_guard lock(guard_);
    record_launch(function, /*graph=*/false, uses);
    numbered = queue_number(launches_.last());
  }
  check(numbered, "the number of a library's call");
}

void Gpu::if_usable(FunctionRef<void()> f) {
  if (!usable()) return;
  if (const PushedContext pushed(driver_, context_); pushed.result == success) f();
}

}  // namespace weft::cuda
