// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/fork.h: what a fork has to wait for, so that the child finds no lock held by a thread
// that it does not have.
#pragma once
#include <mutex>

namespace weft {

// A mutex for a few steps at a time, which no other thread holds when the process forks. It lives
// as long as the process.
class ForkMutex {
 public:
  ForkMutex();
  ForkMutex(const ForkMutex&) = delete;
  void lock() { m_.lock(); }
  bool try_lock() { return m_.try_lock(); }
  void unlock() { m_.unlock(); }

 private:
  friend struct ForkLocks;
  std::mutex m_;
  ForkMutex* next_;
};

// While it lives, a fork by another thread waits: around work under locks that are not ours, like
// the compiler's. Not to be made while a ForkMutex is held, nor around code of the user.
class NoFork {
 public:
  NoFork();
  ~NoFork();
  NoFork(const NoFork&) = delete;
};

// f runs in the child of every fork, on its only thread, before fork() returns there.
void after_fork_in_child(void (*f)());
// How many forks lie between this process and the one that loaded the library.
int fork_generation();

}  // namespace weft
