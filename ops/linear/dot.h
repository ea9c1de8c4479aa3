// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/dot.h: the general product of two arrays.
#pragma once
#include <optional>

#include "weft/tracer/array.h"

namespace weft::lax {

// Which axes are multiplied and summed, and which are walked together, pairwise.
struct DotDims {
  std::vector<int64_t> lhs_contract, rhs_contract;
  std::vector<int64_t> lhs_batch = {}, rhs_batch = {};
};
// Axes of the result: batch, the other axes of x, the other axes of y. Factors are converted to the
// result's dtype before they are multiplied.
Array dot_general(const Arg& x, const Arg& y, const DotDims& dims,
                  std::optional<DType> preferred_element_type = {});

}  // namespace weft::lax
