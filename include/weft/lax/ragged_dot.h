// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/lax/ragged_dot.h: products of groups of rows, each group with its own matrix.
#pragma once
#include <optional>

#include "weft/lax/dot.h"

namespace weft::lax {

// The product of each row with the matrix of its group. lhs[m, k] contains the groups one after
// another, rhs[g, k, n] one matrix for each group, and group_sizes[g] the numbers of rows. Rows
// after the last group give 0. Source: jax.lax.ragged_dot.
Array ragged_dot(const typing::Arg& lhs, const typing::Arg& rhs, const typing::Arg& group_sizes,
                 std::optional<DType> preferred_element_type = {});

// The roles of the axes in ragged_dot_general. Source: jax.lax.RaggedDotDimensionNumbers.
struct RaggedDotDimensionNumbers {
  DotDims dot_dimension_numbers;
  std::vector<int64_t> lhs_ragged_dimensions;  // exactly one
  // exactly one, unless the ragged axis is contracted or a batch axis
  std::vector<int64_t> rhs_group_dimensions;
};
// ragged_dot for any axes. If the ragged axis of lhs is contracted, there is one result for each
// group, along a new first axis. If it is a batch axis, the result is the plain product.
// group_sizes may have leading axes: the batch axes, then those axes of lhs that precede the ragged
// axis among the axes of its kind. Source: jax.lax.ragged_dot_general.
Array ragged_dot_general(const typing::Arg& lhs, const typing::Arg& rhs,
                         const typing::Arg& group_sizes, const RaggedDotDimensionNumbers& d,
                         std::optional<DType> preferred_element_type = {});

}  // namespace weft::lax
