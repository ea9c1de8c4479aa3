// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/buffer.h: memory that holds arrays: aligned, pooled, limited, on a device.
#pragma once
#include <cstddef>
#include <cstdint>

#include "weft/core/ref.h"

namespace weft {
namespace detail {
class Device;

// The memory of the host. Freed blocks of 64 KB and more are kept for the next of about their size,
// so that large results do not pay page faults on every call (docs/decisions/0012).
struct HostMemory {
  static void* allocate(int64_t bytes, int64_t* capacity);  // OutOfMemoryError
  static void release(void* data, int64_t bytes, int64_t capacity);
};
}  // namespace detail

namespace ir {
// Bytes on a device, aligned to 64, never moved.
class Buffer final : public RefCounted {
 public:
  static Ref<Buffer> allocate(int64_t bytes);  // on the host; uninitialised; OutOfMemoryError
  static Ref<Buffer> allocate(int64_t bytes, detail::Device& device);
  // Memory of somebody else on the host; `owner` is released with the buffer.
  static Ref<Buffer> foreign(void* data, int64_t bytes, Ref<const RefCounted> owner);
  // The same of a device; the owner is released when the device has done what it was told before.
  static Ref<Buffer> foreign(void* data, int64_t bytes, Ref<const RefCounted> owner,
                             detail::Device& device);
  ~Buffer() override;
  void* data() const { return data_; }  // an address of the device
  int64_t bytes() const { return bytes_; }
  bool is_foreign() const { return capacity_ == 0 && bytes_ != 0; }
  bool on_host() const { return !elsewhere_; }
  detail::Device& device() const;
  // The bytes where the host can read them; of another device a copy, made once.
  const void* host_data() const;
  // Of a buffer that one owner has, before it is written over: the copy is made anew when it is
  // asked for.
  void forget_host_data() { copy_ = nullptr; }

 private:
  Buffer(void* data, int64_t bytes, int64_t capacity)
      : data_(data), bytes_(bytes), capacity_(capacity) {}
  void* data_;
  int64_t bytes_;
  int64_t capacity_;  // of the block; 0: not ours
  Ref<const RefCounted> owner_;
  detail::Device* elsewhere_ = nullptr;  // null: the host
  mutable Ref<Buffer> copy_;             // on the host
};

// Memory for the temporaries of one run. Programs own none: blocks wait for whichever runs next and
// fits, so that as many are kept as ever ran at once, each as large as the largest needed.
class Temporaries {
 public:
  explicit Temporaries(int64_t bytes);  // uninitialised, aligned to 64; OutOfMemoryError
  ~Temporaries();
  Temporaries(const Temporaries&) = delete;
  std::byte* data() const { return static_cast<std::byte*>(data_); }

  // That a function may need so much, and that it is gone: blocks that only it needed are freed.
  static void announce(int64_t bytes);
  static void retract(int64_t bytes);

 private:
  void* data_;
  int64_t need_, capacity_;
};

// Counts what a library allocates itself, as long as it lives.
class Reserved {
 public:
  explicit Reserved(int64_t bytes);  // OutOfMemoryError
  ~Reserved();
  Reserved(const Reserved&) = delete;

 private:
  int64_t bytes_;
};
}  // namespace ir

// At most this many bytes of the host in arrays and in temporaries of what runs (0: no limit). What
// is kept for later is given back first; then an allocation above the limit raises OutOfMemoryError
// before anything is computed.
void set_memory_limit(int64_t bytes);
// Bytes of the host in live arrays and in temporaries of what runs. Memory of other devices is not
// counted: its limit is what the device has.
int64_t memory_in_use();
// Gives the memory that is kept for later back to the system, on all devices.
void release_idle_memory();

}  // namespace weft
