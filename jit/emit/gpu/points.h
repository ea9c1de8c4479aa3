// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/gpu/points.h: neighbouring points that a thread interleaves. It may touch the indices of
// points and their elements in memory. Another width of access is added to
// packed_type() in the .cpp file.
#pragma once
#include "jit/emit/gpu/gpu_part.h"

namespace weft::compiler {

// Their adjacent elements move in one access of up to 16 bytes. A thread runs its points one by one
// if its addresses are not aligned for that, or if some of its points do not exist.
class AdjacentPoints : GpuPart {
 public:
  explicit AdjacentPoints(GpuEmitter& e) : GpuPart(e) {}

  // Emits the points from `first` on, as many as the schedule says.
  void emit(V first, V points, V columns);
  void load(nest::Id v);
  void store(nest::Id v);

 private:
  V are_aligned();
};

}  // namespace weft::compiler
