// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/buffer.h: memory that holds arrays: aligned, pooled by size class, limited.
#pragma once
#include <cstddef>
#include <cstdint>

#include "weft/core/ref.h"

namespace weft {

// Bytes on the host, aligned to 64, never moved. Freed memory of 64 KB and more is kept for the
// next buffer of its size class, so that large results do not pay page faults on every call.
class Buffer final : public RefCounted {
 public:
  static Ref<Buffer> allocate(int64_t bytes);  // uninitialised; OutOfMemoryError
  // Memory of somebody else; `owner` is released with the buffer.
  static Ref<Buffer> foreign(void* data, int64_t bytes, Ref<const RefCounted> owner);
  ~Buffer() override;
  void* data() const { return data_; }
  int64_t bytes() const { return bytes_; }
  bool is_foreign() const { return capacity_ == 0 && bytes_ != 0; }

 private:
  Buffer(void* data, int64_t bytes, int64_t capacity)
      : data_(data), bytes_(bytes), capacity_(capacity) {}
  void* data_;
  int64_t bytes_;
  int64_t capacity_;  // 0: not ours
  Ref<const RefCounted> owner_;
};

// At most this many bytes in buffers at a time (0: no limit). An allocation above it raises
// OutOfMemoryError before anything is computed.
void set_memory_limit(int64_t bytes);
// Bytes in live buffers.
int64_t memory_in_use();

}  // namespace weft
