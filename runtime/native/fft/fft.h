// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/fft/fft.h: discrete Fourier transforms of rows, on all threads.
#pragma once
#include <memory>

#include "weft/core/loops/implementation.h"

namespace weft::native {

enum class FftKind { forward, inverse, real_forward, real_inverse };

// Transforms of the last axes, of these lengths (those of what is real, of real kinds), of `batch`
// arrays one behind the other. `parts` is F32 or F64. Inverses divide by the number of elements.
struct FftShape {
  FftKind kind = FftKind::forward;
  DType parts = F32;
  int64_t batch = 1;
  Ints lengths;
};

class FftCall {
 public:
  FftCall() = default;
  virtual ~FftCall() = default;
  FftCall(const FftCall&) = delete;
  // Operand 0 to result 0.
  virtual void run(const NativeArgs& args) const = 0;
  // Bytes that a run takes on the threads there are.
  virtual int64_t workspace() const = 0;
};
// With the roots of unity that it needs, about as many as the longest axis has elements.
std::shared_ptr<const FftCall> make_fft(const FftShape& shape);

// Whether a length has prime factors up to 61 alone; others cost several times as much.
bool fft_is_smooth(int64_t n);

}  // namespace weft::native
