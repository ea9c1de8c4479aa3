// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/gpu/fresh_gpu.h: a device that tests may spoil, each time a new one.
#pragma once
#include <vector>

#include "gpu/emulated.h"
#include "weft/runtime/cuda/gpu.h"

namespace weft::test {

// With or without what writes single words, which old drivers lack.
inline const cuda::Driver& driver(bool word_writes) {
  static const auto* const drivers = [&] {
    auto* made = new cuda::Driver[2];
    const std::string missing = cuda::open_driver(made[0]);
    if (!missing.empty()) throw DeviceError(missing);
    made[1] = made[0];
    made[0].write_word = nullptr;
    return made;
  }();
  return drivers[word_writes];
}

// A device of its own on what the emulated driver has anew: devices live as long as the process.
inline cuda::Gpu& fresh_gpu(bool word_writes = true) {
  fake_cuda_reset(fake_cuda_spare());
  cuda::Facts f;
  f.ordinal = fake_cuda_spare();
  f.major = 9;
  f.threads = FAKE_CUDA_THREADS;
  f.memory_pools = true;
  f.memory = size_t{1} << 30;
  static auto* all = new std::vector<cuda::Gpu*>;
  return *all->emplace_back(new cuda::Gpu(driver(word_writes), f));
}

}  // namespace weft::test
