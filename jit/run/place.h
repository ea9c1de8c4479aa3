// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/run/place.h: the memory that the steps of a program work in: the host's, or a device's. All
// of it is in the order of the device's stream.
#pragma once
#include <cstring>
#include <optional>
#include <vector>

#include "weft/core/type.h"
#include "weft/runtime/buffer.h"
#include "weft/runtime/device.h"
#include "weft/runtime/red_zones.h"

namespace weft::compiler {

class Place {
 public:
  explicit Place(weft::detail::Device* elsewhere) : device_(elsewhere) {}
  bool on_host() const { return !device_; }
  weft::detail::Device* device() const { return device_; }
  void copy(void* to, const void* from, int64_t bytes) const {
    if (bytes == 0 || to == from) return;
    if (device_)
      device_->copy_within(to, from, bytes);
    else
      std::memcpy(to, from, static_cast<size_t>(bytes));
  }
  void clear(void* at, int64_t bytes) const {
    if (bytes == 0) return;
    if (device_)
      device_->clear(at, bytes);
    else
      std::memset(at, 0, static_cast<size_t>(bytes));
  }
  // From and to memory of the host; reading waits.
  void write(void* to, const void* from, int64_t bytes) const {
    if (bytes == 0) return;
    if (device_)
      device_->copy_in(to, from, bytes);
    else
      std::memcpy(to, from, static_cast<size_t>(bytes));
  }
  void read(void* to, const void* from, int64_t bytes) const {
    if (bytes == 0) return;
    if (device_)
      device_->copy_out(to, from, bytes);
    else
      std::memcpy(to, from, static_cast<size_t>(bytes));
  }
  // Until all that was started is done.
  void wait() const {
    if (device_) device_->stream().synchronize();
  }
  template <class T>
  T value(const void* at) const {
    T x{};
    read(&x, at, sizeof x);
    return x;
  }

 private:
  weft::detail::Device* device_;  // null: the host
};

// Memory of a place for as long as it lives, uninitialised.
class Block {
 public:
  Block(const Place& place, int64_t bytes) : device_(place.device()), bytes_(bytes) {
    if (device_)
      data_ = device_->allocate(bytes, &capacity_);
    else
      data_ = here_.emplace(bytes).data();
  }
  ~Block() {
    if (device_) device_->release(data_, bytes_, capacity_);
  }
  Block(const Block&) = delete;
  std::byte* data() const { return static_cast<std::byte*>(data_); }

 private:
  weft::detail::Device* device_;
  std::optional<Temporaries> here_;
  void* data_ = nullptr;
  int64_t bytes_, capacity_ = 0;
};

// Values of these types, one after another.
struct Room {
  std::optional<Block> memory;
  std::vector<void*> ptrs;
  Room(const Place& place, const Types& types) {
    if (types.empty()) return;
    memory.emplace(place, bytes(types));
    std::byte* at = memory->data();
    for (const Type& t : types) {
      ptrs.push_back(at);
      if (place.on_host()) forbid_rest(at, t.bytes(), room_of(t.bytes()));
      at += room_of(t.bytes());
    }
  }
  static int64_t bytes(const Types& types) {
    int64_t n = 0;
    for (const Type& t : types) n += room_of(t.bytes());
    return n;
  }
};

}  // namespace weft::compiler
