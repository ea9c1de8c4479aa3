// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/products/parts.h: long sums of products as sums of sums, for as many threads as there
// are parts.
#pragma once
#include "weft/ops/linear/dot.h"

namespace weft {

// Whether a product of so many elements is worth parts: their number is that of the shapes alone,
// not of a batch or a machine.
bool has_parts(const lax::DotDims& d, const Shape& lhs, int64_t elements);
// The parts in order, each a product of its own.
Array product_in_parts(const Array& x, const Array& y, const lax::DotDims& d, DType out);

}  // namespace weft
