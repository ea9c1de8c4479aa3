// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/own_stack.h: work on a thread of its own: for its stack, or in the background.
#pragma once
#include <cstdint>
#include <functional>

#include "weft/core/ir.h"
#include "weft/core/ref.h"

namespace weft {

// Calls f on a thread of its own that has at least that many bytes of its stack left (where that is
// known), and returns when it is done; what f throws is thrown here. OutOfMemoryError if there is
// no such thread to be had.
void on_own_stack(int64_t bytes, FunctionRef<void()> f);

// Calls f on a thread of its own that nobody waits for: f may run until the process ends. Returns
// when the thread runs, so that a process that ends soon does not end in the midst of its start,
// which a leak checker reports. Throws std::system_error if there is no thread to be had.
void start_background(std::function<void()> f);

// Bytes of the caller's stack that are not in use. A thread's stack holds what libraries keep for
// each thread, too, of which one alone (OpenBLAS) may take 60 KB. 0 if it is not known, as on a
// stack that a program has made for itself.
int64_t stack_left();

// Whether calls within one another should go no deeper: no more than an eighth of the stack is
// left, for what the innermost one does, or 64 MB are in use, so that a recursion without end does
// not take all memory where a stack has no limit. False where the stack is not known.
bool stack_runs_out();

}  // namespace weft
