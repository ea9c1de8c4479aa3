// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/thread_stack.h: the stack of a thread: how much is left, and threads with a larger one.
// Also starts detached threads.
#pragma once
#include <cstdint>
#include <functional>

#include "core/ir.h"
#include "weft/detail/ref.h"

namespace weft {

// Calls f on a new thread with at least this many bytes of stack left (if that is known), and waits
// for it. Rethrows what f throws. Throws OutOfMemoryError if no such thread can be created.
void run_on_large_stack(int64_t bytes, FunctionRef<void()> f);

// Calls f on a new thread that is never joined: f may run until the process ends. Returns when the
// thread has started, because a leak checker reports a process that ends while a thread starts.
// Throws std::system_error if no thread can be created.
void start_detached_thread(std::function<void()> f);

// Unused bytes of the caller's stack. A thread's stack also holds the thread-local data of
// libraries; a single one (OpenBLAS) may take 60 KB. 0 if unknown, as on a stack that a program has
// made itself.
int64_t stack_left();

// Returns true if recursion should stop: at most an eighth of the stack is left for the innermost
// call, or 64 MB are in use. The second limit keeps an endless recursion on an unlimited stack from
// using all memory. Returns false if the stack is unknown.
bool is_stack_nearly_exhausted();

}  // namespace weft
