// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/cuda/staging.h: copies between the host and a device through pinned memory.
#pragma once
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "runtime/cuda/driver.h"

namespace weft::cuda {

class Gpu;

// Two halves: one is filled or emptied while the other is copied. Each object serves one direction;
// its memory is allocated at first use. Called while the device's context is current.
class Staging {
 public:
  static constexpr int64_t half_bytes = 4 << 20;

  explicit Staging(Gpu& g) : gpu_(g) {}
  // Returns when the caller's bytes have been read.
  void copy_in(Address to, const std::byte* from, int64_t bytes);
  // Returns when the bytes have arrived.
  void copy_out(std::byte* to, Address from, int64_t bytes);
  // Waits for copies under way, then frees the memory.
  void release();

 private:
  struct Half {
    std::byte* memory = nullptr;
    EventHandle copied = nullptr;
    bool busy = false;
  };
  void prepare(Half& h);
  void wait(Half& h);
  // Records that the copy just queued must end before the half is reused.
  void mark(Half& h);
  Gpu& gpu_;
  std::mutex guard_;
  Half halves_[2];
};

}  // namespace weft::cuda
