// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/lax/sums.h: the treatment of narrow floats in functions that sum them. Not public.
#pragma once
#include "core/loops/accumulator.h"
#include "functions/kit.h"
#include "tracer/types_of.h"

namespace weft::fn {

// Converts numbers to the dtype in which they are summed: F32 for BF16 and F16. The caller converts
// the final result back once, with one of the functions below.
inline Array for_sums(const Array& x) {
  return as_dtype(x, accumulator_dtype(x.dtype()), x.weak_type());
}
// Converts a result to d. It stays weak if it is.
inline Array rounded(const Array& result, DType d) {
  return as_dtype(result, d, result.weak_type());
}
// Converts a result to the dtype of an operand, and makes it weak if the operand is.
inline Array rounded_like(const Array& result, const Array& operand) {
  return as_dtype(result, operand.dtype(), operand.weak_type());
}
// Converts a result to d if it has the dtype in which numbers of d are summed. Otherwise another
// operand made it wider, and it stays as it is.
inline Array narrowed(const Array& result, DType d) {
  return accumulator_dtype(d) == result.dtype() ? rounded(result, d) : result;
}
// The same for the float dtype to which the operands promote.
inline Array narrowed(const Array& result, const Arrays& operands) {
  return narrowed(result, to_inexact(common_type(types_of(operands)).dtype));
}

// The exponentials e^(v - top) whose sum a logarithm of sums needs, without overflow. top is the
// largest real part over the axes, without these axes, or 0 where it is infinite. Derivatives treat
// top as a constant.
struct ShiftedExp {
  Array terms, top;
};
ShiftedExp shifted_exp(const Array& v, const std::vector<int64_t>& axes);

}  // namespace weft::fn
