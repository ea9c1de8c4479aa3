// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/cuda/peeks.h: single words of a device on their way to the host.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "weft/runtime/cuda/device.h"
#include "weft/runtime/cuda/driver.h"

namespace weft::cuda {

class Gpu;

// Places in pinned memory, an event each, which are used again in turn. Called while the device's
// context is current.
class Peeks {
 public:
  explicit Peeks(Gpu& g) : gpu_(g) {}
  std::unique_ptr<Peek> start(Address at, int64_t bytes);
  // Frees what nobody uses, when what is under way is over.
  void release();

 private:
  class Word;
  struct Slot {
    std::byte* memory = nullptr;
    EventHandle copied = nullptr;
    bool busy = false;  // something may be on its way here
  };
  static constexpr size_t slot_bytes = Peek::most_bytes, page_slots = 64, few = 8;
  Slot take();
  void give_back(Slot s);
  void add_page();
  Gpu& gpu_;
  std::mutex guard_;  // of what follows
  std::deque<Slot> free_;
  std::vector<std::byte*> pages_, unused_;  // of the latter each is a slot without an event
  size_t slots_ = 0;                        // that have an event
};

}  // namespace weft::cuda
