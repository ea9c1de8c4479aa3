// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/lax/sums.h: the treatment of narrow floats in functions that sum them. Not public.
#pragma once
#include "core/loops/accumulator.h"
#include "functions/kit.h"

namespace weft::fn {

// Converts numbers to the dtype in which they are summed: F32 for BF16 and F16. The caller converts
// the final result back once.
inline Array for_sums(const Array& x) {
  return as_dtype(x, accumulator_dtype(x.dtype()), x.weak_type());
}

// The exponentials e^(v - top) whose sum a logarithm of sums needs, without overflow. top is the
// largest real part over the axes, without these axes, or 0 where it is infinite. Derivatives treat
// top as a constant.
struct ShiftedExp {
  Array terms, top;
};
ShiftedExp shifted_exp(const Array& v, const std::vector<int64_t>& axes);

}  // namespace weft::fn
