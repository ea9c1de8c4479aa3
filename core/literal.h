// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/literal.h: a number written into a program. docs/decisions/0010 says what a weak one keeps.
#pragma once
#include <cstdint>

#include "weft/core/type.h"

namespace weft::ir {

// A scalar written into the program. Arrays are never literals (Decided 9).
struct Literal {
  DType dtype = F32;
  bool weak = false;
  // The element's bytes, zero-extended. A weak F32 number that was written as a double which is no
  // float has that double in bits[1].
  uint64_t bits[2] = {0, 0};
  typing::Type type() const { return typing::Type(dtype, Shape{}, weak); }
  friend bool operator==(const Literal&, const Literal&) = default;
};

// Whether a value of that type may have been written as a double.
bool is_weak_number(const typing::Type& t);
// The weak F32 literal of a number.
Literal weak_literal(double x);
// Whether l has a double besides its float.
bool keeps_double(const Literal& l);
// The number that a weak F32 literal was written as.
double written_number(const Literal& l);
// What all ops but conversions see of it: the float alone.
Literal rounded(Literal l);
// The literal that the conversion of a double-keeping one reads: F64.
Literal as_written(const Literal& l);

}  // namespace weft::ir
