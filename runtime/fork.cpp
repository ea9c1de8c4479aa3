// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/fork.cpp: the handlers of pthread_atfork.
#include "runtime/fork.h"

#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <vector>

namespace weft {
namespace {

// Counts the threads for which a fork must wait.
struct Gate {
  std::mutex guard;
  std::condition_variable changed;
  int holders = 0;
  bool closed = false;
};
std::atomic<int> generation{0};
thread_local int depth = 0;  // number of NoFork objects on this thread

struct Handlers {
  std::mutex guard;  // guards the list
  std::vector<void (*)()> in_child;
  Gate* gate = new Gate;

  static Handlers& instance() {
    static auto* h = new Handlers;
    return *h;
  }
  Handlers() { pthread_atfork(prepare, parent, child); }

  static void prepare() {
    Handlers& h = instance();
    {
      std::unique_lock lock(h.gate->guard);
      h.gate->changed.wait(lock, [&] { return !h.gate->closed; });
      h.gate->closed = true;
      h.gate->changed.wait(lock, [&] { return h.gate->holders == (depth ? 1 : 0); });
      lock.release();
    }
    h.guard.lock();
    ForkMutex::lock_all();
  }
  static void parent() {
    Handlers& h = instance();
    ForkMutex::unlock_all();
    h.guard.unlock();
    h.gate->closed = false;
    h.gate->guard.unlock();
    h.gate->changed.notify_all();
  }
  static void child() {
    Handlers& h = instance();
    generation.fetch_add(1);
    ForkMutex::unlock_all();
    h.guard.unlock();
    h.gate = new Gate;  // other threads of the parent may have been waiting on the old one
    h.gate->holders = depth ? 1 : 0;
    for (void (*f)() : h.in_child) f();
  }
};
// Constructed at load time: a lock may be held before any function of this file is called.
[[maybe_unused]] const Handlers& at_load = Handlers::instance();

}  // namespace

NoFork::NoFork() {
  if (depth++) return;
  Gate& g = *Handlers::instance().gate;
  std::unique_lock lock(g.guard);
  g.changed.wait(lock, [&] { return !g.closed; });
  ++g.holders;
}
NoFork::~NoFork() {
  if (--depth) return;
  Gate& g = *Handlers::instance().gate;
  {
    const std::lock_guard lock(g.guard);
    --g.holders;
  }
  g.changed.notify_all();
}

void after_fork_in_child(void (*f)()) {
  Handlers& h = Handlers::instance();
  const std::lock_guard lock(h.guard);
  h.in_child.push_back(f);
}
int fork_generation() { return generation.load(std::memory_order_relaxed); }

}  // namespace weft
