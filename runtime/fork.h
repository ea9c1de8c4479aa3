// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/fork.h: what a fork waits for besides our mutexes, and the functions that run in its
// child.
#pragma once
#include "core/fork_mutex.h"

namespace weft {

// While it exists, forks by other threads wait. It protects work under foreign locks, such as the
// compiler's. Do not create one while holding a ForkMutex, nor around code of the user.
class NoFork {
 public:
  NoFork();
  ~NoFork();
  NoFork(const NoFork&) = delete;
};

// Registers f to run in the child of every fork, on its only thread, before fork() returns there.
void after_fork_in_child(void (*f)());
// The number of forks between this process and the one that loaded the library.
int fork_generation();

}  // namespace weft
