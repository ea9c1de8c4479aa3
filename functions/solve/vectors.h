// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/solve/vectors.h: lists of arrays as elements of a vector space, with which the solvers
// compute. Not public.
#pragma once
#include "weft/array.h"

namespace weft::fn {

// Return the dtype that can hold all of them, and the dtype of their absolute values.
DType common_dtype(const Arrays& x);
DType real_dtype(DType d);
// Returns the distance from 1 to the next number.
double epsilon(DType d);
int64_t elements(const Arrays& x);
// Return the sum of |x|^2 and the sum of the real parts of conj(x) y, in the real common dtype.
Array squared_norm(const Arrays& x);
Array real_dot(const Arrays& x, const Arrays& y);
// Returns the sum of conj(x) y in the common dtype.
Array conj_dot(const Arrays& x, const Arrays& y);
// Returns x + s y in the dtypes of y; s is a scalar.
Arrays add_scaled(const Arrays& x, const Array& s, const Arrays& y);
Arrays subtract(const Arrays& x, const Arrays& y);
// Returns x where the scalar p is true, else y.
Arrays select(const Array& p, const Arrays& x, const Arrays& y);
// Raises ShapeError, naming `what` of the function, unless x has the shapes of the other list,
// `like`.
void need_shapes(const char* name, const char* what, const Arrays& x, const char* like,
                 const Arrays& y);

}  // namespace weft::fn
