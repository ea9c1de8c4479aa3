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
  // A load whose place no other load tells: what its offset is computed of.
  struct Read {
    nest::Id load;
    std::vector<nest::Id> offset;
    // Neighbours, along terms or points as `along_terms` says, as far apart from term to term.
    bool side_by_side;
  };
  nest::Id value = nest::no_id;
  std::vector<nest::Id> slice;
  bool along_terms = false;  // neighbouring terms, rather than points, lie side by side in memory
  std::vector<Read> reads;
  int together = 1;                      // neighbours that 16 bytes hold, of the widest elements
  bool is_bf16 = false, is_f16 = false;  // each is exactly such a number
};

// The loop is the only one of its kernel, hands on one number, and adds a product to it by fma. The
// columns' factor is that of all rows with the same quotient by `matrix` (0: of all rows).
struct ProductLoop {
  nest::Id loop = nest::no_id;
  int64_t terms = 0, matrix = 0;
  bool any_order = false;  // of the terms
  ProductFactor rows, columns;
};
std::optional<ProductLoop> product_loop(const nest::Kernel& k);
// Whether the tensor cores of the target can multiply the factors and add up the products.
bool has_mma(const ProductLoop& p, const nest::Kernel& k, const TargetInfo& target);

// Shared memory of a block: two stages, one that is read and one that is filled, of the rows'
// factors and the columns'. A line has the points of a term or the terms of a point, with what
// keeps neighbouring lines in different banks.
struct ProductStage {
  struct Side {
    bool by_terms;         // a line has the terms of a point
    int lines, of_line;    // numbers of a line
    int64_t pitch, first;  // bytes
  };
  int64_t number = 0, bytes = 0;
  Side rows, columns;
};
ProductStage product_stage(const ProductSchedule& s, const ProductLoop& p, const nest::Kernel& k);

// Blocks that a kernel is launched in, whose grid has these extents.
int64_t blocks_of_grid(const Schedule& s, const std::vector<int64_t>& extents);

}  // namespace weft::compiler
