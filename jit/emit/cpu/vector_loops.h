// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/cpu/vector_loops.h: folds and for_eachs whose iterations fill vectors (Mode::inner). It
// may touch the width of vectors and the mask while such a loop is written. Another loop of this
// kind is another public function here.
#pragma once
#include <functional>
#include <optional>

#include "jit/emit/cpu/cpu_emitter.h"
#include "jit/emit/folds.h"

namespace weft::compiler {

// With P partial results and vectors of L elements, a fold has P / L vector registers. The tail is
// masked, and the tree ends in shuffles.
class VectorLoops : EmitterPart<CpuEmitter> {
 public:
  explicit VectorLoops(CpuEmitter& e) : EmitterPart(e), folds_(e) {}

  void fold(nest::Id v);
  void for_each(nest::Id v);

 private:
  Vs load_vector(const Partials& p, V index, int n);
  void store_vector(const Partials& p, V index, const Vs& x);
  void fold_whole_vectors(const Partials& p, V n, int registers);
  void fold_tail(const Partials& p, V n, V begin, V partials, V few);
  void fold_stored_terms(const Partials& p, V n);
  void fold_horizontal(const Partials& p, V partials);

  std::optional<int64_t> few_steps(V end, int64_t step, int64_t cost) const;
  // Writes what runs for the last iterations, from `begin` on, before `end`.
  void for_rest(V mask, V begin, V end, const std::function<void()>& body);

  Folds folds_;
};

}  // namespace weft::compiler
