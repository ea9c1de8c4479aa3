// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/numpy/products.h: products of vectors, matrices and tensors.
#pragma once
#include <string>
#include <string_view>

#include "weft/array.h"
#include "weft/axis.h"
#include "weft/lax/dot.h"

namespace weft {

namespace typing {
struct ProductOptions {
  // The dtype of the products and sums, and of the result; by default the promoted dtype.
  std::optional<DType> preferred_element_type = {};
  // The least precision of the products; Weft always computes them in the precision of their dtype.
  lax::Precision precision = lax::Precision::DEFAULT;
};
}  // namespace typing
// Returns the inner product of vectors, or the matrix product of matrices. With more axes, it sums
// over the last axis of x and the last but one of y. A scalar multiplies. Source: jax.numpy.dot.
Array dot(const typing::Arg& x, const typing::Arg& y);
Array dot(const typing::Arg& x, const typing::Arg& y, const typing::ProductOptions& o);
// Returns the matrix product over the last two axes; the other axes are broadcast. A vector on the
// left is a row, one on the right is a column. Raises ShapeError for scalars. Source:
// jax.numpy.matmul.
Array matmul(const typing::Arg& x, const typing::Arg& y);
Array matmul(const typing::Arg& x, const typing::Arg& y, const typing::ProductOptions& o);
// Returns the sum of the products of all elements, with x conjugated. Source: jax.numpy.vdot.
Array vdot(const typing::Arg& x, const typing::Arg& y);
Array vdot(const typing::Arg& x, const typing::Arg& y, const typing::ProductOptions& o);
// Returns the sum of products along one axis of both, with x conjugated; the other axes are
// broadcast. Source: jax.numpy.vecdot.
Array vecdot(const typing::Arg& x, const typing::Arg& y, int64_t axis = -1,
             const typing::ProductOptions& o = {});
// Returns the sums of products along the last axes. The result has x's other axes, then y's.
// Source: jax.numpy.inner.
Array inner(const typing::Arg& x, const typing::Arg& y);
Array inner(const typing::Arg& x, const typing::Arg& y, const typing::ProductOptions& o);
// Returns the products of all elements of x with all elements of y: a matrix. Source:
// jax.numpy.outer.
Array outer(const typing::Arg& x, const typing::Arg& y);
// Multiplies matrices by vectors on the right: (…, n, k) x (…, k) -> (…, n). The leading axes are
// broadcast. Raises ShapeError for fewer axes and for sizes that do not match. Source:
// jax.numpy.matvec.
//
//     matvec(array({{1, 2}, {3, 4}}), array({1, 1}))  // array([3, 7], dtype=int32)
Array matvec(const typing::Arg& x, const typing::Arg& y);
// Multiplies conjugated vectors by matrices on the right: (…, k) x (…, k, m) -> (…, m). The leading
// axes are broadcast. Raises ShapeError for fewer axes and for sizes that do not match. Source:
// jax.numpy.vecmat.
//
//     vecmat(array({1, 1}), array({{1, 2}, {3, 4}}))  // array([4, 6], dtype=int32)
Array vecmat(const typing::Arg& x, const typing::Arg& y);

namespace typing {
// The last n axes of x and the first n axes of y, or pairs of named axes.
struct TensordotAxes {
  std::vector<int64_t> x, y;
  int64_t n = -1;
  template <ir::Integer I>
  TensordotAxes(I count) : n(static_cast<int64_t>(count)) {}
  TensordotAxes(std::vector<int64_t> of_x, std::vector<int64_t> of_y)
      : x(std::move(of_x)), y(std::move(of_y)) {}
};
}  // namespace typing
// Returns the sums of products along these axes. The result has x's other axes, then y's. Source:
// jax.numpy.tensordot.
Array tensordot(const typing::Arg& x, const typing::Arg& y, const typing::TensordotAxes& axes = 2,
                const typing::ProductOptions& o = {});

namespace typing {
// The positions of the operands that each step multiplies; the product is appended at the end.
using EinsumSteps = std::vector<std::vector<int64_t>>;
struct EinsumOptions {
  std::optional<DType> preferred_element_type = {};    // as in ProductOptions
  lax::Precision precision = lax::Precision::DEFAULT;  // as in ProductOptions
  std::optional<EinsumSteps> optimize = {};            // default: the smallest product first
};
}  // namespace typing
namespace ir {
// Computes einsum of a list of operands.
Array einsum_of(std::string_view formula, const Arrays& x, const typing::EinsumOptions& o,
                typing::Location at);
}  // namespace ir
// Returns sums of products by letters: "bij,bjk->bik". Without "->" the result has the letters that
// occur once, in alphabetical order. "..." stands for axes that are broadcast. The result has the
// promoted dtype. Raises ShapeError for letters that do not match. Source: jax.numpy.einsum.
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
// An operand with numbers instead of letters: einsum({{a, {0, 1}}, {b, {1, 2}}}, {0, 2}).
struct EinsumOperand {
  Array x;
  std::vector<int64_t> axes;
};
}  // namespace typing
Array einsum(const std::vector<typing::EinsumOperand>& operands, const std::vector<int64_t>& out,
             const typing::EinsumOptions& o = {}, typing::Location at = typing::Location::here());
namespace typing {
// The results of einsum_path: the operands of each step, and the text.
struct EinsumPath {
  EinsumSteps steps;
  std::string text;
};
}  // namespace typing
// Returns the steps that einsum would perform, and a text with the factors and the cost of each.
// Only the shapes of the operands matter. Raises ShapeError for letters that do not match. Source:
// jax.numpy.einsum_path, whose steps may be others.
typing::EinsumPath einsum_path(std::string_view formula, const Arrays& x,
                               typing::Location at = typing::Location::here());

// Returns the sums of the diagonals of two axes; the result has the other axes. It is summed in
// `dtype`. Source: jax.numpy.trace.
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
// Returns the Kronecker product: the products of each element of x with y, as blocks. Source:
// jax.numpy.kron.
Array kron(const typing::Arg& x, const typing::Arg& y);
// Returns the cross products of vectors of 2 or 3 components along axisa of x and axisb of y; the
// other axes are broadcast. The components of the result are along axisc; for 2 components the
// result is a scalar. axis sets the axis of x, y and the result. Raises ShapeError for other sizes.
// Source: jax.numpy.cross.
Array cross(const typing::Arg& x, const typing::Arg& y, int64_t axisa = -1, int64_t axisb = -1,
            int64_t axisc = -1, typing::OneAxis axis = none);

// Returns the convolution of two vectors: the sums of products with y reversed. Integers are
// converted to floats. For sizes n and m the mode "full" gives n + m - 1 elements, "same" max(n,
// m), and "valid" max(n, m) - min(n, m) + 1. Raises ShapeError for other operands, empty ones and
// other modes. Source: jax.numpy.convolve.
//
//     convolve(array({1., 2.}), array({1., 1.}))  // array([1., 3., 2.], dtype=float32)
Array convolve(const typing::Arg& x, const typing::Arg& y, const std::string& mode = "full",
               const typing::ProductOptions& o = {});
// Returns the cross-correlation: like convolve, but y is conjugated and not reversed. The mode is
// "valid" by default. Source: jax.numpy.correlate.
//
//     correlate(array({1., 2., 3.}), array({0., 1.}))  // array([2., 3.], dtype=float32)
Array correlate(const typing::Arg& x, const typing::Arg& y, const std::string& mode = "valid",
                const typing::ProductOptions& o = {});

}  // namespace weft
