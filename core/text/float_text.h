// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/text/float_text.h: numbers as text and back, without loss: the decimal digits behind every
// number that Weft prints, scalars for programs and messages, and their reader.
#pragma once
#include <string>
#include <string_view>

#include "weft/core/dtype.h"

namespace weft {

// A finite number: d.ddd * 10^exponent, negated if `negative`. No trailing zeros; zero is "0".
struct Decimal {
  bool negative = false;
  std::string digits;
  int exponent = 0;
};
// The fewest digits that no other value of d (F16, BF16, F32 or F64) is nearer to; of those the
// ones nearest to x. x is finite and a value of d.
Decimal shortest_decimal(double x, DType d);
// x rounded to n digits after the first, halves to even. x is finite.
Decimal rounded_decimal(double x, int n);

// The spellings of a float that this library knows.
enum class FloatStyle {
  Python,  // float.__repr__: plain from 1e-4 to 1e16, else "1e-05", "1e+16"
  NumPy,   // str of a NumPy scalar: plain up to 10 to the digits its type has
};
// "1.0", "-0.0", "0.1", "1e-05", "nan", "inf": the shortest digits that d tells apart.
std::string float_text(double x, DType d, FloatStyle style);

// A scalar of any type: "True", "3", "1.0" (Python's spelling of the shortest digits that the type
// tells apart), "(1+2j)", "key(0, 42)".
std::string scalar_text(const void* value, DType d);
// The same in NumPy's spelling, as str(np.float32(x)).
std::string numpy_scalar_text(const void* value, DType d);
// The same, converted to float64 or complex128 first, which is how JAX prints the literals of a
// jaxpr: 0.1 in F32 is "0.10000000149011612".
std::string literal_text(const void* value, DType d);

// Reads what the functions above write, and any other decimal spelling of a value, rounded to
// nearest even once. False, and nothing written, if the text is not a number or is outside the
// range of the type.
bool parse_scalar(std::string_view text, DType d, void* value);

}  // namespace weft
