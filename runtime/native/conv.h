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
  // The call of the library (docs/decisions/0069).
  // - forward: a convolution of one image; lhs is not dilated.
  // - transposed: the same as a deconvolution of one image by the reversed kernel; strides are 1.
  // - backward_weights: the gradient by the kernel of another convolution. The features of lhs are
  //   its batch, the images its input features, rhs its cotangent; lhs is not dilated.
  enum class Form { forward, transposed, backward_weights };
  Form form = Form::forward;
  // An outer loop over images or vmap lanes. An array that all iterations share has step 0.
  struct Walk {
    int64_t count, lhs, rhs, out;
  };
  std::vector<Walk> walks;
  // The images of each group that one call of backward_weights computes. Other calls compute one.
  int64_t images = 1, lhs_image = 1, out_image = 1;
  // Features of one group: `taken` from lhs, `given` in the result. The groups divide the features
  // of lhs, or its images for backward_weights.
  int64_t groups = 1, taken = 1, given = 1;
  int64_t lhs_feature = 1, rhs_taken = 1, rhs_given = 1, out_feature = 1;
  // A spatial axis: its sizes in lhs, kernel and result, and the steps along it.
  struct Axis {
    int64_t in, kernel, out, stride, lhs_dilation, dilation, low, high;
    int64_t lhs_step, rhs_step, out_step;
  };
  std::vector<Axis> axes;
  int64_t calls() const;           // of the library
  double multiplications() const;  // of one call
};

// The time of oneDNN for a call, and for a multiplication (docs/decisions/0019).
inline constexpr double conv_call_ns = 6500, conv_multiplication_ns = 1. / 64;

class PatchProduct;  // runtime/native/conv_patches.h

// Computes c on all threads, call by call, so that the result does not depend on the number of
// threads. Small images are products of matrices, for which the library takes too long to start.
// The library's primitives are prepared at first use.
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
  void some_calls(const Plan& p, const Data& x, int64_t first, int64_t last, std::byte* workspace,
                  bool shared, std::byte* kernel) const;
  void move_kernel(const Plan& p, const float* rhs, std::byte* to) const;
  void run_products(const Data& x) const;
  const Convolution c_;
  const std::unique_ptr<const PatchProduct> product_;  // null if the library computes it
  mutable std::unique_ptr<Plan> plan_;
};

}  // namespace weft::native
