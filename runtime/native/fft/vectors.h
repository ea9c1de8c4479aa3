// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/fft/vectors.h: transforms of several rows or columns side by side in vectors,
// built for several processors. They also move rows and columns between memory and vectors.
#pragma once
#include "runtime/native/fft/plan.h"

namespace weft::native::fft {

// Complex numbers in memory are pairs of T. `swapped` exchanges real and imaginary parts at reads
// and again at writes, which turns a transform into its inverse. Numbers are multiplied by `scale`
// when they are written. `scratch` is aligned to 64 bytes.
template <class T>
struct Kernels {
  int vector_width;
  // Transforms `valid` <= vector_width rows of plan.n elements, `from_step` and `to_step` elements
  // apart.
  void (*rows)(const VectorPlan<T>& plan, const T* from, int64_t from_step, T* to, int64_t to_step,
               int64_t valid, bool swapped, T scale, T* scratch);
  // Transforms `valid` columns whose elements are `step` apart.
  void (*columns)(const VectorPlan<T>& plan, const T* from, T* to, int64_t step, int64_t valid,
                  bool swapped, T scale, T* scratch);
  // Transforms columns [at, at + vector_width) of the matrix that represents one row, and
  // multiplies them by their twiddles. Stores them as rows `at`… of `between`, 2 plan.step() apart:
  // real parts, then imaginary parts.
  void (*first)(const SquarePlan<T>& plan, const T* from, int64_t at, bool swapped, T* between,
                T* scratch);
  // Transforms columns [at, at + vector_width) of `between` and writes them as columns of the
  // result.
  void (*second)(const SquarePlan<T>& plan, const T* between, int64_t at, T* to, bool swapped,
                 T scale, T* scratch);
  // real_out computes the transform of 2 h real numbers, h + 1 elements, from the transform of h
  // complex numbers whose parts are the real numbers. real_in is its inverse. The arrays must not
  // overlap.
  void (*real_out)(const T* half, const T* roots, int64_t h, T* to);
  void (*real_in)(const T* from, const T* roots, int64_t h, T* half);
  // Multiplies the elements of x and y; `conjugated` conjugates the products. May be in place.
  void (*multiply)(const T* x, const T* y, int64_t n, bool conjugated, T* to);
};
template <class T>
const Kernels<T>& kernels();
extern template const Kernels<float>& kernels<float>();
extern template const Kernels<double>& kernels<double>();

// The largest vector width of any processor, which determines the size of scratch.
template <class T>
inline constexpr int64_t max_vector_width = 64 / static_cast<int64_t>(sizeof(T));
// The elements of T that the kernels need as scratch for columns of n elements.
template <class T>
constexpr int64_t vector_scratch(int64_t n) {
  return 4 * n * max_vector_width<T>;
}

}  // namespace weft::native::fft
