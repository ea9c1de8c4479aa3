// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/library_threads.h: limits libraries with their own threads to one, because Weft
// distributes work itself (docs/decisions/0056).
#pragma once

namespace weft::native {

// For oneDNN, which uses OpenMP threads: while this object exists, the calling thread uses one.
// oneDNN's primitives record the number of threads at creation, so they must be created in such a
// scope too. The setting belongs to the calling thread; the destructor restores the user's value.
class OneOpenMpThread {
 public:
  OneOpenMpThread();
  ~OneOpenMpThread();
  OneOpenMpThread(const OneOpenMpThread&) = delete;

 private:
  int before_ = 1;
};

// For OpenBLAS, before each call. OpenBLAS has only a setting for the whole process.
void one_blas_thread();

}  // namespace weft::native
