// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/index.h: reading and writing at indices, beside x[i] and x.at(i).
#pragma once
#include "weft/functions/axis.h"
#include "weft/tracer/array.h"

namespace weft {

namespace typing {
struct TakeOptions {
  // Of indices out of range: "fill", or "drop", the same; "clip"; "wrap"; "promise_in_bounds":
  // there are none; "check": CheckError after the run (functions/effects/effects.h).
  std::string mode = "fill";
  std::optional<Array> fill_value = {};  // default: NaN or the extreme integer
  bool unique_indices = false;           // a promise that no index is there twice
  bool indices_are_sorted = false;       // a promise that they ascend, negative ones counted
};
}  // namespace typing
// x[…, indices, …] along an axis (default: of x flattened): x's shape with that of the indices for
// the axis. Negative indices count from the end, with "clip" they are 0. DTypeError unless the
// indices are integers. Source: jax.numpy.take.
Array take(const typing::Arg& x, const typing::Arg& indices, typing::OneAxis axis = none,
           const typing::TakeOptions& o = {});
// Along an axis the element that `indices`, of x's rank, says; the other axes go together. Source:
// jax.numpy.take_along_axis.
Array take_along_axis(const typing::Arg& x, const typing::Arg& indices, typing::OneAxis axis = -1,
                      const typing::TakeOptions& o = {});
namespace typing {
struct PutOptions {
  // Of indices out of range: "drop", "fill", the same; "clip"; "wrap"; "promise_in_bounds".
  // Default: put_along_axis drops them, put clips them as JAX does.
  std::string mode = {};
};
}  // namespace typing
// x with `values`, broadcast to the shape of the indices, where take_along_axis would read. Of an
// index that is there twice the last value stays. Source: jax.numpy.put_along_axis.
Array put_along_axis(const typing::Arg& x, const typing::Arg& indices, const typing::Arg& values,
                     typing::OneAxis axis, const typing::PutOptions& o = {});
// x with values at indices into x flattened: as many values as indices, or fewer, which are
// repeated. Negative indices count from the end, with mode "clip" they are 0. Source:
// jax.numpy.put.
Array put(const typing::Arg& x, const typing::Arg& indices, const typing::Arg& values,
          const typing::PutOptions& o = {});
// x with values one after another where the mask, of x's size, holds; fewer values are repeated.
// ShapeError for a mask of another size and for no values. Source: jax.numpy.place.
Array place(const typing::Arg& x, const typing::Arg& mask, const typing::Arg& values);
// x with values where the mask, of x's shape, holds: element i takes value i, of fewer values i mod
// their number. Source: numpy.putmask.
Array putmask(const typing::Arg& x, const typing::Arg& mask, const typing::Arg& values);
// x, of two axes or more (more than two: of one size), with `value` on the diagonal, repeated if it
// is shorter; wrap: in matrices of more rows than columns the diagonal begins again below.
// ShapeError for other shapes. Source: jax.numpy.fill_diagonal.
Array fill_diagonal(const typing::Arg& x, const typing::Arg& value, bool wrap = false);
// choices[a[…]][…], of arrays broadcast together. Indices out of range: "raise" (IndexError; a must
// be known), "wrap", "clip". DTypeError unless a has integers. Source: jax.numpy.choose.
Array choose(const typing::Arg& a, const Arrays& choices, const std::string& mode = "raise");

namespace typing {
struct CompressOptions {
  std::optional<int64_t> size = {};  // how many; needed where the condition is traced
  Array fill_value = 0;              // of what is missing
};
}  // namespace typing
// The elements where `condition`, a vector no longer than the axis, holds, of an axis or of x
// flattened. ConcretizationError for a traced condition without .size. Source: jax.numpy.compress.
Array compress(const typing::Arg& condition, const typing::Arg& x, typing::OneAxis axis = none,
               const typing::CompressOptions& o = {});
// The same of both flattened. Source: jax.numpy.extract.
Array extract(const typing::Arg& condition, const typing::Arg& x,
              const typing::CompressOptions& o = {});

namespace typing {
// Numbers that stand for what is missing: one for all axes, or one each.
struct FillIndices {
  Arrays values;
  template <ir::Integer I>
  FillIndices(I i) : values{Array(i)} {}
  FillIndices(const Array& v) : values{v} {}
  FillIndices(std::initializer_list<Array> l) : values(l) {}
};
struct NonzeroOptions {
  std::optional<int64_t> size = {};  // how many; needed where x is traced
  FillIndices fill_value = 0;        // of what is missing
};
}  // namespace typing
// The indices of the elements that are not zero, row-major, one vector an axis (I32). Where x is
// traced their number is not known: ConcretizationError without .size. Source: jax.numpy.nonzero.
Arrays nonzero(const typing::Arg& x, const typing::NonzeroOptions& o = {});
// The same of a condition, as NumPy's where of one argument. Source: jax.numpy.where.
Arrays where(const typing::Arg& condition, const typing::NonzeroOptions& o = {});
// The indices in x flattened: a vector. Source: jax.numpy.flatnonzero.
Array flatnonzero(const typing::Arg& x, const typing::NonzeroOptions& o = {});
// The indices as rows: (n, x's axes). Source: jax.numpy.argwhere.
Array argwhere(const typing::Arg& x, const typing::NonzeroOptions& o = {});

// The place in an array of this shape of each element that has this number when they are counted
// row-major: an array of indices an axis, of the shape and dtype of `indices`. Negative numbers
// count from the end; what is out of range is at the place of the first, or of the last, element.
// DTypeError unless they are integers. Source: jax.numpy.unravel_index.
//
//     unravel_index(array({0, 5}), {2, 3})[1]  // array([0, 2], dtype=int32)
Arrays unravel_index(const typing::Arg& indices, const Shape& shape);
// The rows and the columns, two vectors (I32), of the elements at and below diagonal k of a matrix
// (n, m), row-major; m is n by default. Source: jax.numpy.tril_indices.
//
//     tril_indices(2)[1]  // array([0, 0, 1], dtype=int32)
Arrays tril_indices(int64_t n, int64_t k = 0, std::optional<int64_t> m = {},
                    typing::Location at = typing::Location::here());
// The rows and the columns, two vectors (I32), of the elements at and above diagonal k of a matrix
// (n, m), row-major; m is n by default. Source: jax.numpy.triu_indices.
Arrays triu_indices(int64_t n, int64_t k = 0, std::optional<int64_t> m = {},
                    typing::Location at = typing::Location::here());
// The indices of the diagonal of an array with ndim axes of size n: ndim times the vector 0, 1, …,
// n - 1 (I32). Source: jax.numpy.diag_indices.
Arrays diag_indices(int64_t n, int64_t ndim = 2, typing::Location at = typing::Location::here());

namespace typing {
// How segment_sum, segment_prod, segment_max and segment_min take their ids.
struct SegmentOptions {
  std::optional<int64_t> num_segments = {};  // default: the largest id + 1, which must be known
  bool unique_indices = false;               // a promise that no id is there twice
  bool indices_are_sorted = false;           // a promise that they ascend
  // Of ids out of range: "drop", "fill", the same; "clip"; "wrap"; "promise_in_bounds".
  std::string mode = "drop";
  // So many rows are folded at a time, and then the results (0: all at once).
  int64_t bucket_size = 0;
};
}  // namespace typing
// The sums of the rows x (n, …) that have one id, row by row of `segment_ids` (n): (segments, …), 0
// for no rows. DTypeError unless the ids are integers, ShapeError unless there is one a row,
// ConcretizationError for traced ones without .num_segments. F16 and BF16 are added in F32 and
// rounded once, where JAX stops at 2,048 and 256. Source: jax.ops.segment_sum.
//
//     segment_sum(array({1, 2, 3}), array({0, 1, 1}))  // array([1, 5], dtype=int32)
Array segment_sum(const typing::Arg& x, const typing::Arg& segment_ids,
                  const typing::SegmentOptions& o = {});
// As segment_sum, the products of the rows; 1 for no rows. It has derivatives of every order, where
// rows are 0, too; JAX has them with .unique_indices alone. Source: jax.ops.segment_prod.
Array segment_prod(const typing::Arg& x, const typing::Arg& segment_ids,
                   const typing::SegmentOptions& o = {});
// As segment_sum, the largest of the rows; -inf or the least integer for no rows. Source:
// jax.ops.segment_max.
//
//     segment_max(array({1, 3, 2}), array({0, 0, 1}))  // array([3, 2], dtype=int32)
Array segment_max(const typing::Arg& x, const typing::Arg& segment_ids,
                  const typing::SegmentOptions& o = {});
// As segment_sum, the smallest of the rows; inf or the largest integer for no rows. Source:
// jax.ops.segment_min.
Array segment_min(const typing::Arg& x, const typing::Arg& segment_ids,
                  const typing::SegmentOptions& o = {});
namespace typing {
struct BincountOptions {
  std::optional<int64_t> length = {};  // of the result; needed where x is traced
};
}  // namespace typing
// How often each of 0, 1, … occurs in the vector x (I32), or the sums of the weights at which it
// does (in their dtype); at least `minlength` of them, or .length. Negative numbers count as 0.
// DTypeError unless x has integers, ShapeError for other shapes, ConcretizationError for a traced x
// without .length. Source: jax.numpy.bincount.
//
//     bincount(array({0, 2, 2}))  // array([1, 0, 2], dtype=int32)
Array bincount(const typing::Arg& x, const typing::MaybeArray& weights = none,
               int64_t minlength = 0, const typing::BincountOptions& o = {});

}  // namespace weft
