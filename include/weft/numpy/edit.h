// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/numpy/edit.h: functions that delete and insert elements and rows, and that split
// and assemble arrays.
#pragma once
#include "weft/array.h"
#include "weft/axis.h"
#include "weft/numpy/create.h"

namespace weft {

namespace typing {
struct DeleteOptions {
  // A promise that no index occurs twice, so that traced indices need not be known.
  bool assume_unique_indices = false;
};
}  // namespace typing
// Removes the rows `obj` of an axis (none: of x flattened). obj is an integer, a slice, a vector of
// integers or a mask, which must be known under tracing. Raises IndexError for an integer out of
// range, and ConcretizationError for a traced vector without the promise. Source: jax.numpy.delete
// (a keyword of C++).
Array delete_(const typing::Arg& x, const typing::Index& obj, typing::OneAxis axis = none,
              const typing::DeleteOptions& o = {});
// Inserts `values` before the rows `obj` of an axis (none: of x flattened), in the dtype of x. obj
// is an integer, a slice or a vector with one integer per row of values. values is broadcast to the
// rows. Raises IndexError for anything else. Source: jax.numpy.insert.
Array insert(const typing::Arg& x, const typing::Index& obj, const typing::Arg& values,
             typing::OneAxis axis = none);
// Fills the shape with the row-major elements of x, repeated as often as needed. Source:
// jax.numpy.resize.
Array resize(const typing::Arg& x, const Shape& shape);

namespace typing {
struct TrimOptions {
  std::string trim = "fb";               // "f": trim the front, "b": trim the back
  std::vector<int64_t> axes = {};        // default: all
  std::optional<int64_t> size = {};      // of a traced vector: the size of the result, …
  std::optional<Array> fill_value = {};  // … and the value of missing elements; default: 0
};
}  // namespace typing
// Removes leading and trailing rows that are all zero along each axis. If x is traced, their number
// is not known: ConcretizationError unless x is a vector and .size is given. Raises ShapeError for
// another `trim`. Source: jax.numpy.trim_zeros.
Array trim_zeros(const typing::Arg& x, const typing::TrimOptions& o = {});

// Splits x along axis 1 (axis 0 of a vector) into n equal parts, or before each of the given
// positions. Source: jax.numpy.hsplit.
Arrays hsplit(const typing::Arg& x, int64_t n);
Arrays hsplit(const typing::Arg& x, const std::vector<int64_t>& positions);
// Splits x along axis 0 into n equal parts, or before each of the given positions. Raises
// ShapeError for fewer than 2 axes. Source: jax.numpy.vsplit.
Arrays vsplit(const typing::Arg& x, int64_t n);
Arrays vsplit(const typing::Arg& x, const std::vector<int64_t>& positions);
// Splits x along axis 2 into n equal parts, or before each of the given positions. Raises
// ShapeError for fewer than 3 axes. Source: jax.numpy.dsplit.
Arrays dsplit(const typing::Arg& x, int64_t n);
Arrays dsplit(const typing::Arg& x, const std::vector<int64_t>& positions);
// Moves an axis of x before axis `start`. Source: jax.numpy.rollaxis.
Array rollaxis(const typing::Arg& x, int64_t axis, int64_t start = 0);
// Assembles arrays from nested braces: block({{a, b}, {c, d}}). The arrays of the innermost braces
// are joined along the last axis, the next level along the last but one. Raises ShapeError for
// lists of unequal depth. Source: jax.numpy.block.
Array block(const typing::Nested& arrays, typing::Location at = typing::Location::here());

}  // namespace weft
