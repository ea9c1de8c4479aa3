// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/folds.h: folds whose terms follow one another, for every point or in scalar code, and
// the terms and partial results of all folds. It may touch any value of the nest. A new combiner is
// added to combine_parts() in the .cpp file.
#pragma once
#include <vector>

#include "core/loops/combine.h"
#include "core/loops/fold_order.h"
#include "jit/emit/block_emitter.h"

namespace weft::compiler {

// The partial results of a fold, in the frame: one array per result. Its elements are scalars, or
// all interleaved vectors together.
struct Partials {
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

// A term or a partial result is the list of its parts, result by result.
class Folds : EmitterPart<BlockEmitter> {
 public:
  explicit Folds(BlockEmitter& e) : EmitterPart(e) {}

  // The single partial result of a short fold stays in registers.
  void in_order(nest::Id v);
  // Partial results are in the frame.
  void serial(nest::Id v);

  Partials make_partials(nest::Id v, const Variance& s, int64_t most);
  Vs identity(nest::Id v, const Variance& s);
  Vs term(nest::Id v, const Variance& s, V index);
  Vs identity_term(nest::Id v, const Variance& s);  // in place of a missing term
  Vs combine_term(nest::Id v, const Vs& sum, const Vs& x);
  Vs combine_partials(nest::Id v, const Vs& a, const Vs& b);
  Vs load_partials(const Partials& p, V index);
  void store_partials(const Partials& p, V index, const Vs& x);

 private:
  V partial_count(V n);
  void fold_partials(const Partials& p, V n, V partials);
  V fold_register_blocks(const Partials& p, V n, V partials);
  void fold_tree(const Partials& p, V partials);
  Vs combine_parts(nest::Id v, const Vs& sum, const Vs& x, bool is_result);
  void for_each_part(const Partials& p, V index,
                     const std::function<void(llvm::Type* t, V at, nest::Kind k)>& f);
};

}  // namespace weft::compiler
