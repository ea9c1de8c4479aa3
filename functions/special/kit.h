// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/special/kit.h: helpers that the special functions share. Not public.
#pragma once
#include "functions/kit.h"

namespace weft::fn {

// Checks x with need_real and converts it to a float dtype.
Array real_of(const char* name, const Array& x);
// Converts all of x to one float dtype and broadcasts them to one shape.
Arrays reals_of(const char* name, const Arrays& x);
Pair pair_of(const char* name, const Array& x, const Array& y);

// Returns f(x) with the derivative rule `slope`: (x…, tangents…) -> tangent.
Array with_slope(const char* name, const Arrays& x, FunctionRef<Array(const Arrays&)> f,
                 FunctionRef<Array(const Arrays&, const Arrays&)> slope);
// Returns log Gamma of complex numbers. It is NaN at the poles.
Array complex_loggamma(const Array& z);

// ---- parts of log Gamma that do not cancel. Densities are sums of large logarithms; these forms
// omit the terms that cancel (C. Loader, "Fast and accurate computation of binomial probabilities",
// 2000).
// Returns log Gamma(x) minus Stirling's formula (x - 1/2) log x - x + log(2 pi) / 2, for x >= 10.
Array stirling_rest(const Array& x);
// Returns log B(a, b) for a, b > 0.
Array log_beta(const Array& a, const Array& b);
// Returns `value` with derivatives of every order computed from its logarithm `log_value`.
// Derivative rules use it for their own result, whose formula need not be differentiable.
Array with_log_derivatives(const Array& value, const Array& log_value);
// Returns x log(x / m) + m - x for x, m > 0. It is 0 at x = m and accurate near it.
Array deviance(const Array& x, const Array& m);
// Returns a log m - m - log Gamma(a) for a >= 10, m > 0.
Array log_gamma_form(const Array& a, const Array& m);
// Returns p log z + q log w - log B(p, q) for p, q >= 10 and z, w > 0 with z + w = 1.
Array log_beta_form(const Array& p, const Array& q, const Array& z, const Array& w);

}  // namespace weft::fn
