// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/runs.h: loops that do something at the end of every run of a fixed number of trips, as
// running folds do (core/loops/fold_order.h). It may touch the values of the loop. Another way of
// running such loops is another function here.
#pragma once
#include <functional>
#include <vector>

#include "jit/emit/block_emitter.h"

namespace weft::compiler {

// A nest expresses such a loop by an If on the trip's number, the last instruction of the body.
// Here the trips of a run are an inner loop, and the If follows it.
class Runs : EmitterPart<BlockEmitter> {
 public:
  explicit Runs(BlockEmitter& e) : EmitterPart(e) {}

  void emit(nest::Id v, const std::vector<Carry>& cs);
  // Returns the number of trips of the next block of up to `most`, after those done of a loop of n.
  // It is a constant if all blocks are whole; no remainder code is then emitted.
  V trips_of_block(V n, V done, int64_t most);
  // Emits up to a whole run of trips, the first one at index `first`. at_trip receives the number
  // of each trip.
  Vs run_of_trips(nest::Id v, const std::vector<Carry>& cs, V first, V count, const Vs& init,
                  const std::function<void(V)>& at_trip);
};

}  // namespace weft::compiler
