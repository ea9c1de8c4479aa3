// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/loops.h: the loops of a nest, and the values that they carry. It may touch the masks and
// the values of the nest. Another kind of loop is another public function here, which BlockEmitter
// calls.
#pragma once
#include <functional>
#include <vector>

#include "jit/emit/emitter_part.h"
#include "jit/schedule/divergence.h"
#include "jit/schedule/loops.h"

namespace weft::compiler {

class BlockEmitter;

// A value that a loop carries.
struct Carry {
  nest::Id init, param, test_param, next, result;
  Variance variance;
};

class Loops : EmitterPart<BlockEmitter> {
 public:
  explicit Loops(BlockEmitter& e);

  void emit_for(nest::Id v);
  void emit_for_each(nest::Id v);  // one iteration after another
  void emit_while(nest::Id v);
  // Emits a For trip by trip.
  void plain_for(nest::Id v, const std::vector<Carry>& cs);

  // Returns the carries that change. Unchanged carries are bound to their initial values.
  std::vector<Carry> carries(nest::Id v, size_t first_arg, size_t first_param);
  // Returns one kind of value of all carries, in order, each in the form in which the carry is
  // held.
  Vs carried(const std::vector<Carry>& cs, nest::Id Carry::* which);
  void bind(const std::vector<Carry>& cs, nest::Id Carry::* which, const Vs& values);

  // The state after a while: the elements that made the last trip and could go on, and the carries.
  struct WhileState {
    Masks active;
    Vs carry;
  };
  // Emits the trips of the elements in `before`, which may leave at different trips. If it is
  // empty, all active elements run alike. `extra` is carried as well. `continues` receives the
  // elements that go on, replaces `extra`, and returns true if the loop continues.
  WhileState while_trips(nest::Id v, const std::vector<Carry>& cs, const Masks& before, Vs extra,
                         const Vs& init,
                         const std::function<V(const Masks& go, Vs& extra)>& continues);

 private:
  void unrolled_for(nest::Id v, const std::vector<Carry>& cs);
  Vs next_carries(const std::vector<Carry>& cs, const Masks& made, const Vs& before);
  int64_t constant_trips(const nest::Inst& loop) const;  // -1: known only at run time

  Constants unrolled_indices_;  // indices of loops that are being unrolled
};

}  // namespace weft::compiler
