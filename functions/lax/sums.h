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

// The exponentials that logarithms of sums add up, without overflow: e^(v - top). top is the
// largest real part over the axes, which it is without, or 0 where that is infinite; it is a
// constant to derivatives.
struct ShiftedExp {
  Array terms, top;
};
ShiftedExp shifted_exp(const Array& v, const std::vector<int64_t>& axes);

}  // namespace weft::fn
