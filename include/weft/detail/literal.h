// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/detail/literal.h: a scalar constant in a program. docs/decisions/0010 explains weak
// numbers.
#pragma once
#include <cstdint>

#include "weft/type.h"

namespace weft::ir {

// A scalar constant in the program. Arrays are never literals: they are constants of the program.
struct Literal {
  DType dtype = F32;
  bool weak = false;
  // The element's bytes, zero-extended. If a weak F32 literal was made from a double that F32
  // cannot represent, bits[1] contains that double.
  uint64_t bits[2] = {0, 0};
  typing::Type type() const { return typing::Type(dtype, Shape{}, weak); }
  friend bool operator==(const Literal&, const Literal&) = default;
};

// Returns true if a value of that type may have been made from a double.
bool is_weak_number(const typing::Type& t);
// The weak F32 literal of a number.
Literal weak_literal(double x);
// Returns true if l contains a double in addition to its float.
bool keeps_double(const Literal& l);
// The number from which a weak F32 literal was made.
double written_number(const Literal& l);
// The literal without its double. All ops but conversions see only the float.
Literal rounded(Literal l);
// The F64 literal that a conversion reads in place of a weak F32 literal.
Literal as_written(const Literal& l);

}  // namespace weft::ir
