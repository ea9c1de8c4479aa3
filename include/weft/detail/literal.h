// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/detail/literal.h: a scalar constant in a program.
#pragma once
#include <cstdint>

#include "weft/type.h"

namespace weft::ir {

// A scalar constant in the program. Arrays are never literals: they are constants of the program.
struct Literal {
  DType dtype = F32;
  bool weak = false;
  // The element's bytes, zero-extended. If a weak F32 literal keeps a double, bits[1] contains that
  // double (docs/decisions/0010).
  uint64_t bits[2] = {0, 0};
  typing::Type type() const { return typing::Type(dtype, Shape{}, weak); }
  friend bool operator==(const Literal&, const Literal&) = default;
};

}  // namespace weft::ir
