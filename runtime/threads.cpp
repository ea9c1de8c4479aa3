// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/threads.cpp: parallel loops through oneTBB.
#include "weft/device/threads.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <thread>

#include "core/environment.h"
#include "core/ir.h"
#include "runtime/float_state.h"
#include "runtime/fork.h"

#ifdef __SANITIZE_THREAD__
extern "C" {
void __tsan_acquire(void*);
void __tsan_release(void*);
}
#endif

namespace weft {
namespace {

// All work before give() happens before all work after take(). oneTBB guarantees this; the
// annotations tell the thread sanitizer, which does not see the synchronization inside oneTBB.
struct Handover {
#ifdef __SANITIZE_THREAD__
  void give() { __tsan_release(this); }
  void take() { __tsan_acquire(this); }
#else
  void give() {}
  void take() {}
#endif
};

int default_threads() {
  constexpr int64_t most = 4096;
  if (const auto n = number_of_environment("WEFT_NUM_THREADS", 1, most))
    return static_cast<int>(*n);
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

struct Arena {
  ForkMutex guard;
  std::atomic<int> threads{default_threads()};
  // Null until it is needed, and after the number of threads has changed.
  std::shared_ptr<tbb::task_arena> arena;
  // Set in a forked child. oneTBB relies on its threads, which a child does not have, and its locks
  // may be held there.
  std::atomic<bool> alone{false};
};
Arena& arena() {
  static auto* a = [] {
    auto* made = new Arena;  // if it throws CompileError, the next call tries again
    after_fork_in_child([] { arena().alone = true; });
    return made;
  }();
  return *a;
}

std::shared_ptr<tbb::task_arena> current_arena() {
  Arena& a = arena();
  const std::lock_guard lock(a.guard);
  if (!a.arena) a.arena = std::make_shared<tbb::task_arena>(a.threads.load());
  return a.arena;
}

}  // namespace

void set_num_threads(int n) {
  Arena& a = arena();
  const std::lock_guard lock(a.guard);
  a.threads.store(n > 0 ? n : default_threads());
  a.arena.reset();
}

int num_threads() { return arena().threads.load(std::memory_order_relaxed); }

void ir::parallel_for(int64_t n, int64_t grain, FunctionRef<void(int64_t, int64_t)> f) {
  if (n <= 0) return;
  const int64_t parts = (n + grain - 1) / grain;
  const auto part = [&](int64_t p) {
    const FloatState state;  // sets the floating-point environment of the worker
    f(p * grain, std::min(n, (p + 1) * grain));
  };
  // A single thread runs the same parts, because sums of a library may depend on how the work is
  // split.
  if (parts == 1 || num_threads() == 1 || arena().alone.load(std::memory_order_relaxed)) {
    for (int64_t p = 0; p < parts; ++p) part(p);
    return;
  }
  Handover begin, end;
  const auto shared = [&](int64_t p) {
    begin.take();
    part(p);
    end.give();
  };
  begin.give();
  current_arena()->execute(
      [&] { tbb::parallel_for(int64_t{0}, parts, shared, tbb::simple_partitioner()); });
  end.take();
}

}  // namespace weft
