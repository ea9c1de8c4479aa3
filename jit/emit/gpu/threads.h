// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/gpu/threads.h: the threads that share a point, and how they exchange values. It may
// touch no value of the nest. Another way of exchanging or of waiting is another function here.
#pragma once
#include <functional>

#include "jit/emit/gpu/gpu_part.h"

namespace weft::compiler {

class Threads : GpuPart {
 public:
  explicit Threads(GpuEmitter& e) : GpuPart(e) {}

  // Returns the value of x in another thread of the warp; all threads must call it.
  V warp_shuffle(V x, V thread);
  Vs warp_shuffle(const Vs& xs, V thread);
  // The threads that share a point wait for each other. Each then sees what the others have
  // written. In CUDA this is __syncthreads() or __syncwarp().
  void point_barrier();
  // Emits code that all threads that share a point would run with the same result. Only thread 0
  // runs it, between two barriers. Code that is not shared is emitted without a test.
  void if_thread_zero(const std::function<void()>& f);

  V in_point = nullptr;  // the number of this thread among those that share a point, if they do
  bool diverge = false;  // the threads that share a point run different code
};

}  // namespace weft::compiler
