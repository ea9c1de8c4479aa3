// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/elementwise/multiply_add.h: sums of products as one op (docs/decisions/0008).
#pragma once
#include "core/op.h"
#include "core/param.h"

namespace weft {

// Returns x + y, or x - y, as an fma if an operand is a product, and an empty list otherwise.
Arrays multiply_add(const FuseArgs<None>& f, bool difference);

}  // namespace weft
