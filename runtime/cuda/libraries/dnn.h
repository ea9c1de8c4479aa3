// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/cuda/libraries/dnn.h: convolutions by cuDNN.
#pragma once
#include <memory>

#include "weft/core/loops/implementation.h"

namespace weft::cuda {

// Of `batch` images, each channels before two or three axes in space, with as many outputs'
// filters. F32, F64; BF16 and F16, whose sums are F32.
struct Convolution {
  DType type = F32;
  int64_t batch = 1, groups = 1;
  Ints image, filter, result;  // (channels, space…), (outputs, channels, space…), (outputs, space…)
  Ints padding, strides, dilation;
};
// What the library has to be told of it, and how it chose to compute it; made at the first run.
class Convolver {
 public:
  virtual ~Convolver() = default;
  // Of operands 0, the images, and 1, the filters.
  virtual void run(const NativeArgs& args) = 0;
};
std::shared_ptr<Convolver> make_convolver(const Convolution& c);
inline constexpr const char* name_of_convolution = "cudnnConvolutionForward";

}  // namespace weft::cuda
