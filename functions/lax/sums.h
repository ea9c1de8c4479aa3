// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/lax/sums.h: narrow floats in functions that sum them. Not public.
#pragma once
#include "weft/core/loops/accumulator.h"
#include "weft/functions/kit.h"

namespace weft::fn {

// Numbers in the dtype that sums of them are taken in, F32 for BF16 and F16; what is computed of
// them is converted back once, at the end.
inline Array for_sums(const Array& x) {
  return as_dtype(x, accumulator_dtype(x.dtype()), x.weak_type());
}

}  // namespace weft::fn
