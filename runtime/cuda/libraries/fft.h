// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/cuda/libraries/fft.h: Fourier transforms by cuFFT, without normalization.
#pragma once
#include <memory>

#include "core/loops/implementation.h"

namespace weft::cuda {

// `batch` transforms over one to three axes of these lengths: complex to complex, or between real
// and complex. In the latter case the last complex axis has length / 2 + 1 elements.
struct Transform {
  enum class Kind { forward, inverse, from_real, to_real };
  Kind kind = Kind::forward;
  DType parts = F32;
  int64_t batch = 1;
  Ints lengths;
};
// Owns a plan, which is made at the first run.
class Transformer {
 public:
  virtual ~Transformer() = default;
  // Transforms operand 0 into result 0. A transform to real values overwrites operand 0.
  virtual void run(const NativeArgs& args) = 0;
};
std::shared_ptr<Transformer> make_transformer(const Transform& t);
std::string name_of_transform(const Transform& t);

}  // namespace weft::cuda
