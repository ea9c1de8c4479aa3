// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/library_threads.cpp: limits libraries to one thread.
#include "runtime/native/library_threads.h"

#include <cblas.h>
#include <dlfcn.h>

namespace weft::native {
namespace {

// The OpenMP runtime that oneDNN loaded, if any; Weft itself does not link to one.
struct OpenMp {
  int (*get)() = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "omp_get_max_threads"));
  void (*set)(int) = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
  bool there() const { return get && set; }
};
const OpenMp& openmp() {
  static const OpenMp functions;
  return functions;
}

}  // namespace

OneOpenMpThread::OneOpenMpThread() {
  if (!openmp().there()) return;
  before_ = openmp().get();
  if (before_ != 1) openmp().set(1);
}
OneOpenMpThread::~OneOpenMpThread() {
  if (before_ != 1) openmp().set(before_);
}

void one_blas_thread() {
  if (openblas_get_num_threads() != 1) openblas_set_num_threads(1);
}

}  // namespace weft::native
