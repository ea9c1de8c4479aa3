// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/eigen.h: eigenvalues, singular values and their vectors by LAPACK, each matrix on
// one thread.
#pragma once
#include <cmath>

#include "weft/runtime/native/linalg.h"

namespace weft::native {

// Eigenvectors, as columns, and ascending eigenvalues of operand 0, of which the lower triangle is
// read. NaN where it holds one.
void eigh(const Squares& a, const NativeArgs& args);
int64_t eigh_workspace(const Squares& a);

// Descending singular values of operand 0 and, if asked for, the left vectors as columns and the
// right ones as rows, conjugated, as many as there are values. NaN where it holds one.
void svd(const Matrices& a, bool vectors, const NativeArgs& args);
int64_t svd_workspace(const Matrices& a);

// Complex eigenvalues of operand 0 and, if asked for, left and right eigenvectors of length 1 as
// columns. NaN where it holds one.
void eig(const Squares& a, bool left, bool right, const NativeArgs& args);
int64_t eig_workspace(const Squares& a);

// The number of a vector that is made real and positive: the first that is at least 0.6 times
// as large as the largest. size(i) is the absolute value of number i of n.
template <class Size>
int64_t leading_number(int64_t n, Size size) {
  double largest = 0;
  for (int64_t i = 0; i < n; ++i) largest = std::fmax(largest, size(i));
  for (int64_t i = 0; i < n; ++i)
    if (size(i) >= 0.6 * largest) return i;
  return 0;
}

}  // namespace weft::native
