// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/numpy/index.h: functions that read and write at indices, in addition to x[i] and
// x.at(i).
#pragma once
#include "weft/array.h"
#include "weft/axis.h"

namespace weft {

namespace typing {
struct TakeOptions {
  // How to treat indices out of range: "fill" or its synonym "drop"; "clip"; "wrap";
  // "promise_in_bounds"; or "check". The promise means that all are in range. "check" raises
  // CheckError after the run (include/weft/effects.h).
  std::string mode = "fill";
  // default: NaN, or the smallest signed or largest unsigned integer
  std::optional<Array> fill_value = {};
  bool unique_indices = false;  // a promise that no index occurs twice
  // a promise that the indices ascend after negative ones are wrapped
  bool indices_are_sorted = false;
};
}  // namespace typing
// Returns x[…, indices, …] along an axis (by default of x flattened). The axis is replaced by the
// shape of the indices. Negative indices count from the end; with "clip" they are 0. Raises
// DTypeError unless the indices are integers. Source: jax.numpy.take.
Array take(const typing::Arg& x, const typing::Arg& indices, typing::OneAxis axis = none,
           const typing::TakeOptions& o = {});
// Returns the elements of x at `indices` along an axis. indices has the rank of x, and the other
// axes are matched elementwise. Source: jax.numpy.take_along_axis.
Array take_along_axis(const typing::Arg& x, const typing::Arg& indices, typing::OneAxis axis = -1,
                      const typing::TakeOptions& o = {});
namespace typing {
struct PutOptions {
  // How to treat indices out of range: "drop" or its synonym "fill"; "clip"; "wrap";
  // "promise_in_bounds". By default put_along_axis drops them, and put clips them as JAX does.
  std::string mode = {};
};
}  // namespace typing
// Returns x with `values` written where take_along_axis would read. values is broadcast to the
// shape of the indices. If an index occurs twice, the last value is kept. Source:
// jax.numpy.put_along_axis.
Array put_along_axis(const typing::Arg& x, const typing::Arg& indices, const typing::Arg& values,
                     typing::OneAxis axis, const typing::PutOptions& o = {});
// Returns x with values written at indices into x flattened. If there are fewer values than
// indices, the values are repeated. Negative indices count from the end; with mode "clip" they
// are 0. Source: jax.numpy.put.
Array put(const typing::Arg& x, const typing::Arg& indices, const typing::Arg& values,
          const typing::PutOptions& o = {});
// Returns x with consecutive values written where the mask is true. The mask has as many elements
// as x. If there are fewer values, they are repeated. Raises ShapeError for a mask of another size
// and for an empty list of values. Source: jax.numpy.place.
Array place(const typing::Arg& x, const typing::Arg& mask, const typing::Arg& values);
// Returns x with values written where the mask, of x's shape, is true. Element i gets value i
// modulo the number of values. Source: numpy.putmask.
Array putmask(const typing::Arg& x, const typing::Arg& mask, const typing::Arg& values);
// Returns x with `value` on the diagonal; a shorter value is repeated. x has two or more axes; if
// it has more than two, they have one size. With wrap, the diagonal of a matrix with more rows than
// columns restarts below. Raises ShapeError for other shapes. Source: jax.numpy.fill_diagonal.
Array fill_diagonal(const typing::Arg& x, const typing::Arg& value, bool wrap = false);
// Returns choices[a[…]][…] for arrays broadcast together. Indices out of range follow the mode:
// "raise" (IndexError; a must be known), "wrap" or "clip". Raises DTypeError unless a is of
// integers. Source: jax.numpy.choose.
Array choose(const typing::Arg& a, const Arrays& choices, const std::string& mode = "raise");

namespace typing {
struct CompressOptions {
  // the number of elements; required where the condition is traced
  std::optional<int64_t> size = {};
  Array fill_value = 0;  // value of missing elements
};
}  // namespace typing
// Returns the elements of an axis, or of x flattened, where `condition` is true. condition is a
// vector no longer than the axis. Raises ConcretizationError for a traced condition without .size.
// Source: jax.numpy.compress.
Array compress(const typing::Arg& condition, const typing::Arg& x, typing::OneAxis axis = none,
               const typing::CompressOptions& o = {});
// Returns compress of both flattened. Source: jax.numpy.extract.
Array extract(const typing::Arg& condition, const typing::Arg& x,
              const typing::CompressOptions& o = {});

namespace typing {
// Indices for missing elements: one number for all axes, or one per axis.
struct FillIndices {
  Arrays values;
  template <ir::Integer I>
  FillIndices(I i) : values{Array(i)} {}
  FillIndices(const Array& v) : values{v} {}
  FillIndices(std::initializer_list<Array> l) : values(l) {}
};
struct NonzeroOptions {
  std::optional<int64_t> size = {};  // the number of elements; required where x is traced
  FillIndices fill_value = 0;        // indices of missing elements
};
}  // namespace typing
// Returns the row-major indices of the nonzero elements, one vector per axis (I32). Raises
// ConcretizationError for a traced x without .size, because their number is not known. Source:
// jax.numpy.nonzero.
Arrays nonzero(const typing::Arg& x, const typing::NonzeroOptions& o = {});
// Returns nonzero of a condition, like NumPy's where with one argument. Source: jax.numpy.where.
Arrays where(const typing::Arg& condition, const typing::NonzeroOptions& o = {});
// Returns the indices of nonzero elements in x flattened: a vector. Source: jax.numpy.flatnonzero.
Array flatnonzero(const typing::Arg& x, const typing::NonzeroOptions& o = {});
// Returns the indices of nonzero elements as rows: (n, x's axes). Source: jax.numpy.argwhere.
Array argwhere(const typing::Arg& x, const typing::NonzeroOptions& o = {});

// Converts row-major positions in an array of this shape to indices. The result has one array of
// indices per axis, each with the shape and dtype of `indices`. Negative positions count from the
// end; positions out of range are clipped to the first or last element. Raises DTypeError unless
// they are integers. Source: jax.numpy.unravel_index.
//
//     unravel_index(array({0, 5}), {2, 3})[1]  // array([0, 2], dtype=int32)
Arrays unravel_index(const typing::Arg& indices, const Shape& shape);
// Returns the rows and columns, two vectors (I32), of the elements at and below diagonal k of a
// matrix (n, m), in row-major order. m is n by default. Source: jax.numpy.tril_indices.
//
//     tril_indices(2)[1]  // array([0, 0, 1], dtype=int32)
Arrays tril_indices(int64_t n, int64_t k = 0, std::optional<int64_t> m = {},
                    typing::Location at = typing::Location::here());
// Returns the rows and columns, two vectors (I32), of the elements at and above diagonal k of a
// matrix (n, m), in row-major order. m is n by default. Source: jax.numpy.triu_indices.
Arrays triu_indices(int64_t n, int64_t k = 0, std::optional<int64_t> m = {},
                    typing::Location at = typing::Location::here());
// Returns the indices of the diagonal of an array with ndim axes of size n: ndim times the vector
// 0, 1, …, n - 1 (I32). Source: jax.numpy.diag_indices.
Arrays diag_indices(int64_t n, int64_t ndim = 2, typing::Location at = typing::Location::here());

namespace typing {
// The options of segment_sum, segment_prod, segment_max and segment_min.
struct SegmentOptions {
  // default: the largest id + 1; the ids must then be known
  std::optional<int64_t> num_segments = {};
  bool unique_indices = false;      // a promise that no id occurs twice
  bool indices_are_sorted = false;  // a promise that the ids ascend
  // How to treat ids out of range: "drop" or its synonym "fill"; "clip"; "wrap";
  // "promise_in_bounds".
  std::string mode = "drop";
  // The number of rows that are reduced at a time, before the partial results are reduced (0: all
  // rows).
  int64_t bucket_size = 0;
};
}  // namespace typing
// Returns the sums of the rows x (n, …) with equal ids `segment_ids` (n): (segments, …). A segment
// without rows is 0. F16 and BF16 are added in F32 and rounded once; JAX's sums stop growing at
// 2,048 and 256. Raises DTypeError unless the ids are integers, and ShapeError unless there is one
// per row. Raises ConcretizationError for traced ids without .num_segments. Source:
// jax.ops.segment_sum.
//
//     segment_sum(array({1, 2, 3}), array({0, 1, 1}))  // array([1, 5], dtype=int32)
Array segment_sum(const typing::Arg& x, const typing::Arg& segment_ids,
                  const typing::SegmentOptions& o = {});
// Returns the products of the rows with equal ids, otherwise like segment_sum. A segment without
// rows is 1. It has derivatives of every order, also where rows are 0; JAX has them only with
// .unique_indices. Source: jax.ops.segment_prod.
Array segment_prod(const typing::Arg& x, const typing::Arg& segment_ids,
                   const typing::SegmentOptions& o = {});
// Returns the maxima of the rows with equal ids, otherwise like segment_sum. A segment without rows
// is -inf or the smallest integer. Source: jax.ops.segment_max.
//
//     segment_max(array({1, 3, 2}), array({0, 0, 1}))  // array([3, 2], dtype=int32)
Array segment_max(const typing::Arg& x, const typing::Arg& segment_ids,
                  const typing::SegmentOptions& o = {});
// Returns the minima of the rows with equal ids, otherwise like segment_sum. A segment without rows
// is inf or the largest integer. Source: jax.ops.segment_min.
Array segment_min(const typing::Arg& x, const typing::Arg& segment_ids,
                  const typing::SegmentOptions& o = {});
namespace typing {
struct BincountOptions {
  std::optional<int64_t> length = {};  // length of the result; required where x is traced
};
}  // namespace typing
// Counts how often each of 0, 1, … occurs in the vector x (I32). With weights it sums the weights
// of the occurrences in their dtype. The result has at least `minlength` elements, or .length.
// Negative numbers count as 0. Raises DTypeError unless x is of integers, ShapeError for other
// shapes, and ConcretizationError for a traced x without .length. Source: jax.numpy.bincount.
//
//     bincount(array({0, 2, 2}))  // array([1, 0, 2], dtype=int32)
Array bincount(const typing::Arg& x, const typing::MaybeArray& weights = none,
               int64_t minlength = 0, const typing::BincountOptions& o = {});

}  // namespace weft
