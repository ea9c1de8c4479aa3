// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/body.h: reduction functions of two scalars, or of two lists of scalars: their
// application to whole arrays, and their recognition. Not public.
#pragma once
#include "core/ir.h"
#include "weft/array.h"
#include "weft/detail/ref.h"
#include "weft/make_jaxpr.h"

namespace weft::fn {

using Body = Function<Arrays(Arrays, Arrays)>;
Body listed(const Function<Array(Array, Array)>& f);
// Applies the function to all elements of arrays of one shape.
Arrays each(const Body& f, const Arrays& a, const Arrays& b);
// Checks that the operands have one shape and that init has a scalar of the dtype of each; converts
// C++ numbers to that dtype. Raises ShapeError or DTypeError, naming the caller.
void check_initial(const char* name, const Arrays& operands, Arrays* init);
// Traces the function. Raises DTypeError, naming the caller, unless it returns scalars of the types
// that it takes.
ClosedJaxpr traced(const char* name, const Body& f, const Arrays& scalars);
// Returns "add", "mul", "max", "min", "and", "or" or "xor" if the function is only that op. The
// initial value must be known to be neutral; otherwise the result is empty.
std::string monoid_of(const ClosedJaxpr& j, const Array& init);

}  // namespace weft::fn
