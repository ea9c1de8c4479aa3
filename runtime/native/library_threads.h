// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/library_threads.h: one thread for libraries that have their own: threads are ours.
#pragma once

namespace weft::native {

// For oneDNN, whose threads are OpenMP's. The setting belongs to the thread.
void one_openmp_thread();
// For OpenBLAS. The setting belongs to the process.
void one_blas_thread();

}  // namespace weft::native
