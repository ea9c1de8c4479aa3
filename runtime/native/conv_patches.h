// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/conv_patches.h: convolutions of small images as products of matrices
// (docs/decisions/0019).
#pragma once
#include <optional>
#include <vector>

#include "runtime/native/conv.h"

namespace weft::native {

// A convolution of one image, features first: the windows of the image are copied to a matrix,
// which the kernel multiplies in tiles. oneDNN takes longer to start and to reorder the arrays than
// this takes in all.
class PatchProduct {
 public:
  // Approximate nanoseconds for one image; infinity if the convolution has another form or the
  // processor has no tiles.
  static double cost_ns(const Convolution& c);
  explicit PatchProduct(const Convolution& c);
  // The elements of the matrix of windows, and of a kernel that is copied.
  int64_t window_elements() const { return positions_ * terms_; }
  int64_t kernel_elements() const { return in_place_ ? 0 : c_.given * terms_; }
  // Copies a kernel to a matrix [given, terms].
  void copy_kernel(const float* kernel, float* to) const;
  // `kernel` is the copy, or the kernel itself if it is not copied.
  void image(const float* lhs, const float* kernel, float* out, float* windows) const;

 private:
  std::optional<int64_t> offset(const std::vector<int64_t>& position, const int64_t* shifts,
                                size_t n) const;
  void copy_windows(const float* lhs, float* to) const;
  const Convolution c_;
  const int64_t positions_, terms_;
  const bool in_place_;  // the kernel has the order of the product
  std::vector<int64_t>
      shifts_;  // by element of the window and axis: its distance from the position
};

}  // namespace weft::native
