// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/device/threads.h: parallel loops over ranges, on threads of our own arena.
#pragma once
#include <cstdint>

#include "weft/detail/ref.h"

namespace weft {

// Sets the number of threads that compiled programs use, including the caller; 0 restores the
// default. The default is WEFT_NUM_THREADS, or else one thread per core. CompileError is thrown if
// WEFT_NUM_THREADS is not an integer from 1 to 4096. Results do not depend on the number. A child
// of fork() uses one thread until it calls exec().
void set_num_threads(int n);
// The number of threads that compiled programs use, including the caller.
int num_threads();

namespace ir {
// Calls f(begin, end) on disjoint parts of [0, n), each of length `grain` except the last, for any
// number of threads. Parts run in parallel. The call returns when all parts are done, and rethrows
// the first exception.
void parallel_for(int64_t n, int64_t grain, FunctionRef<void(int64_t, int64_t)> f);
}  // namespace ir

}  // namespace weft
