// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/fork_mutex.h: locks that nobody holds when the process forks, so that the child, which has
// one thread only, finds none held by a thread that it does not have.
#pragma once
#include <mutex>

namespace weft {

// For a few steps at a time. It lives as long as the process.
class ForkMutex {
 public:
  ForkMutex();
  ForkMutex(const ForkMutex&) = delete;
  void lock() { m_.lock(); }
  bool try_lock() { return m_.try_lock(); }
  void unlock() { m_.unlock(); }

  // For a fork (runtime/fork.cpp): takes all that there are; none is made until they are released.
  static void lock_all();
  static void unlock_all();

 private:
  static bool try_lock_all();
  std::mutex m_;
  ForkMutex* next_;
};

}  // namespace weft
