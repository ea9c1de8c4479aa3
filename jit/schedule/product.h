// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/schedule/product.h: kernels that are products of matrices: a loop over terms whose factors
// belong to the row and to the column of the point, so that points can share them.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "weft/core/loops/nest.h"
#include "weft/jit/schedule/schedule.h"

namespace weft::compiler {

// What a factor is computed of for one term: instructions in order, the factor last, those that
// are the same for all points left out. Empty: it is the same for all points and terms.
struct ProductFactor {
  nest::Id value = nest::no_id;
  std::vector<nest::Id> slice;
  bool along_terms = false;  // neighbouring terms, rather than points, lie side by side in memory
};

// The loop is the only one of its kernel, hands on one number, and adds a product to it by fma. The
// columns' factor is that of all rows with the same quotient by `matrix` (0: of all rows).
struct ProductLoop {
  nest::Id loop = nest::no_id;
  int64_t terms = 0, matrix = 0;
  ProductFactor rows, columns;
};
std::optional<ProductLoop> product_loop(const nest::Kernel& k);

// Shared memory of a block: the terms of its rows, so many numbers apart, then those of its
// columns.
inline constexpr int product_padding = 4;
int64_t product_bytes(const Schedule& s, const nest::Kernel& k);

// Blocks that a kernel is launched in, whose grid has these extents.
int64_t blocks_of_grid(const Schedule& s, const std::vector<int64_t>& extents);

}  // namespace weft::compiler
