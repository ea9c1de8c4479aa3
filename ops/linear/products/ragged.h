// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/products/ragged.h: products of groups of rows, each with a matrix of its own.
#pragma once
#include <optional>

#include "weft/ops/linear/dot.h"

namespace weft::lax {

// The product of rows with the matrix of their group. lhs[m, k] has the groups one after another,
// rhs[g, k, n] a matrix a group, group_sizes[g] how many rows each has; rows of no group give 0.
// Source: jax.lax.ragged_dot.
Array ragged_dot(const typing::Arg& lhs, const typing::Arg& rhs, const typing::Arg& group_sizes,
                 std::optional<DType> preferred_element_type = {});

// Which axes do what in ragged_dot_general. Source: jax.lax.RaggedDotDimensionNumbers.
struct RaggedDotDimensionNumbers {
  DotDims dot_dimension_numbers;
  std::vector<int64_t> lhs_ragged_dimensions;  // one
  std::vector<int64_t> rhs_group_dimensions;  // one, unless that axis is contracted or of the batch
};
// ragged_dot for any axes. Where the ragged axis of lhs is contracted there is a result a group,
// along a new first axis; where it is a batch axis it is the product alone. group_sizes may have
// axes in front: those of the batch, then those of lhs that stand in front of the ragged axis among
// the axes of its kind. Source: jax.lax.ragged_dot_general.
Array ragged_dot_general(const typing::Arg& lhs, const typing::Arg& rhs,
                         const typing::Arg& group_sizes, const RaggedDotDimensionNumbers& d,
                         std::optional<DType> preferred_element_type = {});

}  // namespace weft::lax
