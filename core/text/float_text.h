// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/text/float_text.h: lossless conversion between numbers and text: the decimal digits of every
// number that Weft prints, scalars for programs and messages, and their parser.
#pragma once
#include <string>
#include <string_view>

#include "weft/dtype.h"

namespace weft {

// A finite number: d.ddd * 10^exponent, negated if `negative`. It has no trailing zeros; zero is
// "0".
struct Decimal {
  bool negative = false;
  std::string digits;
  int exponent = 0;
};
// The fewest digits for which x is the nearest value of d (F16, BF16, F32 or F64). Among several
// such decimals, the one nearest to x. x is finite and a value of d.
Decimal shortest_decimal(double x, DType d);
// x rounded to n digits after the first, halves to even. x is finite.
Decimal rounded_decimal(double x, int n);

// The formats of a float.
enum class FloatStyle {
  Python,  // float.__repr__: plain from 1e-4 to 1e16, else "1e-05", "1e+16"
  NumPy,   // str of a NumPy scalar: plain up to 10 to the number of its type's digits
};
// "1.0", "-0.0", "0.1", "1e-05", "nan", "inf": the shortest digits that identify the value in d.
std::string float_text(double x, DType d, FloatStyle style);

// A scalar of any type: "True", "3", "1.0", "(1+2j)", "key(0, 42)". Floats have Python's format
// with the shortest digits that identify the value in its type.
std::string scalar_text(const void* value, DType d);
// The same in NumPy's format, as str(np.float32(x)).
std::string numpy_scalar_text(const void* value, DType d);
// The same after conversion to float64 or complex128. JAX prints the literals of a jaxpr this way:
// 0.1 in F32 is "0.10000000149011612".
std::string literal_text(const void* value, DType d);

// Parses the output of the functions above, and any other decimal text of a value, with a single
// rounding to nearest even. Returns false, and writes nothing, if the text is not a number or is
// outside the range of the type.
bool parse_scalar(std::string_view text, DType d, void* value);

}  // namespace weft
