// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/fork.h: what a fork has to wait for beside mutexes, and what runs in its child.
#pragma once
#include "weft/core/fork_mutex.h"

namespace weft {

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
