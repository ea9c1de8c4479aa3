// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/gpu/refill.h: kernels that consist of one divergent while between a prologue and an
// epilogue. It may touch the values that the while carries and the indices of points. Another part
// of such a kernel is another block in emit().
#pragma once
#include "jit/emit/gpu/gpu_part.h"

namespace weft::compiler {

// A warp has a range of points. Threads that finish take the next points of the range, so that none
// waits for the slowest of 32 points. The emitted code of each thread has three parts:
// - prologue: the instructions before the while, for the next point.
// - chunk: runs some trips, unless the thread has finished.
// - check: the warp counts its idle threads. If they idled enough, or no thread runs, finished
//   threads run the epilogue and take new points. Otherwise the next chunk follows.
class WarpRefill : GpuPart {
 public:
  explicit WarpRefill(GpuEmitter& e) : GpuPart(e) {}

  // `first` is the first point of the block, `points` is the number of all points.
  void emit(V thread, V first, V points, V columns);

 private:
  void emit_around_while(bool after);
};

}  // namespace weft::compiler
