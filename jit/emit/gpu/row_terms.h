// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/gpu/row_terms.h: partitions the terms of a row among the threads that share a point, and
// keeps values of the row in registers between loops. It may touch the values of the row. Another
// way of partitioning a row is another loop like strided_loop().
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "jit/emit/gpu/gpu_part.h"
#include "jit/schedule/rows.h"

namespace weft::compiler {

// Neighbouring threads have neighbouring terms.
class RowTerms : GpuPart {
 public:
  explicit RowTerms(GpuEmitter& e) : GpuPart(e) {}

  // Finds the values that threads keep. The divergence must be known.
  void find_kept_values();
  // Computes the next carries in one trip; `whole`: every thread has a term in it.
  using Trip = std::function<Vs(V at, const Vs& carry, bool whole)>;
  // Emits a loop over the terms, `terms` per trip, one or more of them for each thread. If their
  // number is known, trips in which all threads have a term need no test. A loop with kept values
  // is unrolled.
  Vs strided_loop(nest::Id v, int64_t terms, const Vs& init, const Trip& trip);
  // Returns f for this thread's term among those from `first` on; `otherwise` if it has none.
  Vs term(V n, V first, bool whole, const std::function<Vs(V index)>& f, const Vs& otherwise);
  // Emits the body of a loop over the row, for one iteration of this thread.
  void emit_iteration(nest::BlockId body);

  int64_t threads = 1;     // among which terms are partitioned
  bool may_unroll = true;  // false: the terms are in shared memory

 private:
  // Values of the row that threads keep, by value and iteration of the thread. In a loop that is
  // unrolled for them, `iteration_` is the current one.
  RowValues row_;
  std::map<std::pair<nest::Id, int64_t>, V> kept_;
  std::optional<int64_t> iteration_;
  std::vector<nest::Id> newly_kept_;  // values that this iteration added to kept_
};

}  // namespace weft::compiler
