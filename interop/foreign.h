// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/foreign.h: memory that arrays and somebody else share (docs/decisions/0045). Not for
// users, but what <weft/eigen.h> is written with.
#pragma once
#include "weft/core/ref.h"
#include "weft/tracer/array.h"

namespace weft::detail {

// An array whose elements lie at `data`, dense and row-major, on a device (empty: the host).
// `owner` is released when nothing reads them any more; null: they stay by somebody's word. Nothing
// writes there. What Weft cannot read in place is copied: elements that are not aligned, bools
// other than 0 and 1.
Array array_over(const typing::Type& t, const void* data, ir::Ref<const ir::RefCounted> owner,
                 const std::string& device = {});
// The elements of an array of dtype d, on the host, and what keeps them where they are, unchanged,
// as long as it lives: a donation of the array meanwhile copies. DTypeError for another dtype,
// ConcretizationError for a traced one.
struct View {
  const void* data = nullptr;
  ir::Ref<const ir::RefCounted> owner = {};
};
View view_of(const Array& x, DType d);
// The same where they lie, of a device; any dtype.
View view_in_place(const Array& x);

// A row-major copy of n-dimensional data; strides in elements, of any sign.
Array compacted(const typing::Type& t, const void* data, const std::vector<int64_t>& strides);

// The sizes of a matrix of Eigen's over an array of shape s: of [r, c] these, of [n] a column or,
// for `row`, a row, of a scalar 1 by 1. ShapeError unless they are the fixed ones; -1 is any size.
struct EigenSizes {
  int64_t rows, columns;
};
EigenSizes eigen_sizes(const Shape& s, EigenSizes fixed, bool row);

}  // namespace weft::detail
