// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/fork.cpp: the handlers of pthread_atfork.
#include "weft/runtime/fork.h"

#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <thread>
#include <vector>

#include "weft/core/intern_tables.h"

namespace weft {
namespace {

// Counts the threads that a fork has to wait for.
struct Gate {
  std::mutex guard;
  std::condition_variable changed;
  int holders = 0;
  bool closed = false;
};
std::atomic<int> generation{0};
thread_local int depth = 0;  // NoFork of this thread

}  // namespace

struct ForkLocks {
  std::mutex guard;  // of the lists
  ForkMutex* first = nullptr;
  std::vector<void (*)()> in_child;
  Gate* gate = new Gate;

  static ForkLocks& instance() {
    static auto* l = new ForkLocks;
    return *l;
  }
  ForkLocks() { pthread_atfork(prepare, parent, child); }

  // All or none: whoever holds one may be about to take another.
  bool try_all() const {
    if (!try_lock_programs()) return false;
    if (!try_lock_types()) {
      unlock_programs();
      return false;
    }
    for (const ForkMutex* m = first; m; m = m->next_)
      if (!const_cast<ForkMutex*>(m)->try_lock()) {
        for (ForkMutex* held = first; held != m; held = held->next_) held->unlock();
        unlock_types();
        unlock_programs();
        return false;
      }
    return true;
  }
  void unlock_all() const {
    for (ForkMutex* m = first; m; m = m->next_) m->unlock();
    unlock_types();
    unlock_programs();
  }
  static void prepare() {
    ForkLocks& l = instance();
    {
      std::unique_lock lock(l.gate->guard);
      l.gate->changed.wait(lock, [&] { return !l.gate->closed; });
      l.gate->closed = true;
      l.gate->changed.wait(lock, [&] { return l.gate->holders == (depth ? 1 : 0); });
      lock.release();
    }
    l.guard.lock();
    while (!l.try_all()) std::this_thread::yield();
  }
  static void parent() {
    ForkLocks& l = instance();
    l.unlock_all();
    l.guard.unlock();
    l.gate->closed = false;
    l.gate->guard.unlock();
    l.gate->changed.notify_all();
  }
  static void child() {
    ForkLocks& l = instance();
    generation.fetch_add(1);
    l.unlock_all();
    l.guard.unlock();
    l.gate = new Gate;  // others may have waited on the old one
    l.gate->holders = depth ? 1 : 0;
    for (void (*f)() : l.in_child) f();
  }
};

ForkMutex::ForkMutex() {
  ForkLocks& l = ForkLocks::instance();
  const std::lock_guard lock(l.guard);
  next_ = l.first;
  l.first = this;
}

NoFork::NoFork() {
  if (depth++) return;
  Gate& g = *ForkLocks::instance().gate;
  std::unique_lock lock(g.guard);
  g.changed.wait(lock, [&] { return !g.closed; });
  ++g.holders;
}
NoFork::~NoFork() {
  if (--depth) return;
  Gate& g = *ForkLocks::instance().gate;
  {
    const std::lock_guard lock(g.guard);
    --g.holders;
  }
  g.changed.notify_all();
}

void after_fork_in_child(void (*f)()) {
  ForkLocks& l = ForkLocks::instance();
  const std::lock_guard lock(l.guard);
  l.in_child.push_back(f);
}
int fork_generation() { return generation.load(std::memory_order_relaxed); }

}  // namespace weft
