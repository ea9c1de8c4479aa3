// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/read/small_type.h: element types of fewer than eight bits, and floats of eight.
// Arrays hold their values as one of our dtypes; what computes with them is brought back to values
// of the type after each op.
#pragma once
#include "weft/interop/stablehlo/read/syntax.h"
#include "weft/tracer/array.h"

namespace weft::hlo {

struct SmallType {
  std::string_view name;  // "i4", "f8E4M3FN"
  DType held;             // I8, U8 or F32, which have all its values
  int bits;
  // Of floats: digits behind the point, the exponent of the least normal number, the greatest
  // number, whether infinity follows it (else NaN), whether there is -0, whether there are positive
  // numbers alone, which are powers of two, and whether all bits are finite numbers: then
  // conversions stop at the greatest, and NaN becomes -0.
  int digits = 0, least = 0;
  double greatest = 0;
  bool infinite = false, signed_zero = false, powers = false, finite = false;
};
// Null if the element is none of them.
const SmallType* small_type(std::string_view element);
// Of a tensor's elements.
const SmallType* small_type(Typ t);

// The value of these bits, as `held`.
void hold(const SmallType& s, uint64_t bits, std::byte* to);
// The nearest value, halves to even, of a type of floats. Powers of two are NaN for what is not
// positive.
double nearest(const SmallType& s, double x);

// Numbers of `held` as values of the type: integers wrap around, floats are rounded.
Array brought_back(const SmallType& s, const Array& x);
// Numbers of any dtype converted: integers wrap around, floats stop at the ends of integer types.
Array converted(const SmallType& s, const Array& x);

// The bits of values, as U8, whose other bits are 0. NaN has one pattern for each sign that the
// type has.
Array bits_of(const SmallType& s, const Array& x);
// The values of the lowest bits of U8.
Array value_of(const SmallType& s, const Array& bits);

}  // namespace weft::hlo
