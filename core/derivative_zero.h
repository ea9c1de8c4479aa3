// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/derivative_zero.h: literals that are zeros of derivatives. Such a zero is the tangent or
// cotangent of a value that does not depend on an argument. Times any number it is zero, even times
// infinity or NaN (docs/decisions/0075). As a number it is the literal 0.
#pragma once
#include <string_view>

#include "core/ir.h"
#include "weft/detail/literal.h"

namespace weft {

// Its text is "zero:f32[]". A literal of at most 8 bytes has a free second word, which marks it.
inline constexpr std::string_view derivative_zero_text = "zero";
inline bool may_be_derivative_zero(const Type& t) {
  return is_floating(t.dtype()) && !t.weak() && t.ndim() == 0;
}
inline Literal derivative_zero(DType d) { return {d, false, {0, 1}}; }
inline bool is_derivative_zero(const Literal& l) {
  return may_be_derivative_zero(l.type()) && l.bits[0] == 0 && l.bits[1] == 1;
}

}  // namespace weft
