// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/schedule/product.h: kernels that are matrix products: loops over terms with one factor for
// the row of the point and one for its column, so that points can share them.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "core/loops/nest.h"
#include "jit/schedule/schedule.h"

namespace weft::compiler {

// The code that computes a factor for one term: its instructions in order, the factor last, without
// those that are the same for all points. It is empty if the factor is the same for all points and
// terms.
struct ProductFactor {
  // A load whose address does not depend on another load, and the instructions that compute its
  // offset.
  struct Read {
    nest::Id load;
    std::vector<nest::Id> offset;
    // Neighbours, along terms or points as `along_terms` says, are adjacent in memory for every
    // term.
    bool side_by_side;
  };
  nest::Id value = nest::no_id;
  std::vector<nest::Id> slice;
  bool along_terms = false;  // neighbouring terms, rather than points, are adjacent in memory
  std::vector<Read> reads;
  int together = 1;  // the number of neighbours that 16 bytes hold, for the widest element type
  bool is_bf16 = false, is_f16 = false;  // the factor is exactly a number of this type
};

// The only loop of its kernel. It carries one number, to which it adds a product by fma. All rows
// with the same quotient by `matrix` have the same columns factor (0: all rows have it).
struct ProductLoop {
  nest::Id loop = nest::no_id;
  int64_t terms = 0, matrix = 0;
  bool any_order = false;  // true if terms may be added in any order
  ProductFactor rows, columns;
};
std::optional<ProductLoop> product_loop(const nest::Kernel& k);
// Returns true if the tensor cores of the target can multiply the factors and add the products.
bool has_mma(const ProductLoop& p, const nest::Kernel& k, const TargetInfo& target);

// The layout of a block's shared memory: two stages of row and column factors, one that is read and
// one that is filled. A line holds the points of a term or the terms of a point. Padding puts
// neighbouring lines into different banks.
struct ProductStage {
  struct Side {
    bool by_terms;         // a line holds the terms of a point
    int lines, of_line;    // `of_line` counts the elements of a line
    int64_t pitch, first;  // in bytes
  };
  int64_t number = 0, bytes = 0;
  Side rows, columns;
};
ProductStage product_stage(const ProductSchedule& s, const ProductLoop& p, const nest::Kernel& k);

// Returns the number of blocks in which a kernel is launched over a grid of these extents.
int64_t blocks_of_grid(const Schedule& s, const std::vector<int64_t>& extents);

}  // namespace weft::compiler
