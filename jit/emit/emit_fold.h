// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/emit_fold.h: what the two ways of folding share.
#pragma once
#include "weft/core/loops/fold_order.h"
#include "weft/jit/emit/emit.h"

namespace weft::compiler {

// The partial sums of a fold, in the frame: one array a result, of elements that are scalars or the
// all interleaved vectors.
struct Emitter::Partials {
  nest::Id fold;
  Variance variance;  // uniform or varying
  std::vector<V> arrays;
  std::vector<llvm::Type*> elements;  // in memory
  std::vector<nest::Kind> kinds;
};

}  // namespace weft::compiler
