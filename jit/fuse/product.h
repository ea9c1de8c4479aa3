// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/fuse/product.h: contractions as products of matrices.
#pragma once
#include <optional>

#include "weft/core/loops/lower.h"

namespace weft::compiler {

// `batch` products of [m, k] with [k, n], one behind the other in memory. A transposed operand lies
// as [k, m] or [n, k].
struct Product {
  int64_t batch = 1, m = 1, n = 1, k = 1;
  bool transposed_lhs = false, transposed_rhs = false;
  double multiplications() const {  // of one of them
    return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }
};
// Nothing if the axes of an operand do not lie as those of matrices.
std::optional<Product> product_of(const JaxprData& j, const Eqn& e, const Lowering& l);

}  // namespace weft::compiler
