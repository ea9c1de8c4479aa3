// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/product_parts.h: splits long sums of products into sums of parts, so that as many
// threads as there are parts can run.
#pragma once
#include "weft/lax/dot.h"

namespace weft {

// Returns true if a product with this many elements should be split into parts. The number of parts
// depends only on the shapes, not on a batch or a machine.
bool has_parts(const lax::DotDims& d, const Shape& lhs, int64_t elements);
// Adds the parts in order; each part is a product.
Array product_in_parts(const Array& x, const Array& y, const lax::DotDims& d, DType out);

}  // namespace weft
