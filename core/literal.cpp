// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/literal.cpp: weak numbers: a float, and the double from which it was made.
#include "weft/detail/literal.h"

#include <bit>

#include "core/ir.h"

namespace weft {

Literal ir::weak_literal(double x) {
  const auto f = static_cast<float>(x);
  Literal l{F32, true, {std::bit_cast<uint32_t>(f), 0}};
  // The form is canonical, so that equal numbers are equal literals: a number that is a float has
  // no double. Zero is a float, so a stored double never has the bits 0. NaNs are not
  // distinguished.
  if (static_cast<double>(f) != x && x == x) l.bits[1] = std::bit_cast<uint64_t>(x);
  return l;
}

bool ir::is_weak_number(const Type& t) { return t == Type(F32, Shape{}, true); }

bool ir::keeps_double(const Literal& l) { return l.dtype == F32 && l.weak && l.bits[1] != 0; }

double ir::written_number(const Literal& l) {
  return keeps_double(l)
             ? std::bit_cast<double>(l.bits[1])
             : static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(l.bits[0])));
}

Literal ir::rounded(Literal l) {
  if (keeps_double(l)) l.bits[1] = 0;
  return l;
}

Literal ir::as_written(const Literal& l) {
  return {F64, false, {std::bit_cast<uint64_t>(written_number(l)), 0}};
}

}  // namespace weft
