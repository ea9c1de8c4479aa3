// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/onednn.cpp: the number of threads of oneDNN.
#include "weft/runtime/native/onednn.h"

#include <dlfcn.h>

namespace weft::native {

void one_openmp_thread() {
  thread_local bool done = false;
  if (done) return;
  done = true;
  using Set = void (*)(int);
  if (const auto set = reinterpret_cast<Set>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"))) set(1);
}

}  // namespace weft::native
