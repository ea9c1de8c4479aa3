// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/dot.h: the general product of two arrays.
#pragma once
#include <optional>

#include "weft/tracer/array.h"

namespace weft::lax {

// How exact products must be at least. Weft multiplies numbers of a dtype as exactly as it allows,
// wherever it runs; programs keep what was asked for, derivatives too, and .stablehlo() hands it to
// compilers that would take less: XLA on a TPU multiplies F32 as BF16. Source: jax.lax.Precision.
enum class Precision { DEFAULT, HIGH, HIGHEST };
// Which axes are multiplied and summed, and which are walked together, pairwise.
struct DotDims {
  std::vector<int64_t> lhs_contract, rhs_contract;
  std::vector<int64_t> lhs_batch = {}, rhs_batch = {};
};
// Sums of products of x and y over the axes that are contracted, those of the batch going together.
// Axes of the result: batch, the other axes of x, the other axes of y. Factors are converted to the
// dtype of the result, by default that of both, before they are multiplied. IndexError for axes out
// of range, ShapeError for ones that do not fit, DTypeError for two dtypes, for what is no number
// and for a preferred_element_type that does not hold the product. Source: jax.lax.dot_general.
Array dot_general(const typing::Arg& x, const typing::Arg& y, const DotDims& dims,
                  std::optional<DType> preferred_element_type = {},
                  Precision precision = Precision::DEFAULT);

}  // namespace weft::lax
