// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/buffer.cpp: the pool of host memory.
#include "weft/buffer.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <map>
#include <mutex>
#include <new>
#include <set>
#include <utility>
#include <vector>

#include "core/ir.h"
#include "runtime/fork.h"
#include "runtime/red_zones.h"
#include "weft/device.h"
#include "weft/error.h"

namespace weft {
namespace {

constexpr int64_t pooled_from = 64 << 10;
constexpr int64_t huge_page = 2 << 20;
constexpr int64_t page = 4096;

// The header stored inside an idle block: its neighbours in order of age.
struct Idle {
  Idle *older, *newer;
  int64_t capacity;
};

struct Block {
  void* data = nullptr;
  int64_t capacity = 0;
};

// Idle blocks. Idle bytes plus bytes in use stay within 9/8 of the peak of bytes in use (plus 8
// MB). The pool therefore never makes a process much larger than its programs.
struct Pool {
  ForkMutex guard;
  std::map<int64_t, std::vector<Idle*>> by_capacity;  // idle array blocks, oldest first
  Idle *oldest = nullptr, *newest = nullptr;
  int64_t idle = 0;                  // bytes of idle array blocks
  std::vector<Block> temporaries;    // idle blocks for temporaries, by capacity
  int64_t idle_temporaries = 0;      // their bytes
  std::multiset<int64_t> announced;  // temporaries that compiled functions may need
  std::atomic<int64_t> in_use{0};
  std::atomic<int64_t> most{0};  // peak of in_use
  std::atomic<int64_t> limit{0};
};
Pool& pool() {
  static auto* p = new Pool;
  return *p;
}
int64_t allowance(int64_t most) { return most + most / 8 + (8 << 20); }

int64_t needed(int64_t bytes) { return (bytes < 1 ? 64 : bytes + 63) & ~int64_t{63}; }
// Rounds up to whole pages in few distinct sizes, so that at most a hundredth is wasted.
int64_t block_size(int64_t need) {
  const int64_t step =
      std::max(page, static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(need))) / 128);
  return (need + step - 1) / step * step;
}

[[noreturn]] void out_of_memory(int64_t bytes, const char* why) {
  throw OutOfMemoryError(
      fmt::format("cannot allocate {} bytes: {} ({} bytes are in use). Map in chunks "
                  "(.chunk_size), donate arguments, or raise set_memory_limit.",
                  bytes, why, pool().in_use.load()));
}

// ---- blocks from the system

// A small block is part of a malloc block, whose address is stored just before the data.
// posix_memalign is several times slower and fragments the heap.
void* small_block_of(size_t bytes) {
  auto* const raw = static_cast<std::byte*>(std::malloc(bytes + 64));
  if (!raw) return nullptr;
  std::byte* const data = raw + (64 - reinterpret_cast<uintptr_t>(raw) % 64);
  reinterpret_cast<void**>(data)[-1] = raw;
  return data;
}
void free_small(void* data) {
  void** const raw = static_cast<void**>(data) - 1;
  std::free(*raw);
}

// Each pooled block has its own mapping, so that it can be unmapped independently of its
// neighbours. Large blocks begin at a huge-page boundary.
void* map_block(int64_t capacity) {
  const size_t bytes = capacity;
  if (capacity < pooled_from) return small_block_of(bytes);
  const size_t border = capacity < huge_page ? 0 : static_cast<size_t>(huge_page);
  void* const at =
      mmap(nullptr, bytes + border, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return nullptr;
  auto* const begin = static_cast<std::byte*>(at);
  if (border == 0) return begin;
  const size_t before = (border - reinterpret_cast<uintptr_t>(at) % border) % border;
  if (before) munmap(begin, before);
  if (before < border) munmap(begin + before + bytes, border - before);
  madvise(begin + before, bytes, MADV_HUGEPAGE);
  return begin + before;
}
void unmap_block(void* data, int64_t capacity) {
  permit(data, capacity);
  if (capacity < pooled_from)
    free_small(data);
  else
    munmap(data, static_cast<size_t>(capacity));
}

// ---- with the lock held

void forget(Pool& p, Idle* b) {
  (b->older ? b->older->newer : p.oldest) = b->newer;
  (b->newer ? b->newer->older : p.newest) = b->older;
  p.idle -= b->capacity;
}
void drop_oldest(Pool& p) {
  Idle* const b = p.oldest;
  const auto it = p.by_capacity.find(b->capacity);
  it->second.erase(it->second.begin());
  if (it->second.empty()) p.by_capacity.erase(it);
  forget(p, b);
  unmap_block(b, b->capacity);
}
// Drops the oldest idle blocks until the pool is within its allowance for this many bytes in use.
void shrink(Pool& p, int64_t in_use) {
  const int64_t total = allowance(p.most.load(std::memory_order_relaxed));
  while (p.oldest && in_use + p.idle + p.idle_temporaries > total) drop_oldest(p);
}
void drop_temporaries(Pool& p, size_t at) {
  const Block b = p.temporaries[at];
  p.temporaries.erase(p.temporaries.begin() + static_cast<std::ptrdiff_t>(at));
  p.idle_temporaries -= b.capacity;
  unmap_block(b.data, b.capacity);
}
// Drops idle blocks until at most this many bytes are idle.
void release_idle_above(int64_t bytes) {
  Pool& p = pool();
  const std::lock_guard lock(p.guard);
  while (p.oldest && p.idle + p.idle_temporaries > bytes) drop_oldest(p);
  while (!p.temporaries.empty() && p.idle_temporaries > bytes)
    drop_temporaries(p, p.temporaries.size() - 1);
}

// Takes the smallest idle block that fits, unless it exceeds the need by more than an eighth.
void* take_idle(int64_t need, int64_t* capacity) {
  Pool& p = pool();
  const std::lock_guard lock(p.guard);
  const auto it = p.by_capacity.lower_bound(need);
  if (it == p.by_capacity.end() || it->first > need + need / 8 + page) return nullptr;
  Idle* const b = it->second.back();
  it->second.pop_back();
  if (it->second.empty()) p.by_capacity.erase(it);
  forget(p, b);
  *capacity = b->capacity;
  return b;
}

void* fresh(int64_t capacity) {
  if (capacity >= pooled_from) {
    Pool& p = pool();
    const std::lock_guard lock(p.guard);
    shrink(p, p.in_use.load(std::memory_order_relaxed));
  }
  if (void* data = map_block(capacity)) return data;
  release_idle_above(0);
  return map_block(capacity);
}

// Counts `need` bytes as in use, or throws OutOfMemoryError if that exceeds the limit.
void reserve(int64_t need, int64_t bytes) {
  Pool& p = pool();
  const int64_t now = p.in_use.fetch_add(need, std::memory_order_relaxed) + need;
  const int64_t limit = p.limit.load(std::memory_order_relaxed);
  if (limit > 0) {
    if (now > limit) {
      p.in_use.fetch_sub(need, std::memory_order_relaxed);
      out_of_memory(bytes, fmt::format("the limit is {} bytes", limit).c_str());
    }
    release_idle_above(limit - now);
  }
  int64_t most = p.most.load(std::memory_order_relaxed);
  while (now > most && !p.most.compare_exchange_weak(most, now, std::memory_order_relaxed)) {
  }
}

}  // namespace

void* detail::HostMemory::allocate(int64_t bytes, int64_t* capacity) {
  Pool& p = pool();
  const int64_t need = needed(bytes);
  reserve(need, bytes);
  *capacity = need < pooled_from ? need : block_size(need + red_zone);
  void* data = need < pooled_from ? nullptr : take_idle(need + red_zone, capacity);
  if (!data) data = fresh(*capacity);
  if (!data) {
    p.in_use.fetch_sub(need, std::memory_order_relaxed);
    out_of_memory(bytes, "the system has no more");
  }
  forbid_rest(static_cast<std::byte*>(data), bytes, *capacity);
  return data;
}

void detail::HostMemory::release(void* data, int64_t bytes, int64_t capacity) {
  Pool& p = pool();
  const int64_t need = needed(bytes);
  const int64_t now = p.in_use.fetch_sub(need, std::memory_order_relaxed) - need;
  if (need < pooled_from) {
    unmap_block(data, capacity);
    return;
  }
  const std::lock_guard lock(p.guard);
  forbid_rest(static_cast<std::byte*>(data), sizeof(Idle), capacity);
  auto* const b = new (data) Idle{p.newest, nullptr, capacity};
  (p.newest ? p.newest->newer : p.oldest) = b;
  p.newest = b;
  p.by_capacity[capacity].push_back(b);
  p.idle += capacity;
  shrink(p, now);
}

Ref<Buffer> Buffer::allocate(int64_t bytes) {
  int64_t capacity = 0;
  void* const data = detail::HostMemory::allocate(bytes, &capacity);
  return Ref<Buffer>(new Buffer(data, bytes, capacity));
}

Ref<Buffer> Buffer::allocate(int64_t bytes, detail::Device& device) {
  if (&device == &detail::host()) return allocate(bytes);
  int64_t capacity = 0;
  void* const data = device.allocate(bytes, &capacity);
  Ref<Buffer> b(new Buffer(data, bytes, capacity));
  b->elsewhere_ = &device;
  return b;
}

detail::Device& Buffer::device() const { return elsewhere_ ? *elsewhere_ : detail::host(); }

const void* Buffer::host_data() const {
  if (!elsewhere_) return data_;
  static auto& copying = *new ForkMutex;
  {
    const std::lock_guard lock(copying);
    if (copy_) return copy_->data();
  }
  Ref<Buffer> mine = allocate(bytes_);
  elsewhere_->copy_out(mine->data(), data_, bytes_);
  const std::lock_guard lock(copying);
  if (!copy_) copy_ = std::move(mine);
  return copy_->data();
}

Ref<Buffer> Buffer::foreign(void* data, int64_t bytes, Ref<const RefCounted> owner) {
  Ref<Buffer> b(new Buffer(data, bytes, 0));
  b->owner_ = std::move(owner);
  return b;
}

namespace detail {
namespace {
// Swallows errors: they are reported to the code that waits for a result.
void await_quietly(Device& d) {
  try {
    d.stream().synchronize();
  } catch (const Error&) {
  }
}
}  // namespace
}  // namespace detail

Ref<Buffer> Buffer::foreign(void* data, int64_t bytes, Ref<const RefCounted> owner,
                            detail::Device& device) {
  Ref<Buffer> b = foreign(data, bytes, std::move(owner));
  if (&device != &detail::host()) b->elsewhere_ = &device;
  return b;
}

Buffer::~Buffer() {
  if (is_foreign()) {
    if (elsewhere_) detail::await_quietly(*elsewhere_);
  } else if (elsewhere_)
    elsewhere_->release(data_, bytes_, capacity_);
  else if (capacity_ != 0)
    detail::HostMemory::release(data_, bytes_, capacity_);
}

namespace {
// Each thread keeps one small block, so that programs with few temporaries take no lock.
constexpr int64_t small_block = pooled_from;
struct SmallBlock {
  void* data = nullptr;
  ~SmallBlock() {
    if (data) unmap_block(data, small_block);
  }
};
thread_local SmallBlock small;

// The capacity of the block that is allocated for this many bytes.
int64_t block_for(int64_t bytes) {
  return block_size(std::max(needed(bytes) + red_zone, small_block));
}

// Takes the smallest block that is large enough. If no block is large enough, frees the largest
// one, because the new block can replace it.
Block take_temporaries(int64_t need) {
  Pool& p = pool();
  const std::lock_guard lock(p.guard);
  const auto it = std::find_if(p.temporaries.begin(), p.temporaries.end(),
                               [&](const Block& b) { return b.capacity >= need; });
  if (it != p.temporaries.end()) {
    const Block b = *it;
    p.temporaries.erase(it);
    p.idle_temporaries -= b.capacity;
    return b;
  }
  if (!p.temporaries.empty()) drop_temporaries(p, p.temporaries.size() - 1);
  return {};
}
}  // namespace

Temporaries::Temporaries(int64_t bytes) : need_(needed(bytes)), capacity_(small_block) {
  reserve(need_, bytes);
  data_ = need_ + red_zone <= small_block ? std::exchange(small.data, nullptr) : nullptr;
  if (!data_) {
    const Block b = take_temporaries(need_ + red_zone);
    capacity_ = b.data ? b.capacity : block_for(bytes);
    data_ = b.data ? b.data : fresh(capacity_);
  }
  if (!data_) {
    pool().in_use.fetch_sub(need_, std::memory_order_relaxed);
    out_of_memory(bytes, "the system has no more");
  }
  forbid_rest(data(), bytes, capacity_);
}

Temporaries::~Temporaries() {
  forbid(data_, capacity_);
  Pool& p = pool();
  p.in_use.fetch_sub(need_, std::memory_order_relaxed);
  if (capacity_ == small_block && !small.data) {
    small.data = data_;
    return;
  }
  const std::lock_guard lock(p.guard);
  const auto at = std::find_if(p.temporaries.begin(), p.temporaries.end(),
                               [&](const Block& b) { return b.capacity >= capacity_; });
  p.temporaries.insert(at, {data_, capacity_});
  p.idle_temporaries += capacity_;
}

void Temporaries::announce(int64_t bytes) {
  Pool& p = pool();
  const std::lock_guard lock(p.guard);
  p.announced.insert(bytes);
}
void Temporaries::retract(int64_t bytes) {
  Pool& p = pool();
  const std::lock_guard lock(p.guard);
  const auto known = p.announced.find(bytes);
  if (known == p.announced.end()) return;
  p.announced.erase(known);
  const int64_t others = block_for(p.announced.empty() ? 0 : *p.announced.rbegin());
  const auto gone = [&](const Block& b) {
    return b.capacity > others && b.capacity <= block_for(bytes);
  };
  for (size_t i = p.temporaries.size(); i-- > 0;)
    if (gone(p.temporaries[i])) drop_temporaries(p, i);
}

Reserved::Reserved(int64_t bytes) : bytes_(bytes) {
  if (bytes_ > 0) reserve(bytes_, bytes_);
}
Reserved::~Reserved() {
  if (bytes_ > 0) pool().in_use.fetch_sub(bytes_, std::memory_order_relaxed);
}

void release_idle_memory() {
  release_idle_above(0);
  detail::each_device([](detail::Device& d) { d.release_idle(); });
}

void set_memory_limit(int64_t bytes) { pool().limit.store(bytes); }
int64_t memory_in_use() { return pool().in_use.load(); }

}  // namespace weft
