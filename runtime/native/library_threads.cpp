// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/library_threads.cpp: how libraries are told to use one thread.
#include "weft/runtime/native/library_threads.h"

#include <cblas.h>
#include <dlfcn.h>

namespace weft::native {

void one_openmp_thread() {
  thread_local bool done = false;
  if (done) return;
  done = true;
  using Set = void (*)(int);
  if (const auto set = reinterpret_cast<Set>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"))) set(1);
}

void one_blas_thread() {
  static const bool once = (openblas_set_num_threads(1), true);
  (void)once;
}

}  // namespace weft::native
