// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/epoch_guard.cpp: epoch-based reclamation. Each reader records the epoch in which it
// began. An object retired in an epoch is released when every reader has begun in a later epoch.
#include "weft/detail/epoch_guard.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>
#include <vector>

#include "core/ir.h"
#include "runtime/fork.h"

namespace weft {

// The state of one reading thread. It is reused by other threads after that thread ends.
struct ir::ThreadReading {
  std::atomic<uint64_t> since{0};  // 0: not reading
  bool taken = true;
  ThreadReading* next = nullptr;
};

namespace {

struct Epochs {
  ForkMutex guard;
  std::atomic<uint64_t> now{1};
  ThreadReading* readers = nullptr;
  std::vector<std::pair<uint64_t, Ref<const RefCounted>>> retired;
  std::atomic<bool> waiting{false};  // true if `retired` is not empty

  static Epochs& instance() {
    static auto* e = new Epochs;
    return *e;
  }
  Epochs() { after_fork_in_child(forked); }
  static void forked();
};
thread_local ThreadReading* mine = nullptr;

void Epochs::forked() {
  for (ThreadReading* r = instance().readers; r; r = r->next)
    if (r != mine) {
      r->since = 0;
      r->taken = false;
    }
}

struct Leave {
  ~Leave() {
    Epochs& e = Epochs::instance();
    const std::lock_guard lock(e.guard);
    mine->taken = false;
    mine = nullptr;
  }
};
ThreadReading* enrol() {
  Epochs& e = Epochs::instance();
  {
    const std::lock_guard lock(e.guard);
    for (mine = e.readers; mine && mine->taken; mine = mine->next) {
    }
    if (!mine) {
      mine = new ThreadReading;
      mine->next = e.readers;
      e.readers = mine;
    }
    mine->taken = true;
  }
  thread_local const Leave leave;
  (void)leave;
  return mine;
}

void collect() {
  Epochs& e = Epochs::instance();
  std::vector<std::pair<uint64_t, Ref<const RefCounted>>> gone;  // released after the lock
  const std::lock_guard lock(e.guard);
  uint64_t oldest = std::numeric_limits<uint64_t>::max();
  for (const ThreadReading* r = e.readers; r; r = r->next)
    if (const uint64_t since = r->since.load(std::memory_order_seq_cst))
      oldest = std::min(oldest, since);
  const auto rest = std::partition(e.retired.begin(), e.retired.end(),
                                   [&](const auto& x) { return x.first >= oldest; });
  std::move(rest, e.retired.end(), std::back_inserter(gone));
  e.retired.erase(rest, e.retired.end());
  e.waiting = !e.retired.empty();
}

}  // namespace

EpochGuard::EpochGuard() : reader_(mine ? mine : enrol()), before_(reader_->since.load()) {
  // Sequentially consistent: every structure read from now on is at least as new as the epoch that
  // is stored.
  if (!before_) reader_->since.exchange(Epochs::instance().now.load());
}
EpochGuard::~EpochGuard() {
  if (before_) return;
  reader_->since.store(0, std::memory_order_release);
  if (Epochs::instance().waiting.load(std::memory_order_relaxed)) collect();
}

void ir::retire(std::vector<Ref<const RefCounted>> objects) {
  if (objects.empty()) return;
  Epochs& e = Epochs::instance();
  {
    const std::lock_guard lock(e.guard);
    const uint64_t epoch = e.now.fetch_add(1);
    for (auto& x : objects) e.retired.emplace_back(epoch, std::move(x));
    e.waiting = true;
  }
  collect();
}

}  // namespace weft
