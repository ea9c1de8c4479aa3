// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/cuda/libraries/handles.h: the library handles of one device, made at first use.
#pragma once
#include <mutex>

#include "runtime/cuda/libraries/entries.h"

namespace weft::cuda {

// Handles last as long as the context. A thread must hold the guard to use them.
struct Handles {
  template <class Handle>
  struct Of {
    Handle handle = nullptr;
    bool has_stream = false;
  };
  std::mutex guard;
  Of<SolverHandle> solver;
  Of<BlasHandle> blas;
  Of<BlasLtHandle> blas_lt;
  Of<DnnHandle> dnn;
};

}  // namespace weft::cuda
