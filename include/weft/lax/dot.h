// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/lax/dot.h: the general product of two arrays.
#pragma once
#include <optional>

#include "weft/array.h"

namespace weft::lax {

// The minimum precision of products. Weft always multiplies with the full precision of the dtype,
// on all devices. Programs and their derivatives record the requested precision, and .stablehlo()
// passes it to compilers that would use less: XLA on a TPU multiplies F32 as BF16. Source:
// jax.lax.Precision.
enum class Precision { DEFAULT, HIGH, HIGHEST };
// The axes that are multiplied and summed (contract), and the axes that are paired (batch).
struct DotDims {
  std::vector<int64_t> lhs_contract, rhs_contract;
  std::vector<int64_t> lhs_batch = {}, rhs_batch = {};
};
// Sums of products of x and y over the contracted axes, for each position of the batch axes. The
// axes of the result are the batch axes, the other axes of x, and the other axes of y. Factors are
// converted to the dtype of the result before they are multiplied; by default this is the dtype of
// both operands. Throws IndexError for axes out of range and ShapeError for axes whose sizes
// differ. Throws DTypeError for two dtypes, for operands that are not numbers, and for a
// preferred_element_type that cannot hold the product. Source: jax.lax.dot_general.
Array dot_general(const typing::Arg& x, const typing::Arg& y, const DotDims& dims,
                  std::optional<DType> preferred_element_type = {},
                  Precision precision = Precision::DEFAULT);

}  // namespace weft::lax
