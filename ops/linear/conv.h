// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/conv.h: convolutions.
#pragma once
#include <vector>

#include "core/ir.h"
#include "weft/array.h"
#include "weft/lax/dot.h"
#include "weft/shape.h"

namespace weft {

// The parameters of conv_general_dilated. The lists are in the order of the spatial axes. The axes
// of an operand are those of its spec and those of its lanes. The spec is (batch, feature,
// spatial…), and for rhs (out feature, in feature, spatial…).
struct ConvWindow {
  std::vector<int64_t> strides, low, high, lhs_dilation, rhs_dilation;
};
struct ConvAxes {
  std::vector<int64_t> lhs, rhs, out;
};
struct ConvGroups {
  int64_t feature = 1, batch = 1;
};
// The extent of n elements with d - 1 positions between neighbors.
inline int64_t dilated(int64_t n, int64_t d) { return n == 0 ? 0 : checked_mul(n - 1, d) + 1; }
Array convolution(const Array& lhs, const Array& rhs, const ConvWindow& w, const ConvAxes& axes,
                  const ConvGroups& groups, DType out,
                  lax::Precision precision = lax::Precision::DEFAULT);

}  // namespace weft
