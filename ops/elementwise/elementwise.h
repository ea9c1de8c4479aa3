// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/elementwise/elementwise.h: arithmetic of elements. Operands have one dtype, and one shape or
// rank 0.
#pragma once
#include "weft/tracer/array.h"

namespace weft::lax {

// Integers wrap; integer division truncates, x/0 is -1 (all ones), MIN/-1 is MIN.
Array add(const Arg& x, const Arg& y);
Array sub(const Arg& x, const Arg& y);
Array mul(const Arg& x, const Arg& y);
Array div(const Arg& x, const Arg& y);
Array neg(const Arg& x);
// NaN wins, -0 < +0. Complex numbers are ordered by real, then imaginary part.
Array max(const Arg& x, const Arg& y);
Array min(const Arg& x, const Arg& y);
Array abs(const Arg& x);   // of complex numbers real
Array sign(const Arg& x);  // NaN and -0 stay
Array square(const Arg& x);
Array integer_pow(const Arg& x, int64_t y);  // 1 for y = 0, whatever x is

}  // namespace weft::lax
