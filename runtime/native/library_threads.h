// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/library_threads.h: one thread for libraries that have their own: threads are ours
// (docs/decisions/0056).
#pragma once

namespace weft::native {

// For oneDNN, whose threads are OpenMP's: while it lives, the calling thread has one of them. What
// the library prepares remembers how many there were, so it is prepared in such a scope, too. The
// setting belongs to the thread and is the user's again at the end.
class OneOpenMpThread {
 public:
  OneOpenMpThread();
  ~OneOpenMpThread();
  OneOpenMpThread(const OneOpenMpThread&) = delete;

 private:
  int before_ = 1;
};

// For OpenBLAS, before each call. The setting belongs to the process; nothing narrower is there.
void one_blas_thread();

}  // namespace weft::native
