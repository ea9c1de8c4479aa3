// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/sort_word.h: unsigned words that are ordered like the elements from which they are
// made.
#pragma once
#include <bit>
#include <cstdint>
#include <type_traits>

#include "weft/dtype.h"

namespace weft::sorting {

template <size_t bytes>
using unsigned_t = std::conditional_t<
    bytes == 1, uint8_t,
    std::conditional_t<bytes == 2, uint16_t, std::conditional_t<bytes == 4, uint32_t, uint64_t>>>;
template <class T>
using raw_t = unsigned_t<sizeof(T)>;

template <class T>
inline constexpr bool is_float_v =
    std::is_floating_point_v<T> || std::is_same_v<T, float16_t> || std::is_same_v<T, bfloat16_t>;
template <class T>
inline constexpr bool is_complex_v =
    std::is_same_v<T, complex64_t> || std::is_same_v<T, complex128_t>;

template <class T>
inline constexpr raw_t<T> sign_v = static_cast<raw_t<T>>(raw_t<T>{1} << (8 * sizeof(T) - 1));
template <class T>
inline constexpr raw_t<T> infinity_v =
    static_cast<raw_t<T>>(sizeof(T) == 8                  ? uint64_t{0x7ff} << 52
                          : sizeof(T) == 4                ? uint64_t{0x7f800000}
                          : std::is_same_v<T, bfloat16_t> ? uint64_t{0x7f80}
                                                          : uint64_t{0x7c00});

// Maps the bits of a real T to a word in the total order: -NaN < -inf < … < -0 < 0 < … < inf < NaN.
// NaNs are ordered by their bits.
template <class T>
raw_t<T> total_order(raw_t<T> b) {
  constexpr raw_t<T> sign = sign_v<T>;
  if constexpr (is_float_v<T>)
    // Branch-free, because signs are hard to predict: negative numbers have all bits flipped.
    return static_cast<raw_t<T>>(b ^ ((0 - (b >> (8 * sizeof(T) - 1))) | sign));
  else if constexpr (std::is_signed_v<T>)
    return static_cast<raw_t<T>>(b ^ sign);
  else
    return b;
}
template <class T>
raw_t<T> from_total_order(raw_t<T> k) {
  if constexpr (is_float_v<T>)
    return static_cast<raw_t<T>>(k ^ (((k >> (8 * sizeof(T) - 1)) - 1) | sign_v<T>));
  else
    return total_order<T>(k);
}
// All ones if the bits are those of a NaN of either sign. Branch-free.
template <class T>
raw_t<T> nan_mask(raw_t<T> b) {
  // Without the sign bit both are nonnegative, so a signed comparison suffices; vector instructions
  // have signed comparisons only.
  using Word = raw_t<T>;
  using Signed = std::make_signed_t<Word>;
  const bool is_nan =
      static_cast<Signed>(b & static_cast<Word>(~sign_v<T>)) > static_cast<Signed>(infinity_v<T>);
  return static_cast<Word>(0 - Word{is_nan});
}
// The order of `top_k`: -inf < … < -0 < 0 < … < inf < NaN; all NaNs are equal.
template <class T>
raw_t<T> top_order(raw_t<T> b) {
  if constexpr (is_float_v<T>)
    return static_cast<raw_t<T>>(total_order<T>(b) | nan_mask<T>(b));
  else
    return total_order<T>(b);
}
// The order of `sort`: -inf < … < -0 = 0 < … < inf < NaN; all NaNs are equal.
template <class T>
raw_t<T> value_order(raw_t<T> b) {
  if constexpr (is_float_v<T>) {
    // Branch-free too: -0 becomes 0, and NaN becomes all ones.
    using Word = raw_t<T>;
    const auto not_zero = static_cast<Word>(0 - Word{b != sign_v<T>});
    return static_cast<Word>(total_order<T>(static_cast<Word>(b & not_zero)) | nan_mask<T>(b));
  } else {
    return total_order<T>(b);
  }
}
// Returns true if total_order may order the element differently from `sort`: for -0, and for any
// NaN except the usual positive quiet one.
template <class T>
bool is_ambiguous(raw_t<T> b) {
  if constexpr (is_float_v<T>) {
    constexpr raw_t<T> sign = sign_v<T>, infinity = infinity_v<T>;
    constexpr auto quiet = static_cast<raw_t<T>>(infinity | (infinity & -infinity) >> 1);
    return (b == sign) | ((static_cast<raw_t<T>>(b & ~sign) > infinity) & (b != quiet));
  } else {
    return false;
  }
}

template <class T>
raw_t<T> raw(const T& x) {
  return std::bit_cast<raw_t<T>>(x);
}

// The word of an element of at most 8 bytes in the order of `sort`.
template <class T>
raw_t<T> word(const T& x) {
  if constexpr (std::is_same_v<T, complex64_t>)
    return uint64_t{word(x.re)} << 32 | word(x.im);
  else
    return value_order<T>(raw(x));
}

}  // namespace weft::sorting
