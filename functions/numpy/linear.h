// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/linear.h: products of vectors, matrices and tensors.
#pragma once
#include <string>
#include <string_view>

#include "weft/tracer/array.h"

namespace weft {

// Of vectors the inner product, of matrices the matrix product; else the last axis of x with the
// last but one of y. A scalar multiplies.
Array dot(const Arg& x, const Arg& y);
Array matmul(const Arg& x, const Arg& y);  // leading axes are broadcast
Array vdot(const Arg& x, const Arg& y);    // of all elements, x conjugated
Array vecdot(const Arg& x, const Arg& y, int64_t axis = -1);
Array inner(const Arg& x, const Arg& y);  // of the last axes
Array outer(const Arg& x, const Arg& y);  // of all elements
Array matvec(const Arg& x, const Arg& y);
Array vecmat(const Arg& x, const Arg& y);

// The last n axes of x with the first n of y; or the axes named, pairwise.
struct TensordotAxes {
  std::vector<int64_t> x, y;
  int64_t n = -1;
  template <Integer I>
  TensordotAxes(I n) : n(static_cast<int64_t>(n)) {}
  TensordotAxes(std::vector<int64_t> x, std::vector<int64_t> y)
      : x(std::move(x)), y(std::move(y)) {}
};
Array tensordot(const Arg& x, const Arg& y, const TensordotAxes& axes = 2);

// Sums of products by letters: "bij,bjk->bik". "..." stands for axes that are broadcast.
Array einsum_of(std::string_view formula, const Arrays& x, Location at);
inline Array einsum(std::string_view formula, const Arrays& x, Location at = Location::here()) {
  return einsum_of(formula, x, at);
}
Array einsum(std::string_view formula, const Arg& x);
Array einsum(std::string_view formula, const Arg& x, const Arg& y);
Array einsum(std::string_view formula, const Arg& x, const Arg& y, const Arg& z);
Array einsum(std::string_view formula, const Arg& x, const Arg& y, const Arg& z, const Arg& w);

Array trace(const Arg& x, int64_t offset = 0, int64_t axis1 = 0, int64_t axis2 = 1);
Array kron(const Arg& x, const Arg& y);
Array cross(const Arg& x, const Arg& y, int64_t axis = -1);

// Sums of products of two vectors that slide along each other, y turned round or (correlate) as it
// is and conjugated; the shorter one slides. Integers become floats. Of sizes n and m the mode
// "full" gives n + m - 1, "same" max(n, m), "valid" max - min + 1.
Array convolve(const Arg& x, const Arg& y, const std::string& mode = "full");
Array correlate(const Arg& x, const Arg& y, const std::string& mode = "valid");

}  // namespace weft
