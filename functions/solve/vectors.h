// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/solve/vectors.h: lists of arrays as elements of a vector space: what the solvers
// compute with. Not public.
#pragma once
#include "weft/tracer/array.h"

namespace weft::fn {

// The dtype that all of them fit in, and that of their absolute values.
DType common_dtype(const Arrays& x);
DType real_dtype(DType d);
// The distance of 1 to the next number.
double epsilon(DType d);
int64_t elements(const Arrays& x);
// The sum of |x|^2 and the sum of the real parts of conj(x) y, of the real common dtype.
Array squared_norm(const Arrays& x);
Array real_dot(const Arrays& x, const Arrays& y);
// The sum of conj(x) y, of the common dtype.
Array conj_dot(const Arrays& x, const Arrays& y);
// x + s y, s a scalar that takes the dtypes of y.
Arrays add_scaled(const Arrays& x, const Array& s, const Arrays& y);
Arrays subtract(const Arrays& x, const Arrays& y);
// x where the scalar p is true, else y.
Arrays select(const Array& p, const Arrays& x, const Arrays& y);
// ShapeError naming `what` of the function, unless it has the shapes of the other list, `like`.
void need_shapes(const char* name, const char* what, const Arrays& x, const char* like,
                 const Arrays& y);

}  // namespace weft::fn
