// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/cuda/async_readbacks.h: asynchronous copies of single words from a device to the host.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/cuda/device.h"
#include "runtime/cuda/driver.h"

namespace weft::cuda {

class Gpu;

// Slots in pinned memory, each with an event, that are reused in turn. Called while the device's
// context is current.
class AsyncReadbacks {
 public:
  explicit AsyncReadbacks(Gpu& g) : gpu_(g) {}
  std::unique_ptr<AsyncReadback> start(Address at, int64_t bytes);
  // Waits for copies under way, then frees all unused slots.
  void release();

 private:
  class Word;
  struct Slot {
    std::byte* memory = nullptr;
    EventHandle copied = nullptr;
    bool busy = false;  // a copy to it may be under way
  };
  static constexpr size_t slot_bytes = AsyncReadback::max_bytes, page_slots = 64, few = 8;
  Slot acquire_slot();
  void release_slot(Slot s);
  void add_page();
  Gpu& gpu_;
  std::mutex guard_;  // guards the members below
  std::deque<Slot> free_;
  std::vector<std::byte*> pages_, unused_;  // unused_: slots without an event
  size_t slots_ = 0;                        // number of slots with an event
};

}  // namespace weft::cuda
