// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/conv.h: convolutions of floats by a library (docs/decisions/0019).
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace weft::native {

// A convolution and the memory layout of its arrays. Steps are distances in elements.
struct Convolution {
  // An outer loop over images or vmap lanes. An array that all iterations share has step 0.
  struct Walk {
    int64_t count, lhs, rhs, out;
  };
  std::vector<Walk> walks;
  // Features of one group: `taken` from lhs, `given` in the result.
  int64_t groups = 1, taken = 1, given = 1;
  int64_t lhs_feature = 1, rhs_taken = 1, rhs_given = 1, out_feature = 1;
  // A spatial axis: its sizes in lhs, kernel and result, and the steps along it.
  struct Axis {
    int64_t in, kernel, out, stride, dilation, low, high;
    int64_t lhs_step, rhs_step, out_step;
  };
  std::vector<Axis> axes;
  int64_t images() const;
};

// Computes c on all threads, image by image, so that the result does not depend on the number of
// threads. The library's primitives are prepared at first use.
class Convolver {
 public:
  explicit Convolver(Convolution c);
  ~Convolver();
  void run(const float* lhs, const float* rhs, float* out) const;
  // Bytes that a run needs besides the operands, with the current number of threads.
  int64_t workspace() const;

 private:
  struct Plan;
  struct Data {
    const float *lhs, *rhs;
    float* out;
  };
  const Plan& plan() const;
  void some_images(const Plan& p, const Data& x, int64_t first, int64_t last, std::byte* workspace,
                   bool shared, std::byte* kernel) const;
  const Convolution c_;
  mutable std::unique_ptr<Plan> plan_;
};

}  // namespace weft::native
