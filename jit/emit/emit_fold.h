// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/emit_fold.h: what both ways of folding use.
#pragma once
#include "core/loops/combine.h"
#include "core/loops/fold_order.h"
#include "jit/emit/emit.h"

namespace weft::compiler {

// The partial results of a fold, in the frame: one array per result. Its elements are scalars, or
// all interleaved vectors together.
struct Emitter::Partials {
  nest::Id fold;
  Variance variance;  // uniform or varying
  std::vector<V> arrays;
  std::vector<llvm::Type*> elements;  // types in memory
  std::vector<nest::Kind> kinds;
};

// Returns the nth group of `size` values.
inline Vs nth_group(const Vs& all, int n, size_t size) {
  const V* begin = all.begin() + static_cast<size_t>(n) * size;
  return {begin, begin + size};
}

}  // namespace weft::compiler
