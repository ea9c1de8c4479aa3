// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/elementwise/elementary.h: elementary functions of elements, floating-point or complex.
#pragma once
#include "weft/tracer/array.h"

namespace weft::lax {

Array sqrt(const Arg& x);
Array rsqrt(const Arg& x);  // 1 / sqrt(x)
Array cbrt(const Arg& x);
Array exp(const Arg& x);
Array exp2(const Arg& x);
Array expm1(const Arg& x);  // exp(x) - 1
Array log(const Arg& x);
Array log1p(const Arg& x);              // log(1 + x)
Array logistic(const Arg& x);           // 1 / (1 + exp(-x))
Array pow(const Arg& x, const Arg& y);  // y: of x's dtype, or an integer

Array sin(const Arg& x);
Array cos(const Arg& x);
Array tan(const Arg& x);
Array asin(const Arg& x);
Array acos(const Arg& x);
Array atan(const Arg& x);
Array atan2(const Arg& y, const Arg& x);  // the angle of the point (x, y)
Array sinh(const Arg& x);
Array cosh(const Arg& x);
Array tanh(const Arg& x);
Array asinh(const Arg& x);
Array acosh(const Arg& x);
Array atanh(const Arg& x);

}  // namespace weft::lax
