// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/threads.h: parallel loops over ranges, on threads of our own arena.
#pragma once
#include <cstdint>

#include "weft/core/ref.h"

namespace weft {

// Threads that compiled programs use, the caller included (default: WEFT_NUM_THREADS, CompileError
// where that is no number from 1 to 4096, else one a core). Results do not depend on it. A child of
// fork() uses one, until it calls exec().
void set_num_threads(int n);
// The number of threads that compiled programs use, the caller included.
int num_threads();

namespace ir {
// f(begin, end) on disjoint parts of [0, n), each `grain` long but the last, whatever the number of
// threads. Parts run at the same time; the call returns when all are done, and rethrows the first
// exception.
void parallel_for(int64_t n, int64_t grain, FunctionRef<void(int64_t, int64_t)> f);
}  // namespace ir

}  // namespace weft
