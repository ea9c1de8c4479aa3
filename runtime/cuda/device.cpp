// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/cuda/device.cpp: a GPU's context, memory and stream, and the handling of its errors.
#include "runtime/cuda/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

#include "runtime/backend.h"
#include "runtime/cuda/gpu.h"
#include "runtime/fork.h"
#include "weft/error.h"
#include "weft/stop.h"

namespace weft::cuda {
namespace {

Address address(const void* p) { return std::bit_cast<Address>(p); }
size_t size(int64_t bytes) { return static_cast<size_t>(bytes); }

}  // namespace

Gpu::Gpu(const Driver& d, DeviceProperties f)
    : Device(fmt::format("cuda:{}", f.ordinal)),
      driver_(d),
      properties_(std::move(f)),
      architecture_(fmt::format("sm_{}{}", properties_.major, properties_.minor)),
      generation_(fork_generation()) {}

std::string Gpu::describe() const {
  return fmt::format(
      "{}, {}, {:.1f} GiB, {} multiprocessors, driver of CUDA {}.{}", properties_.title,
      architecture_, static_cast<double>(properties_.memory) / (1 << 30),
      properties_.multiprocessors, driver_.version / 1000, driver_.version % 1000 / 10);
}

// ---- the context

bool Gpu::usable() const {
  return fork_generation() == generation_ && !lost_.load(std::memory_order_acquire);
}

Context CurrentContext::usable_context(Gpu& g) {
  if (fork_generation() != g.generation_)
    throw DeviceError(
        fmt::format("device '{}' was opened before this process was forked, and CUDA does not "
                    "outlive a fork: use it in the parent, or first in the child",
                    g.name()));
  if (g.lost_.load(std::memory_order_acquire)) throw DeviceError(g.lost_text_);
  g.open();
  return g.context_;
}
CurrentContext::CurrentContext(Gpu& g) : pushed_(g.driver(), usable_context(g)) {
  g.check(pushed_.result, "cuCtxPushCurrent");
}

// If a later step fails, the completed steps remain and are not repeated by the next call.
void Gpu::open() {
  if (opened_.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(opening_);
  if (opened_.load()) return;
  if (!context_)
    check(driver_.retain_context(&context_, properties_.ordinal), "cuDevicePrimaryCtxRetain");
  const PushedContext pushed(driver_, context_);
  check(pushed.result, "cuCtxPushCurrent");
  if (!queue_) check(driver_.stream_create(&queue_, number::non_blocking), "cuStreamCreate");
  if (!pool_) {
    PoolHandle pool = nullptr;
    check(driver_.default_pool(&pool, properties_.ordinal), "cuDeviceGetDefaultMemPool");
    // By default the pool would return its memory to the system at every synchronization.
    uint64_t keep = UINT64_MAX;
    check(driver_.pool_attribute(pool, number::release_threshold, &keep), "cuMemPoolSetAttribute");
    pool_ = pool;
  }
  map_words();
  opened_.store(true, std::memory_order_release);
}

void Gpu::map_words() {
  if (!words_) {
    void* memory = nullptr;
    check(driver_.host_allocate(&memory, sizeof(Words), number::portable_and_mapped),
          "cuMemHostAlloc");
    words_ = new (memory) Words{};
    launches_.watch(&words_->ended, &words_->stop);
  }
  check(driver_.host_address(&words_address_, words_, 0), "cuMemHostGetDevicePointer");
}

// ---- errors

void Gpu::check(Result r, std::string_view what) {
  if (r == success) return;
  if (is_sticky(r)) {
    mark_lost(r);
    throw DeviceError(lost_text_);
  }
  const std::string text =
      fmt::format("device '{}': {} failed: {}", name(), what, text_of(driver_, r));
  if (r == out_of_memory) throw OutOfMemoryError(text);
  throw DeviceError(text);
}

void Gpu::mark_lost(Result r) {
  const std::lock_guard lock(guard_);
  if (lost_.load()) return;
  const std::string kernel = launches_.failed();
  lost_text_ = fmt::format(
      "device '{}' is lost: {}{}. Its arrays are gone; the host and other devices work on. "
      "Start the process anew to use it again.",
      name(), kernel.empty() ? "" : kernel + " failed: ", text_of(driver_, r));
  lost_.store(true, std::memory_order_release);
}

// ---- memory

Result Gpu::try_allocate(Address* a, size_t bytes) { return driver_.allocate(a, bytes, queue_); }

void* Gpu::allocate(int64_t bytes, int64_t* capacity) {
  const CurrentContext current(*this);
  *capacity = std::max<int64_t>(bytes + 255, 256) / 256 * 256;
  Address a = 0;
  Result r = try_allocate(&a, size(*capacity));
  if (r == out_of_memory) {
    // Released memory may still be in use, or be cached in blocks of other sizes.
    wait_for_all();
    wait_for_all();  // for what the first call's release_retired() released
    check(driver_.pool_trim(pool_, 0), "cuMemPoolTrimTo");
    r = try_allocate(&a, size(*capacity));
  }
  if (r == out_of_memory)
    throw OutOfMemoryError(
        fmt::format("cannot allocate {} bytes on '{}': it has {} bytes, and {} are in use. Map in "
                    "chunks (.chunk_size), or donate arguments.",
                    bytes, name(), properties_.memory, in_use_.load()));
  check(r, "cuMemAllocAsync");
  in_use_ += *capacity;
  const std::lock_guard lock(guard_);
  blocks_.add(a, size(*capacity));
  return std::bit_cast<void*>(a);
}

void Gpu::release(void* data, int64_t, int64_t capacity) {
  in_use_ -= capacity;
  if (!usable()) return;  // the context was destroyed, and the memory with it
  {
    const std::lock_guard lock(guard_);
    blocks_.remove(address(data));
  }
  const PushedContext pushed(driver_, context_);
  const Result r =
      pushed.result == success ? driver_.release(address(data), queue_) : pushed.result;
  if (r == success) return;
  if (is_sticky(r)) {
    mark_lost(r);
    return;
  }
  const std::lock_guard lock(guard_);
  unreleased_.push_back(address(data));
}

void Gpu::release_retired() {
  std::vector<Address> memory;
  std::vector<Retired> over;
  {
    const std::lock_guard lock(guard_);
    memory.swap(unreleased_);
    const auto first = std::partition(retired_.begin(), retired_.end(), [&](const Retired& r) {
      return !launches_.has_ended(r.last_launch);
    });
    over.assign(std::make_move_iterator(first), std::make_move_iterator(retired_.end()));
    retired_.erase(first, retired_.end());
  }
  for (const Address a : memory)
    if (driver_.release(a, queue_) != success) {
      const std::lock_guard lock(guard_);
      unreleased_.push_back(a);
    }
  for (Retired& r : over)
    if (destroy(r) != success) {
      const std::lock_guard lock(guard_);
      retired_.push_back(std::move(r));
    }
}

Result Gpu::destroy(const Retired& r) {
  if (r.module) return driver_.module_unload(r.module);
  if (r.exec) return driver_.graph_exec_destroy(r.exec);
  return driver_.graph_destroy(r.graph);
}

void Gpu::copy_in(void* to, const void* from, int64_t bytes) {
  if (bytes == 0) return;
  const CurrentContext current(*this);
  in_.copy_in(address(to), static_cast<const std::byte*>(from), bytes);
}

void Gpu::copy_out(void* to, const void* from, int64_t bytes) {
  if (bytes == 0) return;
  wait_for(from);  // before the staging lock is taken, because this wait can be interrupted
  const CurrentContext current(*this);
  out_.copy_out(static_cast<std::byte*>(to), address(from), bytes);
}

std::unique_ptr<AsyncReadback> Gpu::start_readback(const void* at, int64_t bytes) {
  const CurrentContext current(*this);
  return readbacks_.start(address(at), bytes);
}

void Gpu::copy_within(void* to, const void* from, int64_t bytes) {
  if (bytes == 0) return;
  const CurrentContext current(*this);
  {
    const std::lock_guard lock(guard_);
    require_valid(from);
    launches_.add_copy(blocks_.number_at(address(to)), blocks_.number_at(address(from)));
  }
  check(driver_.copy_within(address(to), address(from), size(bytes), queue_), "cuMemcpyDtoDAsync");
}

void Gpu::clear(void* at, int64_t bytes) {
  if (bytes == 0) return;
  const CurrentContext current(*this);
  check(driver_.set_bytes(address(at), 0, size(bytes), queue_), "cuMemsetD8Async");
}

void Gpu::release_idle() {
  if (!usable() || !opened_.load(std::memory_order_acquire)) return;
  synchronize();
  const CurrentContext current(*this);
  in_.release();
  out_.release();
  readbacks_.release();
  check(driver_.pool_trim(pool_, 0), "cuMemPoolTrimTo");
}

// ---- the stream

// Called under the guard by a thread that has waited. It is not known which kernels under way have
// read the stop word, so all of their outputs are marked. The word stays set if another waiting
// thread is also to be stopped.
void Gpu::record_stop(const StopToken& mine) {
  std::string reason = mine.reason(name().c_str());
  for (const StopToken* t : waiting_)
    if (reason.empty()) reason = t->reason(name().c_str());
  if (reason.empty()) reason = fmt::format("{}: another call was stopped", name());
  blocks_.invalidate(
      launches_.possibly_invalid(),
      fmt::format("{}: what computes this was stopped before it ended: {}", name(), reason));
  ++stops_;
  // The word is cleared first: in the other order a stop that is requested now would be lost.
  __atomic_store_n(&words_->stop, 0, __ATOMIC_SEQ_CST);
  for (const StopToken* t : waiting_)
    if (t->stop()) __atomic_store_n(&words_->stop, 1, __ATOMIC_SEQ_CST);
}

bool Gpu::wait(FunctionRef<void()> done) {
  const StopToken token = StopToken::current();
  uint64_t stops = 0;
  {
    const std::lock_guard lock(guard_);
    stops = stops_;
    launches_.drop_ended();
    waiting_.push_back(&token);
  }
  const auto leave = [&] {
    const std::lock_guard lock(guard_);
    waiting_.erase(std::find(waiting_.begin(), waiting_.end(), &token));
    if (__atomic_load_n(&words_->stop, __ATOMIC_RELAXED)) record_stop(token);
    return stops_ != stops;
  };
  try {
    // interrupt() and time limits set the word that kernels read
    const StopFlag flag(&words_->stop);
    done();
  } catch (...) {
    leave();
    throw;
  }
  const bool stopped = leave();
  if (stopped) token.check(name().c_str());
  return stopped;
}

void Gpu::wait_for_event(EventHandle e, Address read) {
  const CurrentContext current(*this);
  wait([&] { check(driver_.event_synchronize(e), "cuEventSynchronize"); });
  const std::lock_guard lock(guard_);
  require_valid(std::bit_cast<void*>(read));
}

bool Gpu::wait_for_all() {
  const CurrentContext current(*this);
  const bool stopped = wait([&] {
    uint32_t last = 0;
    {
      const std::lock_guard lock(guard_);
      last = launches_.last();
    }
    check(driver_.stream_synchronize(queue_), "cuStreamSynchronize");
    const std::lock_guard lock(guard_);
    launches_.ended(last);
  });
  release_retired();
  return stopped;
}

void Gpu::synchronize() {
  if (wait_for_all())
    throw InterruptedError(
        fmt::format("{}: what ran there was stopped with the call of another thread", name()));
}

void Gpu::require_valid(const void* data) const {
  if (const std::string why = blocks_.invalid_reason(address(data)); !why.empty())
    throw InterruptedError(why);
}

void Gpu::require_valid(std::span<const Launch::Use> uses) const {
  if (!blocks_.any_invalid()) return;
  for (const Launch::Use& u : uses) require_valid(u.at);
}

void Gpu::wait_for(const void* data) {
  wait_for_all();
  const std::lock_guard lock(guard_);
  require_valid(data);
}

const int32_t* Gpu::stop_word() const {
  const CurrentContext opened(const_cast<Gpu&>(*this));  // makes sure that the word is allocated
  return std::bit_cast<const int32_t*>(words_address_ + offsetof(Words, stop));
}

Ref<const Executable> Gpu::compile(const Ref<const JaxprData>& j) {
  if (const CompileForFn f = gpu_backend()) return f(j, *this);
  throw CompileError(
      fmt::format("there is no compiler for '{}' in this process: link weft's jit/, and do not set "
                  "WEFT_NO_JIT",
                  name()));
}

}  // namespace weft::cuda
