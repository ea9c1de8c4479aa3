// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/body.h: functions of two scalars, or of two lists of them, that join elements: on whole
// arrays, and what they are. Not public.
#pragma once
#include "weft/core/ir.h"
#include "weft/core/ref.h"
#include "weft/tracer/array.h"
#include "weft/tracer/make_jaxpr.h"

namespace weft::fn {

using Body = Function<Arrays(Arrays, Arrays)>;
Body listed(const Function<Array(Array, Array)>& f);
// The function on all elements of arrays of one shape.
Arrays each(const Body& f, const Arrays& a, const Arrays& b);
// Operands of one shape, and a scalar of its dtype for each; numbers of C++ become that.
// ShapeError, DTypeError in the name of the caller.
void check_initial(const char* name, const Arrays& operands, Arrays* init);
// What the function does. DTypeError in the name of the caller unless it gives scalars of the types
// that it takes.
ClosedJaxpr traced(const char* name, const Body& f, const Arrays& scalars);
// "add", "mul", "max", "min", "and", "or" or "xor" if the function is that alone and the initial
// value, known now, has no part in it; else empty.
std::string monoid_of(const ClosedJaxpr& j, const Array& init);

}  // namespace weft::fn
