// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/ordered_product.h: products of which an operand is transposed, so that its axes are in
// the order of batched matrices.
#pragma once
#include <optional>

#include "core/ir.h"
#include "weft/detail/any_params.h"
#include "weft/lax/dot.h"

namespace weft {

// Operands in a new order of axes. An empty list leaves its operand as it is.
struct OrderedProduct {
  Ints lhs_order, rhs_order;
  lax::DotDims dims;  // of the operands in these orders
};
// Returns the orders that move the fewest elements, so that native code can multiply the operands.
// Returns nothing if it can multiply them as they are.
std::optional<OrderedProduct> ordered_product(const Shape& lhs, const Shape& rhs,
                                              const lax::DotDims& d);
// Returns the shape of an operand in this order.
Shape in_order(const Shape& s, const Ints& order);

}  // namespace weft
