// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/elementwise/fma.h: multiply-add with one rounding.
#pragma once
#include "weft/tracer/array.h"

namespace weft::lax {

// x * y + z, rounded once. Floating-point operands.
Array fma(const Arg& x, const Arg& y, const Arg& z);

}  // namespace weft::lax
