// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/buffer.h: memory for arrays: aligned, pooled, limited, on a device.
#pragma once
#include <cstddef>
#include <cstdint>

#include "weft/detail/ref.h"

namespace weft {
namespace detail {
class Device;

// Host memory. Freed blocks of 64 KB and more are kept and reused for allocations of similar size,
// so that large results do not cause page faults on every call (docs/decisions/0012).
struct HostMemory {
  static void* allocate(int64_t bytes, int64_t* capacity);  // throws OutOfMemoryError
  static void release(void* data, int64_t bytes, int64_t capacity);
};
}  // namespace detail

namespace ir {
// Bytes on a device, aligned to 64, never moved.
class Buffer final : public RefCounted {
 public:
  // On the host, uninitialised. Throws OutOfMemoryError.
  static Ref<Buffer> allocate(int64_t bytes);
  static Ref<Buffer> allocate(int64_t bytes, detail::Device& device);
  // Wraps host memory that the caller provides; `owner` is released with the buffer.
  static Ref<Buffer> foreign(void* data, int64_t bytes, Ref<const RefCounted> owner);
  // Wraps device memory. `owner` is released after the device has finished all work queued before
  // the buffer's destruction.
  static Ref<Buffer> foreign(void* data, int64_t bytes, Ref<const RefCounted> owner,
                             detail::Device& device);
  ~Buffer() override;
  void* data() const { return data_; }  // an address on the device
  int64_t bytes() const { return bytes_; }
  bool is_foreign() const { return capacity_ == 0 && bytes_ != 0; }
  bool on_host() const { return !elsewhere_; }
  detail::Device& device() const;
  // The bytes on the host. For a buffer on another device, this is a copy that is made once.
  const void* host_data() const;
  // Drops the host copy. Call it before a buffer with a single owner is overwritten; the next call
  // of host_data() copies again.
  void forget_host_data() { copy_ = nullptr; }

 private:
  Buffer(void* data, int64_t bytes, int64_t capacity)
      : data_(data), bytes_(bytes), capacity_(capacity) {}
  void* data_;
  int64_t bytes_;
  int64_t capacity_;  // of the block; 0: foreign memory
  Ref<const RefCounted> owner_;
  detail::Device* elsewhere_ = nullptr;  // null: the host
  mutable Ref<Buffer> copy_;             // on the host
};

// Memory for the temporaries of one run. Programs own no temporaries: a run takes an idle block
// that is large enough and returns it. The number of blocks kept is the largest number of
// simultaneous runs, and each is as large as the largest request.
class Temporaries {
 public:
  explicit Temporaries(int64_t bytes);  // uninitialised, aligned to 64; throws OutOfMemoryError
  ~Temporaries();
  Temporaries(const Temporaries&) = delete;
  std::byte* data() const { return static_cast<std::byte*>(data_); }

  // announce: a compiled function may need this many bytes. retract: that function no longer
  // exists, so blocks that only it needed are freed.
  static void announce(int64_t bytes);
  static void retract(int64_t bytes);

 private:
  void* data_;
  int64_t need_, capacity_;
};

// Counts memory that a library allocates itself, for as long as this object exists.
class Reserved {
 public:
  explicit Reserved(int64_t bytes);  // throws OutOfMemoryError
  ~Reserved();
  Reserved(const Reserved&) = delete;

 private:
  int64_t bytes_;
};
}  // namespace ir

// Limits the bytes of host memory in arrays and in temporaries of running programs (0: no limit).
// An allocation above the limit first frees idle memory. If that does not suffice, it throws
// OutOfMemoryError before anything is computed.
void set_memory_limit(int64_t bytes);
// Bytes of host memory in live arrays and in temporaries of running programs. Memory of other
// devices is not counted: it is limited by the capacity of the device.
int64_t memory_in_use();
// Returns idle memory that is kept for reuse to the system, on all devices.
void release_idle_memory();

}  // namespace weft
