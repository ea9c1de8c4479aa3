// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/buffer.cpp: the pool of host memory.
#include "weft/runtime/buffer.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <atomic>
#include <bit>
#include <cstdlib>
#include <map>
#include <mutex>
#include <vector>

#include "weft/core/error.h"

namespace weft {
namespace {

constexpr int64_t pooled_from = 64 << 10;
constexpr int64_t huge_page = 2 << 20;
constexpr int64_t pool_limit = int64_t{2} << 30;  // idle bytes kept

struct Pool {
  std::mutex guard;
  std::map<int64_t, std::vector<void*>> idle;  // by capacity
  int64_t idle_bytes = 0;
  std::atomic<int64_t> in_use{0};
  std::atomic<int64_t> limit{0};
};
Pool& pool() {
  static auto* p = new Pool;
  return *p;
}

// Four classes an octave, whole pages: at most a quarter is wasted.
int64_t size_class(int64_t bytes) {
  if (bytes < pooled_from) return (bytes + 63) & ~int64_t{63};
  const int64_t octave = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(bytes)));
  const int64_t step = octave / 4;
  return (bytes + step - 1) / step * step;
}

[[noreturn]] void out_of_memory(int64_t bytes, const char* why) {
  throw OutOfMemoryError(
      fmt::format("cannot allocate {} bytes: {} ({} bytes are in use). Map in chunks "
                  "(.chunk_size), donate arguments, or raise set_memory_limit.",
                  bytes, why, pool().in_use.load()));
}

void* take_idle(int64_t capacity) {
  Pool& p = pool();
  const std::lock_guard lock(p.guard);
  const auto it = p.idle.find(capacity);
  if (it == p.idle.end() || it->second.empty()) return nullptr;
  void* data = it->second.back();
  it->second.pop_back();
  p.idle_bytes -= capacity;
  return data;
}

void drop_idle() {
  Pool& p = pool();
  const std::lock_guard lock(p.guard);
  for (auto& [capacity, blocks] : p.idle)
    for (void* b : blocks) std::free(b);
  p.idle.clear();
  p.idle_bytes = 0;
}

void* fresh(int64_t capacity) {
  const size_t alignment = capacity >= huge_page ? static_cast<size_t>(huge_page) : 64;
  void* data = nullptr;
  if (posix_memalign(&data, alignment, static_cast<size_t>(capacity)) != 0) {
    drop_idle();
    if (posix_memalign(&data, alignment, static_cast<size_t>(capacity)) != 0) return nullptr;
  }
  if (capacity >= huge_page) madvise(data, static_cast<size_t>(capacity), MADV_HUGEPAGE);
  return data;
}

}  // namespace

Ref<Buffer> Buffer::allocate(int64_t bytes) {
  Pool& p = pool();
  const int64_t capacity = size_class(bytes < 1 ? 1 : bytes);
  const int64_t limit = p.limit.load(std::memory_order_relaxed);
  if (limit > 0 && p.in_use.load(std::memory_order_relaxed) + capacity > limit)
    out_of_memory(bytes, fmt::format("the limit is {} bytes", limit).c_str());
  void* data = capacity >= pooled_from ? take_idle(capacity) : nullptr;
  if (!data) data = fresh(capacity);
  if (!data) out_of_memory(bytes, "the system has no more");
  p.in_use.fetch_add(capacity, std::memory_order_relaxed);
  return Ref<Buffer>(new Buffer(data, bytes, capacity));
}

Ref<Buffer> Buffer::foreign(void* data, int64_t bytes, Ref<const RefCounted> owner) {
  Ref<Buffer> b(new Buffer(data, bytes, 0));
  b->owner_ = std::move(owner);
  return b;
}

Buffer::~Buffer() {
  if (capacity_ == 0) return;
  Pool& p = pool();
  p.in_use.fetch_sub(capacity_, std::memory_order_relaxed);
  if (capacity_ >= pooled_from) {
    const std::lock_guard lock(p.guard);
    if (p.idle_bytes + capacity_ <= pool_limit) {
      p.idle[capacity_].push_back(data_);
      p.idle_bytes += capacity_;
      return;
    }
  }
  std::free(data_);
}

void set_memory_limit(int64_t bytes) { pool().limit.store(bytes); }
int64_t memory_in_use() { return pool().in_use.load(); }

}  // namespace weft
