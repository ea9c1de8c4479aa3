// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/read/small_type.h: element types of fewer than eight bits, and floats of eight
// bits. An array stores their values in one of Weft's dtypes. Each op that computes with them
// converts its results back to values of the type.
#pragma once
#include "interop/stablehlo/read/syntax.h"
#include "weft/array.h"

namespace weft::hlo {

struct SmallType {
  std::string_view name;  // "i4", "f8E4M3FN"
  DType held;             // I8, U8 or F32, which can hold all values
  int bits;
  // For floats. `digits` is the number of mantissa bits after the point, `least` the exponent of
  // the smallest normal number, and `greatest` the largest number. `infinite` is true if infinity
  // follows it, and false if NaN does. `signed_zero` is true if -0 exists. `powers` is true if all
  // numbers are positive powers of two. `finite` is true if all bit patterns are finite numbers.
  // Then conversions saturate at the largest number, and NaN becomes -0.
  int digits = 0, least = 0;
  double greatest = 0;
  bool infinite = false, signed_zero = false, powers = false, finite = false;
};
// Returns null if the element is not such a type.
const SmallType* small_type(std::string_view element);
// The same for the elements of a tensor.
const SmallType* small_type(Typ t);

// Stores the value of these bits as a number of dtype `held`.
void hold(const SmallType& s, uint64_t bits, std::byte* to);
// Rounds x to the nearest value of a float type, ties to even. For types of powers of two, numbers
// that are not positive become NaN.
double nearest(const SmallType& s, double x);

// Converts numbers of dtype `held` to values of the type. Integers wrap around, and floats are
// rounded.
Array brought_back(const SmallType& s, const Array& x);
// Converts numbers of any dtype. Integers wrap around, and floats saturate at the range of integer
// types.
Array converted(const SmallType& s, const Array& x);

// The bits of values, as U8 whose other bits are 0. NaN has one pattern for each sign that the type
// has.
Array bits_of(const SmallType& s, const Array& x);
// The values of the lowest bits of U8 numbers.
Array value_of(const SmallType& s, const Array& bits);

}  // namespace weft::hlo
