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

}  // namespace weft::fn
