// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/elementwise/compare.h: comparisons, logic on bits and bools, selection.
#pragma once
#include "weft/tracer/array.h"

namespace weft::lax {

// False for a NaN (ne: true). Only eq and ne take complex numbers and keys.
Array eq(const Arg& x, const Arg& y);
Array ne(const Arg& x, const Arg& y);
Array lt(const Arg& x, const Arg& y);
Array le(const Arg& x, const Arg& y);
Array gt(const Arg& x, const Arg& y);
Array ge(const Arg& x, const Arg& y);
Array is_finite(const Arg& x);
// Of integers on each bit.
Array bitwise_and(const Arg& x, const Arg& y);
Array bitwise_or(const Arg& x, const Arg& y);
Array bitwise_xor(const Arg& x, const Arg& y);
Array bitwise_not(const Arg& x);
// cases[which], element by element; `which` is a bool (false: the first case) or an int32, a scalar
// or of the shape of the cases. An int32 out of range takes the nearest case.
Array select_n(const Arg& which, const Arrays& cases);
// on_true where pred, else on_false.
Array select(const Arg& pred, const Array& on_true, const Array& on_false);

}  // namespace weft::lax
