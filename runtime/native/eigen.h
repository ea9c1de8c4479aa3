// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/eigen.h: eigenvalues, singular values and their vectors by LAPACK; each matrix
// runs on one thread.
#pragma once
#include <cmath>

#include "runtime/native/linalg.h"

namespace weft::native {

// Eigenvectors as columns, and eigenvalues in ascending order, of operand 0. Only its lower
// triangle is read. A matrix that contains a NaN gives NaN.
void eigh(const Squares& a, const NativeArgs& args);
int64_t eigh_workspace(const Squares& a);

// Singular values of operand 0 in descending order. If `vectors`, also the left vectors as columns
// and the conjugated right vectors as rows, as many as values. A matrix that contains a NaN gives
// NaN.
void svd(const Matrices& a, bool vectors, const NativeArgs& args);
int64_t svd_workspace(const Matrices& a);

// Complex eigenvalues of operand 0. If requested, also left and right eigenvectors of length 1 as
// columns. A matrix that contains a NaN gives NaN.
void eig(const Squares& a, bool left, bool right, const NativeArgs& args);
int64_t eig_workspace(const Squares& a);

// The index of the vector element that is made real and positive: the first whose absolute value is
// at least 0.6 times the largest. size(i) is the absolute value of element i of n.
template <class Size>
int64_t leading_number(int64_t n, Size size) {
  double largest = 0;
  for (int64_t i = 0; i < n; ++i) largest = std::fmax(largest, size(i));
  for (int64_t i = 0; i < n; ++i)
    if (size(i) >= 0.6 * largest) return i;
  return 0;
}

}  // namespace weft::native
