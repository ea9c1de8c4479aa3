// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/emit_fold.h: what the two ways of folding share.
#pragma once
#include "weft/core/loops/combine.h"
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

// The nth of the groups of so many values.
inline Vs nth(const Vs& all, int n, size_t size) {
  const V* begin = all.begin() + static_cast<size_t>(n) * size;
  return {begin, begin + size};
}

}  // namespace weft::compiler
