// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/linear.h: products of vectors, matrices and tensors.
#pragma once
#include <string>
#include <string_view>

#include "weft/functions/axis.h"
#include "weft/ops/linear/dot.h"
#include "weft/tracer/array.h"

namespace weft {

namespace typing {
struct ProductOptions {
  // The dtype that factors are multiplied and summed in, and that of the result; default: the
  // promoted one.
  std::optional<DType> preferred_element_type = {};
  // How exact products must be at least; Weft's are as exact as their dtype.
  lax::Precision precision = lax::Precision::DEFAULT;
};
}  // namespace typing
// Of vectors the inner product, of matrices the matrix product; else the last axis of x with the
// last but one of y. A scalar multiplies. Source: jax.numpy.dot.
Array dot(const typing::Arg& x, const typing::Arg& y);
Array dot(const typing::Arg& x, const typing::Arg& y, const typing::ProductOptions& o);
// The matrix product of the last two axes, the others are broadcast; a vector counts as a row on
// the left, a column on the right. ShapeError for scalars. Source: jax.numpy.matmul.
Array matmul(const typing::Arg& x, const typing::Arg& y);
Array matmul(const typing::Arg& x, const typing::Arg& y, const typing::ProductOptions& o);
// The sum of the products of all elements, x conjugated. Source: jax.numpy.vdot.
Array vdot(const typing::Arg& x, const typing::Arg& y);
Array vdot(const typing::Arg& x, const typing::Arg& y, const typing::ProductOptions& o);
// The same along one axis of both, the others are broadcast. Source: jax.numpy.vecdot.
Array vecdot(const typing::Arg& x, const typing::Arg& y, int64_t axis = -1,
             const typing::ProductOptions& o = {});
// The sums of products along the last axes: x's other axes, then y's. Source: jax.numpy.inner.
Array inner(const typing::Arg& x, const typing::Arg& y);
Array inner(const typing::Arg& x, const typing::Arg& y, const typing::ProductOptions& o);
// The products of all elements of x with all of y: a matrix. Source: jax.numpy.outer.
Array outer(const typing::Arg& x, const typing::Arg& y);
// The products of matrices with vectors on the right: (…, n, k) x (…, k) -> (…, n), the axes before
// are broadcast. ShapeError for less axes and other sizes. Source: jax.numpy.matvec.
//
//     matvec(array({{1, 2}, {3, 4}}), array({1, 1}))  // array([3, 7], dtype=int32)
Array matvec(const typing::Arg& x, const typing::Arg& y);
// The products of vectors, conjugated, with matrices on the right: (…, k) x (…, k, m) -> (…, m),
// the axes before are broadcast. ShapeError for less axes and other sizes. Source:
// jax.numpy.vecmat.
//
//     vecmat(array({1, 1}), array({{1, 2}, {3, 4}}))  // array([4, 6], dtype=int32)
Array vecmat(const typing::Arg& x, const typing::Arg& y);

namespace typing {
// The last n axes of x with the first n of y; or the axes named, pairwise.
struct TensordotAxes {
  std::vector<int64_t> x, y;
  int64_t n = -1;
  template <ir::Integer I>
  TensordotAxes(I count) : n(static_cast<int64_t>(count)) {}
  TensordotAxes(std::vector<int64_t> of_x, std::vector<int64_t> of_y)
      : x(std::move(of_x)), y(std::move(of_y)) {}
};
}  // namespace typing
// Sums of products along these axes: x's other axes, then y's. Source: jax.numpy.tensordot.
Array tensordot(const typing::Arg& x, const typing::Arg& y, const typing::TensordotAxes& axes = 2,
                const typing::ProductOptions& o = {});

namespace typing {
// Which operands are multiplied at each step, by their places; the product goes to the end.
using EinsumSteps = std::vector<std::vector<int64_t>>;
struct EinsumOptions {
  std::optional<DType> preferred_element_type = {};    // as in ProductOptions
  lax::Precision precision = lax::Precision::DEFAULT;  // likewise
  std::optional<EinsumSteps> optimize = {};            // default: the smallest product first
};
}  // namespace typing
namespace ir {
// einsum of operands in a list.
Array einsum_of(std::string_view formula, const Arrays& x, const typing::EinsumOptions& o,
                typing::Location at);
}  // namespace ir
// Sums of products by letters: "bij,bjk->bik"; without "->" the letters that stand there once, in
// alphabetical order. "..." stands for axes that are broadcast. In the promoted dtype. ShapeError
// for letters that do not fit. Source: jax.numpy.einsum.
//
//     einsum("ij,j->i", array({{1, 2}, {3, 4}}), array({1, 1}))  // array([3, 7], dtype=int32)
inline Array einsum(std::string_view formula, const Arrays& x, const typing::EinsumOptions& o = {},
                    typing::Location at = typing::Location::here()) {
  return ir::einsum_of(formula, x, o, at);
}
Array einsum(std::string_view formula, const typing::Arg& x, const typing::EinsumOptions& o = {});
Array einsum(std::string_view formula, const typing::Arg& x, const typing::Arg& y,
             const typing::EinsumOptions& o = {});
Array einsum(std::string_view formula, const typing::Arg& x, const typing::Arg& y,
             const typing::Arg& z, const typing::EinsumOptions& o = {});
Array einsum(std::string_view formula, const typing::Arg& x, const typing::Arg& y,
             const typing::Arg& z, const typing::Arg& w, const typing::EinsumOptions& o = {});
namespace typing {
// The same by numbers for letters: einsum({{a, {0, 1}}, {b, {1, 2}}}, {0, 2}).
struct EinsumOperand {
  Array x;
  std::vector<int64_t> axes;
};
}  // namespace typing
Array einsum(const std::vector<typing::EinsumOperand>& operands, const std::vector<int64_t>& out,
             const typing::EinsumOptions& o = {}, typing::Location at = typing::Location::here());
namespace typing {
// What einsum_path gives: the operands of each step, and the text.
struct EinsumPath {
  EinsumSteps steps;
  std::string text;
};
}  // namespace typing
// The steps that einsum takes, and a text that says what each multiplies and what all of them cost.
// Of the operands only the shapes count. ShapeError for letters that do not fit. Source:
// jax.numpy.einsum_path, whose steps may be others.
typing::EinsumPath einsum_path(std::string_view formula, const Arrays& x,
                               typing::Location at = typing::Location::here());

// The sum of a diagonal of two axes, of the others' shape; summed in `dtype`. Source:
// jax.numpy.trace.
Array trace(const typing::Arg& x, int64_t offset = 0, int64_t axis1 = 0, int64_t axis2 = 1,
            std::optional<DType> dtype = {});
template <class = void>
Array trace(const typing::Arg& x, const typing::DTypeOption& o);
template <class = void>
Array trace(const typing::Arg& x, int64_t offset, const typing::DTypeOption& o);
template <class = void>
Array trace(const typing::Arg& x, int64_t offset, int64_t axis1, int64_t axis2,
            const typing::DTypeOption& o);
template <detail::PlainDType D>
Array trace(const typing::Arg& x, D dtype);
// The products of each element of x with y, as blocks. Source: jax.numpy.kron.
Array kron(const typing::Arg& x, const typing::Arg& y);
// The cross products of vectors of 2 or 3 components along axisa of x and axisb of y (axis: of
// both, and of the result), the other axes are broadcast; along axisc of the result, or, of 2
// components, a scalar. ShapeError for other sizes. Source: jax.numpy.cross.
Array cross(const typing::Arg& x, const typing::Arg& y, int64_t axisa = -1, int64_t axisb = -1,
            int64_t axisc = -1, typing::OneAxis axis = none);

// Sums of products of two vectors, y turned round, that slide along each other. Integers become
// floats. Of sizes n and m the mode "full" gives n + m - 1 elements, "same" max(n, m), "valid"
// max(n, m) - min(n, m) + 1. ShapeError for other operands, empty ones and other modes. Source:
// jax.numpy.convolve.
//
//     convolve(array({1., 2.}), array({1., 1.}))  // array([1., 3., 2.], dtype=float32)
Array convolve(const typing::Arg& x, const typing::Arg& y, const std::string& mode = "full",
               const typing::ProductOptions& o = {});
// As convolve, but with y as it is, conjugated; the mode is "valid" by default. Source:
// jax.numpy.correlate.
//
//     correlate(array({1., 2., 3.}), array({0., 1.}))  // array([2., 3.], dtype=float32)
Array correlate(const typing::Arg& x, const typing::Arg& y, const std::string& mode = "valid",
                const typing::ProductOptions& o = {});

}  // namespace weft
