// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/loops/accumulator.h: the dtype that sums are taken in.
#pragma once
#include "weft/core/dtype.h"

namespace weft::ir {

// The dtype in which sums and products of many d are taken: F32 for BF16 and F16, whose result is
// rounded once at the end; of others d itself.
constexpr DType accumulator_dtype(DType d) { return d == BF16 || d == F16 ? F32 : d; }

}  // namespace weft::ir
