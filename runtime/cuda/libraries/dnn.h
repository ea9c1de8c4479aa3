// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/cuda/libraries/dnn.h: convolutions by cuDNN.
#pragma once
#include <memory>

#include "core/loops/implementation.h"

namespace weft::cuda {

// Convolves `batch` images, whose channel axis precedes two or three spatial axes. Types are F32,
// F64, BF16 and F16; BF16 and F16 are summed in F32.
struct Convolution {
  DType type = F32;
  int64_t batch = 1, groups = 1;
  Ints image, filter, result;  // (channels, space…), (outputs, channels, space…), (outputs, space…)
  Ints padding, strides, dilation;
};
// The library's descriptors of a convolution and the algorithm that it chose. Both are made at the
// first run.
class Convolver {
 public:
  virtual ~Convolver() = default;
  // Operand 0 holds the images, operand 1 the filters.
  virtual void run(const NativeArgs& args) = 0;
};
std::shared_ptr<Convolver> make_convolver(const Convolution& c);
inline constexpr const char* name_of_convolution = "cudnnConvolutionForward";

}  // namespace weft::cuda
