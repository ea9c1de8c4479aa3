// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/cuda/async_readbacks.cpp: asynchronous copies of single words to the host.
#include "runtime/cuda/async_readbacks.h"

#include <utility>

#include "runtime/cuda/gpu.h"

namespace weft::cuda {

class AsyncReadbacks::Word final : public AsyncReadback {
 public:
  Word(Gpu& g, AsyncReadbacks& readbacks, Slot s, Address at)
      : gpu_(g), readbacks_(readbacks), slot_(s), at_(at) {}
  ~Word() override { readbacks_.release_slot(slot_); }
  void is_under_way() { slot_.busy = true; }
  const void* wait() override {
    gpu_.wait_for_event(slot_.copied, at_);
    slot_.busy = false;
    return slot_.memory;
  }

 private:
  Gpu& gpu_;
  AsyncReadbacks& readbacks_;
  Slot slot_;
  const Address at_;
};

void AsyncReadbacks::add_page() {
  void* memory = nullptr;
  gpu_.check(
      gpu_.driver().host_allocate(&memory, page_slots * slot_bytes, number::portable_and_mapped),
      "cuMemHostAlloc");
  pages_.push_back(static_cast<std::byte*>(memory));
  for (size_t i = page_slots; i-- > 0;) unused_.push_back(pages_.back() + i * slot_bytes);
}

// Takes the least recently used slot. While there are fewer than `few` slots, makes a new one
// rather than wait for a busy one.
AsyncReadbacks::Slot AsyncReadbacks::acquire_slot() {
  Slot s;
  {
    const std::lock_guard lock(guard_);
    if (!free_.empty() && (!free_.front().busy || slots_ >= few)) {
      s = free_.front();
      free_.pop_front();
    } else {
      if (unused_.empty()) add_page();
      gpu_.check(gpu_.driver().event_create(&s.copied, number::no_timing), "cuEventCreate");
      s.memory = unused_.back();
      unused_.pop_back();
      ++slots_;
    }
  }
  if (!s.busy) return s;
  try {
    gpu_.wait([&] {
      gpu_.check(gpu_.driver().event_synchronize(s.copied), "cuEventSynchronize");
      s.busy = false;
    });
  } catch (...) {
    release_slot(s);
    throw;
  }
  return s;
}

void AsyncReadbacks::release_slot(Slot s) {
  const std::lock_guard lock(guard_);
  free_.push_back(s);
}

std::unique_ptr<AsyncReadback> AsyncReadbacks::start(Address at, int64_t bytes) {
  Slot s = acquire_slot();
  auto word = std::make_unique<Word>(gpu_, *this, s, at);
  const Driver& d = gpu_.driver();
  gpu_.check(d.copy_out(s.memory, at, static_cast<size_t>(bytes), gpu_.queue()),
             "cuMemcpyDtoHAsync");
  gpu_.check(d.event_record(s.copied, gpu_.queue()), "cuEventRecord");
  word->is_under_way();
  return word;
}

void AsyncReadbacks::release() {
  const std::lock_guard lock(guard_);
  const Driver& d = gpu_.driver();
  while (!free_.empty()) {
    const Slot s = free_.front();
    if (s.busy) {
      gpu_.check(d.event_synchronize(s.copied), "cuEventSynchronize");
      free_.front().busy = false;
    }
    gpu_.check(d.event_destroy(s.copied), "cuEventDestroy");
    unused_.push_back(s.memory);
    free_.pop_front();
    --slots_;
  }
  if (slots_ > 0) return;
  unused_.clear();
  while (!pages_.empty()) {
    gpu_.check(d.host_release(pages_.back()), "cuMemFreeHost");
    pages_.pop_back();
  }
}

}  // namespace weft::cuda
