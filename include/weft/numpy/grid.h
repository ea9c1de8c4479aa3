// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/numpy/grid.h: coordinates of grids, and indices of parts of matrices.
#pragma once
#include "weft/array.h"
#include "weft/axis.h"
#include "weft/detail/ref.h"

namespace weft {

namespace typing {
// One axis of a grid. It is slice(lo, hi, step) of integers, or {lo, hi} or {lo, hi, step} of any
// numbers without hi. grid_points(lo, hi, n) has n points including hi (a step of 1j * n in
// Python).
struct GridAxis {
  Array lo, hi, step;
  int64_t points = -1;
  GridAxis(const Slice& s);
  GridAxis(const Array& from, const Array& to, const Array& by = 1) : lo(from), hi(to), step(by) {}
};
}  // namespace typing
// Returns an axis of mgrid or ogrid with n equally spaced points from lo to hi, including hi.
// Source: jax.numpy.mgrid.
typing::GridAxis grid_points(const Array& lo, const Array& hi, int64_t n);
// Returns the coordinates of all points of a grid, stacked: (axes, n_0, n_1, …), in one promoted
// dtype. Bounds must be known. Raises IndexError for a slice without an end. Source:
// jax.numpy.mgrid.
Array mgrid(const std::vector<typing::GridAxis>& axes,
            typing::Location at = typing::Location::here());
// Returns the coordinates as one array per axis, which broadcast together: (n_0, 1, …), (1, n_1,
// …), … Source: jax.numpy.ogrid.
Arrays ogrid(const std::vector<typing::GridAxis>& axes,
             typing::Location at = typing::Location::here());
// Returns the indices of an array of this shape: (axes, n_0, n_1, …). Source: jax.numpy.indices.
//
//     indices({3})[0]  // array([0, 1, 2], dtype=int32)
Array indices(const Shape& shape, DType dtype = I32,
              typing::Location at = typing::Location::here());
template <class = void>
Array indices(const Shape& shape, const typing::DTypeOption& o,
              typing::Location at = typing::Location::here());
// Returns the indices of an array of this shape as one array per axis, (n_0, 1, …), (1, n_1, …), …,
// which broadcast together. Source: jax.numpy.indices.
Arrays sparse_indices(const Shape& shape, DType dtype = I32,
                      typing::Location at = typing::Location::here());
template <class = void>
Arrays sparse_indices(const Shape& shape, const typing::DTypeOption& o,
                      typing::Location at = typing::Location::here());
// Converts vectors of indices, or of known masks, to arrays that broadcast together. x[{a[0],
// a[1]}] is then the block of these rows and columns. Raises ShapeError unless all are vectors.
// Source: jax.numpy.ix_.
Arrays ix_(const Arrays& x, typing::Location at = typing::Location::here());

// Returns tril_indices for the shape of the matrix x. Raises ShapeError unless x has two axes.
// Source: jax.numpy.tril_indices_from.
Arrays tril_indices_from(const typing::Arg& x, int64_t k = 0);
// Returns triu_indices for the shape of the matrix x. Raises ShapeError unless x has two axes.
// Source: jax.numpy.triu_indices_from.
Arrays triu_indices_from(const typing::Arg& x, int64_t k = 0);
// Returns diag_indices for the shape of x, which has two or more axes of one size (ShapeError).
// Source: jax.numpy.diag_indices_from.
Arrays diag_indices_from(const typing::Arg& x);
namespace typing {
struct MaskIndicesOptions {
  std::optional<int64_t> size = {};  // the number of indices; required where the mask is traced
};
}  // namespace typing
// Returns the indices where mask_func(ones({n, n}), k) is not zero: mask_indices(3, triu). Source:
// jax.numpy.mask_indices.
Arrays mask_indices(int64_t n, const ir::Function<Array(Array, int64_t)>& mask_func, int64_t k = 0,
                    const typing::MaskIndicesOptions& o = {},
                    typing::Location at = typing::Location::here());

namespace typing {
struct RavelIndexOptions {
  // How to treat indices out of range: "raise" (IndexError; they must be known), "wrap" or "clip".
  std::string mode = "raise";
  std::string order = "C";  // "F": the first axis varies fastest
};
}  // namespace typing
// Converts indices, one array per axis, to row-major positions in an array of this shape. Source:
// jax.numpy.ravel_multi_index.
Array ravel_multi_index(const Arrays& multi_index, const Shape& dims,
                        const typing::RavelIndexOptions& o = {},
                        typing::Location at = typing::Location::here());

}  // namespace weft
