// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/cuda/libraries/handles.h: the handles of libraries on one device, made when first needed.
#pragma once
#include <mutex>

#include "weft/runtime/cuda/libraries/entries.h"

namespace weft::cuda {

// They last as long as the context. Who holds the guard may use them.
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
