// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/cuda/libraries/fft.h: Fourier transforms by cuFFT, which divides by nothing.
#pragma once
#include <memory>

#include "weft/core/loops/implementation.h"

namespace weft::cuda {

// `batch` transforms of one to three axes of so many elements, of complex numbers or between those
// and real ones; of these the last axis of what is complex has half of the elements and one.
struct Transform {
  enum class Kind { forward, inverse, from_real, to_real };
  Kind kind = Kind::forward;
  DType parts = F32;
  int64_t batch = 1;
  Ints lengths;
};
// Its plan is made at the first run.
class Transformer {
 public:
  virtual ~Transformer() = default;
  // Of operand 0, which is lost where it becomes real, to result 0.
  virtual void run(const NativeArgs& args) = 0;
};
std::shared_ptr<Transformer> make_transformer(const Transform& t);
std::string name_of_transform(const Transform& t);

}  // namespace weft::cuda
