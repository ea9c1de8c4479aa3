// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/loops/accumulator.h: the dtype in which sums are accumulated.
#pragma once
#include "weft/dtype.h"

namespace weft::ir {

// The dtype in which sums and products of many elements of dtype d are accumulated. BF16 and F16
// accumulate in F32, and the result is rounded once at the end; other dtypes accumulate in d
// itself.
constexpr DType accumulator_dtype(DType d) { return d == BF16 || d == F16 ? F32 : d; }

}  // namespace weft::ir
