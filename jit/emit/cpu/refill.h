// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/cpu/refill.h: kernels that consist of one divergent while between a prologue and an
// epilogue. It may touch the masks, the indices of points and the local arrays. Another value that
// outlives the while gets a Slot.
#pragma once
#include <vector>

#include "jit/emit/cpu/cpu_emitter.h"

namespace weft::compiler {

// Elements that finish are refilled with the next grid points, so no element waits for its vector
// ("dynamic SIMD vector lane scheduling", Krzikalla et al. 2016).
//
// The emitted code alternates between two parts, and leaves when no element is active.
// - refill, for each vector: finished elements run the epilogue under a mask. Free elements then
//   take the next points and run the prologue under a mask. Values that the loop or the epilogue
//   needs are stored to slots.
// - hot: it loads the slots and runs the while for all vectors together. Each trip counts the idle
//   elements. After enough idle trips, or when no element is active, it stores the slots and
//   refills again.
class VectorRefill : EmitterPart<CpuEmitter> {
 public:
  VectorRefill(CpuEmitter& e, nest::Id loop)
      : EmitterPart(e), loop_(loop), parts_(refill_parts(k_, e_.divergence, loop)) {}

  void emit(V outer_begin, V outer_end, V inner_begin, V inner_end);

 private:
  struct Slot {  // memory of a value, one vector for each interleaved one
    V at;
    nest::Kind kind;
  };
  void make_state();
  void epilogue(V vector);
  void prologue(V vector);
  void set_indices(V point);
  void run_while(const Masks& active);
  V load_slot(const Slot& slot, V vector);
  void store_slot(const Slot& slot, V vector, V x, V mask);

  nest::Id loop_;
  RefillParts parts_;
  std::vector<Carry> carries_;
  std::vector<Slot> value_slots_, carry_slots_, index_slots_;
  V active_ = nullptr;    // by vector, one bit per element: the element runs
  V occupied_ = nullptr;  // the element had a point when the while was entered
  V next_ = nullptr;      // the first point that is not yet taken, counted from 0
  V total_ = nullptr, columns_ = nullptr, first_row_ = nullptr, first_column_ = nullptr;
};

}  // namespace weft::compiler
