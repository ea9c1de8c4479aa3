// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/fork_mutex.h: locks that no thread holds when the process forks. The child process has only
// one thread, so a lock held by any other thread would stay locked in it.
#pragma once
#include <mutex>

namespace weft {

// A lock for short critical sections. It lives as long as the process.
class ForkMutex {
 public:
  ForkMutex();
  ForkMutex(const ForkMutex&) = delete;
  void lock() { m_.lock(); }
  bool try_lock() { return m_.try_lock(); }
  void unlock() { m_.unlock(); }

  // For fork (runtime/fork.cpp): locks every ForkMutex. No new ForkMutex can be created until they
  // are released.
  static void lock_all();
  static void unlock_all();

 private:
  static bool try_lock_all();
  std::mutex m_;
  ForkMutex* next_;
};

}  // namespace weft
