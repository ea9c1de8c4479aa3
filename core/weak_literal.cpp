// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/weak_literal.cpp: the bits of a weak F32 literal, and the equations that read them.
#include "core/weak_literal.h"

#include <bit>

#include "core/op.h"

namespace weft {

bool is_weak_number(const Type& t) { return t == Type(F32, Shape{}, true); }

Literal weak_literal(double x) {
  const auto f = static_cast<float>(x);
  Literal l{F32, true, {std::bit_cast<uint32_t>(f), 0}};
  // The form is canonical, so that equal numbers are equal literals: a number that is a float has
  // no double. Zero is a float, so a stored double never has the bits 0. NaNs are not
  // distinguished.
  if (static_cast<double>(f) != x && x == x) l.bits[1] = std::bit_cast<uint64_t>(x);
  return l;
}

bool keeps_double(const Literal& l) { return l.dtype == F32 && l.weak && l.bits[1] != 0; }

double exact_value(const Literal& l) {
  return keeps_double(l)
             ? std::bit_cast<double>(l.bits[1])
             : static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(l.bits[0])));
}

Literal exact_literal(const Literal& l) {
  return keeps_double(l) ? Literal{F64, false, {l.bits[1], 0}} : l;
}

bool reads_double(const Eqn& e) { return e.op && e.params && e.op->reads_weak_f64(e.params); }

Literal operand_literal(const Eqn& e, const Literal& l) {
  if (!keeps_double(l) || reads_double(e)) return l;
  return {F32, true, {l.bits[0], 0}};
}

}  // namespace weft
