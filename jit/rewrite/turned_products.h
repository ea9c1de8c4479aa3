// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/rewrite/turned_products.h: products whose result is transposed.
#pragma once
#include "weft/detail/jaxpr.h"

namespace weft::compiler {

// Swaps the operands of a product whose only reader transposes its rows and columns. A map over the
// columns of `w @ x` writes such products. Native code then writes the result in the order in which
// it is read. Each element keeps its terms and their order.
Jaxpr turn_products(const Jaxpr& j);

}  // namespace weft::compiler
