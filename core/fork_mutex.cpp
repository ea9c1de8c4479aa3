// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/fork_mutex.cpp: the list of all ForkMutex objects.
#include "core/fork_mutex.h"

#include <thread>

namespace weft {
namespace {

struct List {
  std::mutex guard;
  ForkMutex* first = nullptr;
};
List& list() {
  static auto* l = new List;
  return *l;
}

}  // namespace

ForkMutex::ForkMutex() {
  List& l = list();
  const std::lock_guard lock(l.guard);
  next_ = l.first;
  l.first = this;
}

// Locks all or none: a thread that holds one may be about to lock another.
bool ForkMutex::try_lock_all() {
  for (ForkMutex* m = list().first; m; m = m->next_)
    if (!m->try_lock()) {
      for (ForkMutex* held = list().first; held != m; held = held->next_) held->unlock();
      return false;
    }
  return true;
}

void ForkMutex::lock_all() {
  list().guard.lock();
  while (!try_lock_all()) std::this_thread::yield();
}

void ForkMutex::unlock_all() {
  for (ForkMutex* m = list().first; m; m = m->next_) m->unlock();
  list().guard.unlock();
}

}  // namespace weft
