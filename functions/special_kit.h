// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/special_kit.h: what the special functions share. Not public.
#pragma once
#include "weft/functions/kit.h"

namespace weft::fn {

// What need_real takes, as a float.
Array real_of(const char* name, const Array& x);
// One float dtype and one shape.
Arrays reals_of(const char* name, const Arrays& x);
Pair pair_of(const char* name, const Array& x, const Array& y);

// f with the derivative that `slope` says: (x…, tangents…) -> tangent.
Array with_slope(const char* name, const Arrays& x, FunctionRef<Array(const Arrays&)> f,
                 FunctionRef<Array(const Arrays&, const Arrays&)> slope);
// The logarithm of the gamma function of complex numbers; NaN at its poles.
Array complex_loggamma(const Array& z);

// ---- parts of log Gamma that do not cancel. Densities are sums of large logarithms; these forms
// leave out what the logarithms have in common (C. Loader, "Fast and accurate computation of
// binomial probabilities", 2000).
// log Gamma(x) less Stirling's formula (x - 1/2) log x - x + log(2 pi) / 2, for x >= 10.
Array stirling_rest(const Array& x);
// log B(a, b) for a, b > 0.
Array log_beta(const Array& a, const Array& b);
// `value`, with the derivatives of every order that its logarithm `log_value` gives it. Rules of
// derivatives use it for the value itself, whose own formula need not be differentiable.
Array with_log_derivatives(const Array& value, const Array& log_value);
// x log(x / m) + m - x for x, m > 0: 0 at x = m, exact near it, too.
Array deviance(const Array& x, const Array& m);
// a log m - m - log Gamma(a) for a >= 10, m > 0.
Array log_gamma_form(const Array& a, const Array& m);
// p log z + q log w - log B(p, q) for p, q >= 10 and z, w > 0 with z + w = 1.
Array log_beta_form(const Array& p, const Array& q, const Array& z, const Array& w);

}  // namespace weft::fn
