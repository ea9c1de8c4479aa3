// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/fft/fft.h: discrete Fourier transforms of rows, on all threads.
#pragma once
#include <memory>

#include "core/loops/implementation.h"

namespace weft::native {

enum class FftKind { forward, inverse, real_forward, real_inverse };

// Transforms of the last axes of `batch` contiguous arrays. For real kinds, `lengths` are those of
// the real side. `parts` is F32 or F64. Inverse transforms divide by the number of elements.
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
  // Transforms operand 0 into result 0.
  virtual void run(const NativeArgs& args) const = 0;
  // Bytes that a run needs with the current number of threads.
  virtual int64_t workspace() const = 0;
};
// Also computes the roots of unity, about as many as the longest axis has elements.
std::shared_ptr<const FftCall> make_fft(const FftShape& shape);

// Returns true if the length has no prime factor above 61. Other lengths take several times as
// long.
bool fft_is_smooth(int64_t n);

}  // namespace weft::native
