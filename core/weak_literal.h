// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/weak_literal.h: literals of weak F32 numbers. Such a literal is a float. If the number was
// written as a double that F32 cannot represent, the literal also keeps that double
// (docs/decisions/0010). tracer/weak_numbers.h has the part that concerns values.
#pragma once
#include "core/ir.h"
#include "weft/detail/jaxpr.h"

namespace weft {

// Returns true if a value of that type may have a double.
bool is_weak_number(const Type& t);
// The weak F32 literal of a number.
Literal weak_literal(double x);
// Returns true if l contains a double in addition to its float.
bool keeps_double(const Literal& l);
// The number as it was written: the double that the weak F32 literal keeps, or else its float.
double exact_value(const Literal& l);
// Returns l. If l keeps a double, returns that double as an F64 literal.
Literal exact_literal(const Literal& l);

// Returns true if the equation reads the double of its operand. Only conversions to types that are
// more precise than F32 do so.
bool reads_double(const Eqn& e);
// The literal l as an operand of the equation: without its double, unless the equation reads that.
Literal operand_literal(const Eqn& e, const Literal& l);

}  // namespace weft
