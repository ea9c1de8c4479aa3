// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/elementwise/special.h: special functions of floating-point elements.
#pragma once
#include "weft/tracer/array.h"

namespace weft::lax {

Array erf(const Arg& x);
Array erfc(const Arg& x);  // 1 - erf(x)
Array erf_inv(const Arg& x);
// The same by XLA's formula, which loses digits near 1: JAX's random numbers are made of its bits.
Array xla_erf_inv(const Arg& x);
Array lgamma(const Arg& x);  // log |Gamma(x)|
Array digamma(const Arg& x);
Array polygamma(const Arg& m, const Arg& x);  // derivative m of digamma
Array zeta(const Arg& s, const Arg& q);       // the sum of (q + k)^-s over k = 0, 1, …
Array bessel_i0e(const Arg& x);               // exp(-|x|) I0(x)
Array bessel_i1e(const Arg& x);               // exp(-|x|) I1(x)

}  // namespace weft::lax
