// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/lax/fma.h: multiply-add with one rounding.
#pragma once
#include "weft/array.h"

namespace weft::lax {

// x * y + z with one rounding. The operands are floats.
Array fma(const typing::Arg& x, const typing::Arg& y, const typing::Arg& z);

}  // namespace weft::lax
