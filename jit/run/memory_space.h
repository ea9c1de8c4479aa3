// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/run/memory_space.h: the memory that the steps of a program work in: the host's or a device's.
// All accesses are in the order of the device's stream.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "runtime/cuda/device.h"
#include "runtime/red_zones.h"
#include "weft/buffer.h"
#include "weft/detail/jaxpr.h"
#include "weft/device.h"

namespace weft::compiler {

// Returns the address of an atom's value; literals are on the host.
inline const void* address(const JaxprData& j, Atom a, void* const* ptrs) {
  return a.is_literal() ? static_cast<const void*>(j.literals[a.literal()].bits) : ptrs[a.index];
}

class MemorySpace {
 public:
  explicit MemorySpace(weft::detail::Device* elsewhere)
      : device_(elsewhere ? elsewhere : &weft::detail::host()) {}
  bool on_host() const { return device_ == &weft::detail::host(); }
  weft::detail::Device& device() const { return *device_; }
  void copy(void* to, const void* from, int64_t bytes) const {
    if (to != from) device_->copy_within(to, from, bytes);
  }
  // Copies the value of an atom.
  void copy(void* to, const JaxprData& j, Atom a, void* const* ptrs) const {
    const void* from = address(j, a, ptrs);
    if (a.is_literal())
      write(to, from, j.type(a).bytes());
    else
      copy(to, from, j.type(a).bytes());
  }
  void clear(void* at, int64_t bytes) const { device_->clear(at, bytes); }
  // Copies from and to host memory; reading waits.
  void write(void* to, const void* from, int64_t bytes) const { device_->copy_in(to, from, bytes); }
  void read(void* to, const void* from, int64_t bytes) const { device_->copy_out(to, from, bytes); }
  // Waits until all started work is done.
  void wait() const { device_->stream().synchronize(); }

 private:
  weft::detail::Device* device_;
};

// A number in a place that is read later. From a device it is copied in the meantime.
template <class T>
class DeviceFuture {
 public:
  DeviceFuture(const MemorySpace& place, const void* at) {
    if (place.on_host())
      value_ = *static_cast<const T*>(at);
    else
      readback_ = static_cast<cuda::Device&>(place.device()).start_readback(at, sizeof(T));
  }
  T value() {
    if (readback_) value_ = *static_cast<const T*>(readback_->wait());
    readback_.reset();
    return value_;
  }

 private:
  T value_{};
  std::unique_ptr<cuda::AsyncReadback> readback_;
};

// Memory of a place, uninitialized, freed with this object.
class DeviceAllocation {
 public:
  DeviceAllocation(const MemorySpace& place, int64_t bytes) : place_(place), bytes_(bytes) {
    if (place_.on_host())
      data_ = here_.emplace(bytes).data();
    else
      data_ = place_.device().allocate(bytes, &capacity_);
  }
  ~DeviceAllocation() {
    if (!place_.on_host()) place_.device().release(data_, bytes_, capacity_);
  }
  DeviceAllocation(const DeviceAllocation&) = delete;
  std::byte* data() const { return static_cast<std::byte*>(data_); }

 private:
  const MemorySpace place_;
  std::optional<Temporaries> here_;
  void* data_ = nullptr;
  int64_t bytes_, capacity_ = 0;
};

// Values of these types, one after another.
struct TempBuffers {
  std::optional<DeviceAllocation> memory;
  std::vector<void*> ptrs;
  TempBuffers(const MemorySpace& place, const Types& types) {
    if (types.empty()) return;
    memory.emplace(place, bytes(types));
    put(place, types, memory->data());
  }
  // Uses memory of another owner.
  TempBuffers(const MemorySpace& place, const Types& types, std::byte* at) {
    put(place, types, at);
  }
  void put(const MemorySpace& place, const Types& types, std::byte* at) {
    for (const Type& t : types) {
      ptrs.push_back(at);
      if (place.on_host()) forbid_rest(at, t.bytes(), padded_bytes(t.bytes()));
      at += padded_bytes(t.bytes());
    }
  }
  static int64_t bytes(const Types& types) {
    int64_t n = 0;
    for (const Type& t : types) n += padded_bytes(t.bytes());
    return n;
  }
};

}  // namespace weft::compiler
