// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/edit.h: elements and rows taken out and put in; arrays cut and put together.
#pragma once
#include "weft/functions/axis.h"
#include "weft/functions/numpy/create.h"
#include "weft/tracer/array.h"

namespace weft {

namespace typing {
struct DeleteOptions {
  // A promise that no index is there twice, so that they need not be known when traced.
  bool assume_unique_indices = false;
};
}  // namespace typing
// x without the rows `obj` of an axis (none: of x flattened): an integer, a slice, a vector of
// integers or a mask, which must be known when traced. IndexError for an integer out of range,
// ConcretizationError for a traced array without the promise. Source: jax.numpy.delete (a keyword
// of C++).
Array delete_(const typing::Arg& x, const typing::Index& obj, typing::OneAxis axis = none,
              const typing::DeleteOptions& o = {});
// x with `values` before the rows `obj` of an axis (none: of x flattened), in x's dtype; obj: an
// integer, a slice or a vector of integers, one a row of the values, which are broadcast.
// IndexError for anything else. Source: jax.numpy.insert.
Array insert(const typing::Arg& x, const typing::Index& obj, const typing::Arg& values,
             typing::OneAxis axis = none);
// The elements of x, row-major, again and again, in a shape. Source: jax.numpy.resize.
Array resize(const typing::Arg& x, const Shape& shape);

namespace typing {
struct TrimOptions {
  std::string trim = "fb";               // "f": the front, "b": the back
  std::vector<int64_t> axes = {};        // default: all
  std::optional<int64_t> size = {};      // of a traced vector: how many are given, …
  std::optional<Array> fill_value = {};  // … and what stands behind the others; default: 0
};
}  // namespace typing
// x without the rows in front and behind that are zero throughout, along each axis. Where x is
// traced how many there are is not known: ConcretizationError unless it is a vector and .size is
// given. ShapeError for another `trim`. Source: jax.numpy.trim_zeros.
Array trim_zeros(const typing::Arg& x, const typing::TrimOptions& o = {});

// split along axis 1 (of a vector 0): into n equal parts, or before each of the given positions.
// Source: jax.numpy.hsplit.
Arrays hsplit(const typing::Arg& x, int64_t n);
Arrays hsplit(const typing::Arg& x, const std::vector<int64_t>& positions);
// split along axis 0: into n equal parts, or before each of the given positions. ShapeError for
// fewer than 2 axes. Source: jax.numpy.vsplit.
Arrays vsplit(const typing::Arg& x, int64_t n);
Arrays vsplit(const typing::Arg& x, const std::vector<int64_t>& positions);
// split along axis 2: into n equal parts, or before each of the given positions. ShapeError for
// fewer than 3 axes. Source: jax.numpy.dsplit.
Arrays dsplit(const typing::Arg& x, int64_t n);
Arrays dsplit(const typing::Arg& x, const std::vector<int64_t>& positions);
// x with the axis moved before axis `start`. Source: jax.numpy.rollaxis.
Array rollaxis(const typing::Arg& x, int64_t axis, int64_t start = 0);
// Arrays joined as they stand in nested braces, those of the innermost along the last axis, the
// next ones along the last but one: block({{a, b}, {c, d}}). ShapeError for lists of unequal depth.
// Source: jax.numpy.block.
Array block(const typing::Nested& arrays, typing::Location at = typing::Location::here());

}  // namespace weft
