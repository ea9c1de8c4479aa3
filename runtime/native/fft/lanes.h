// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/fft/lanes.h: transforms that lie side by side in vectors, and the moves that bring
// rows and columns there, built for several processors.
#pragma once
#include "weft/runtime/native/fft/plan.h"

namespace weft::native::fft {

// Complex numbers in memory are pairs of T. `swapped`: real and imaginary parts change places when
// numbers are read and again when they are written, which makes a transform its inverse; numbers
// are multiplied by `scale` when they are written. `scratch` is aligned to 64 bytes.
template <class T>
struct Kernels {
  int lanes;
  // `valid` <= lanes rows of plan.n elements each, `from_step` and `to_step` elements apart.
  void (*rows)(const LanePlan<T>& plan, const T* from, int64_t from_step, T* to, int64_t to_step,
               int64_t valid, bool swapped, T scale, T* scratch);
  // `valid` columns, elements `step` apart.
  void (*columns)(const LanePlan<T>& plan, const T* from, T* to, int64_t step, int64_t valid,
                  bool swapped, T scale, T* scratch);
  // Columns [at, at + lanes) of the matrix that a row is, transformed, multiplied by their twiddles
  // and laid down as rows `at`… of `between`, 2 plan.step() apart: real, then imaginary parts.
  void (*first)(const SquarePlan<T>& plan, const T* from, int64_t at, bool swapped, T* between,
                T* scratch);
  // Columns [at, at + lanes) of `between`, transformed, written as columns of the result.
  void (*second)(const SquarePlan<T>& plan, const T* between, int64_t at, T* to, bool swapped,
                 T scale, T* scratch);
  // The transform of 2 h real numbers from that of the h complex ones that they are read as: h + 1
  // elements; and back, what is transformed back to those. May not overlap.
  void (*real_out)(const T* half, const T* roots, int64_t h, T* to);
  void (*real_in)(const T* from, const T* roots, int64_t h, T* half);
  // Elements of x times those of y; `conjugated`: the conjugate of the products. May be in place.
  void (*multiply)(const T* x, const T* y, int64_t n, bool conjugated, T* to);
};
template <class T>
const Kernels<T>& kernels();
extern template const Kernels<float>& kernels<float>();
extern template const Kernels<double>& kernels<double>();

// The largest number of lanes there is, by which scratch is measured.
template <class T>
inline constexpr int64_t most_lanes = 64 / static_cast<int64_t>(sizeof(T));
// Elements of T that the kernels take for columns of n.
template <class T>
constexpr int64_t lane_scratch(int64_t n) {
  return 4 * n * most_lanes<T>;
}

}  // namespace weft::native::fft
