// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/index/order_words.cpp: unsigned numbers with the order of the elements.
#include "ops/index/order_words.h"

#include "ops/kit/kit.h"
#include "weft/lax/compare.h"
#include "weft/lax/convert.h"
#include "weft/lax/rounding.h"

namespace weft::order {
namespace {

using namespace lax;

DType word_of(DType d) {
  switch (itemsize(d)) {
    case 1: return U8;
    case 2: return U16;
    case 4: return U32;
    default: return U64;
  }
}
Array bits_of(const Array& x) {
  return is_bool(x.dtype()) ? convert_element_type(x, U8)
                            : bitcast_convert_type(x, word_of(x.dtype()));
}
// sign_of: the word with only the sign bit. last_of: the largest word.
Array sign_of(const Array& bits) {
  return shift_left(like(bits, 1), like(bits, 8 * itemsize(bits.dtype()) - 1));
}
Array last_of(const Array& bits) { return broadcast_like(bitwise_not(like(bits, 0)), bits.type()); }

// Negative floats have all bits flipped, other numbers only the sign bit.
Array ordered(const Array& bits, DType of) {
  const Array sign = sign_of(bits);
  if (is_inexact(of)) return select(ge(bits, sign), bitwise_not(bits), bitwise_or(bits, sign));
  return is_bool(of) || is_unsigned(of) ? bits : bitwise_xor(bits, sign);
}

Array value_word(const Array& x) {
  const Array bits = bits_of(x);
  if (!is_inexact(x.dtype())) return ordered(bits, x.dtype());
  const Array without_sign = select(eq(bits, sign_of(bits)), base::zeros(bits.type()), bits);
  return select(ne(x, x), last_of(bits), ordered(without_sign, x.dtype()));
}

}  // namespace

Arrays value_words(const Array& key) {
  if (is_complex(key.dtype())) return {value_word(real(key)), value_word(imag(key))};
  return {value_word(key)};
}

Array top_word(const Array& x, bool total_order) {
  const Array bits = bits_of(x), word = ordered(bits, x.dtype());
  return is_inexact(x.dtype()) && !total_order ? select(ne(x, x), last_of(bits), word) : word;
}

}  // namespace weft::order
