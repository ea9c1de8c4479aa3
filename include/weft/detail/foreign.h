// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/detail/foreign.h: memory that arrays share with other code (docs/decisions/0045).
// This is not a public interface, but <weft/eigen.h> is built on it.
#pragma once
#include "weft/array.h"
#include "weft/detail/ref.h"

namespace weft::detail {

// Returns an array over the elements at `data`, which are dense and row-major, on a device (empty:
// the host). `owner` is released when nothing reads the elements any more. If it is null, the
// caller guarantees that they stay valid. Nothing writes to them. Elements that Weft cannot read in
// place are copied: those that are not aligned, and bools other than 0 and 1.
Array array_over(const typing::Type& t, const void* data, ir::Ref<const ir::RefCounted> owner,
                 const std::string& device = {});
// The elements of an array of dtype d on the host, and their owner. While the owner exists the
// elements keep their address and value: a donation of the array copies them. Raises DTypeError for
// another dtype, and ConcretizationError for a traced array.
struct View {
  const void* data = nullptr;
  ir::Ref<const ir::RefCounted> owner = {};
};
View view_of(const Array& x, DType d);
// The same for any dtype, and without a copy to the host: the data may be in device memory.
View view_in_place(const Array& x);

// Returns a row-major copy of n-dimensional data. Strides count elements and may be negative.
Array compacted(const typing::Type& t, const void* data, const std::vector<int64_t>& strides);

// The sizes of an Eigen matrix over an array of shape s. They are r and c for [r, c]. For [n] they
// are those of a column, or of a row if `row`. For a scalar they are 1 and 1. Raises ShapeError if
// they differ from the fixed sizes, of which -1 means any size.
struct EigenSizes {
  int64_t rows, columns;
};
EigenSizes eigen_sizes(const Shape& s, EigenSizes fixed, bool row);

}  // namespace weft::detail
