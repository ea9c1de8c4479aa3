// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/scalar/number/plain.h: total, exactly defined arithmetic on C++ numbers. It defines the
// meaning of the instructions of core/loops/nest.h, and is the arithmetic of `reference`. Compile
// with -ffp-contract=off.
#pragma once
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace weft::num {

template <class T>
concept Float = std::same_as<T, float> || std::same_as<T, double>;
template <class T>
concept Int = std::integral<T> && !std::same_as<T, bool>;
template <class T>
concept Number = Float<T> || Int<T>;
template <class T>
concept Plain = Number<T> || std::same_as<T, bool>;
template <class T>
concept Bitwise = Int<T> || std::same_as<T, bool>;

template <Int T>
inline constexpr int width_of = static_cast<int>(sizeof(T)) * 8;

namespace detail {
// Unsigned, and at least as wide as int, so that no product is promoted to a signed type.
template <Int T>
using Wrap = std::conditional_t<(sizeof(T) < 4), uint32_t, std::make_unsigned_t<T>>;
template <Int T>
constexpr Wrap<T> wrap(T x) {
  return static_cast<Wrap<T>>(x);
}
template <Float T>
using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
}  // namespace detail

// Arithmetic. Integers wrap; division is total: x/0 is -1 (all ones), MIN/-1 is MIN, x%0 is x,
// MIN%-1 is 0.
template <Number T>
constexpr T add(T a, T b) {
  if constexpr (Float<T>)
    return a + b;
  else
    return static_cast<T>(detail::wrap(a) + detail::wrap(b));
}
template <Number T>
constexpr T sub(T a, T b) {
  if constexpr (Float<T>)
    return a - b;
  else
    return static_cast<T>(detail::wrap(a) - detail::wrap(b));
}
template <Number T>
constexpr T mul(T a, T b) {
  if constexpr (Float<T>)
    return a * b;
  else
    return static_cast<T>(detail::wrap(a) * detail::wrap(b));
}
template <Number T>
constexpr T neg(T a) {
  if constexpr (Float<T>)
    return -a;
  else
    return static_cast<T>(detail::Wrap<T>{0} - detail::wrap(a));
}
template <Number T>
constexpr T div(T a, T b) {
  if constexpr (Float<T>)
    return a / b;
  else if (b == 0)
    return static_cast<T>(-1);
  else if (std::is_signed_v<T> && b == static_cast<T>(-1))
    return neg(a);
  else
    return static_cast<T>(a / b);
}
template <Number T>
T rem(T a, T b) {
  if constexpr (Float<T>)
    return std::fmod(a, b);
  else if (b == 0)
    return a;
  else if (std::is_signed_v<T> && b == static_cast<T>(-1))
    return T{0};
  else
    return static_cast<T>(a % b);
}

template <Float T>
T fma(T a, T b, T c) {
  return std::fma(a, b, c);
}
template <Float T>
T sqrt(T x) {
  return std::sqrt(x);
}
template <Float T>
T floor(T x) {
  return std::floor(x);
}
template <Float T>
T ceil(T x) {
  return std::ceil(x);
}
template <Float T>
T trunc(T x) {
  return std::trunc(x);
}
template <Float T>
T round_even(T x) {
  return std::nearbyint(x);
}  // in the default rounding mode
template <Float T>
bool is_nan(T x) {
  return x != x;
}
template <Float T>
bool is_finite(T x) {
  return std::fabs(x) <= std::numeric_limits<T>::max();
}
template <Number T>
T abs(T x) {
  if constexpr (Float<T>)
    return std::fabs(x);
  else if constexpr (std::is_signed_v<T>)
    return x < 0 ? neg(x) : x;
  else
    return x;
}
// IEEE 754-2019 minimum and maximum: NaN wins, -0 < +0.
template <Number T>
T minimum(T a, T b) {
  if constexpr (Float<T>) {
    if (a != a) return a;
    if (b != b) return b;
    if (a == b) return std::signbit(a) ? a : b;
  }
  return a < b ? a : b;
}
template <Number T>
T maximum(T a, T b) {
  if constexpr (Float<T>) {
    if (a != a) return a;
    if (b != b) return b;
    if (a == b) return std::signbit(a) ? b : a;
  }
  return a < b ? b : a;
}

template <Plain T>
constexpr T select(bool m, T a, T b) {
  return m ? a : b;
}
constexpr bool both(bool a, bool b) { return a && b; }
constexpr bool either(bool a, bool b) { return a || b; }

template <Int T>
constexpr T bit_and(T a, T b) {
  return static_cast<T>(a & b);
}
template <Int T>
constexpr T bit_or(T a, T b) {
  return static_cast<T>(a | b);
}
template <Int T>
constexpr T bit_xor(T a, T b) {
  return static_cast<T>(a ^ b);
}
template <Int T>
constexpr T bit_not(T a) {
  return static_cast<T>(~a);
}
constexpr bool bit_and(bool a, bool b) { return a && b; }
constexpr bool bit_or(bool a, bool b) { return a || b; }
constexpr bool bit_xor(bool a, bool b) { return a != b; }
constexpr bool bit_not(bool a) { return !a; }

// Shifts. A count outside [0, width) gives 0; an arithmetic shift then gives the sign.
template <Int T>
constexpr T shift_left(T x, T n) {
  using U = std::make_unsigned_t<T>;
  return static_cast<U>(n) >= width_of<T> ? T{0}
                                          : static_cast<T>(detail::wrap(x) << static_cast<U>(n));
}
template <Int T>
constexpr T shift_right_logical(T x, T n) {
  using U = std::make_unsigned_t<T>;
  return static_cast<U>(n) >= width_of<T> ? T{0}
                                          : static_cast<T>(static_cast<U>(x) >> static_cast<U>(n));
}
template <Int T>
constexpr T shift_right_arithmetic(T x, T n) {
  using U = std::make_unsigned_t<T>;
  using S = std::make_signed_t<T>;
  const int count = static_cast<U>(n) >= width_of<T> ? width_of<T> - 1 : static_cast<int>(n);
  return static_cast<T>(static_cast<S>(x) >> count);
}
template <Int T>
constexpr T popcount(T x) {
  return static_cast<T>(std::popcount(static_cast<std::make_unsigned_t<T>>(x)));
}
template <Int T>
constexpr T clz(T x) {  // the width for 0
  return static_cast<T>(std::countl_zero(static_cast<std::make_unsigned_t<T>>(x)));
}
// The high half of the product.
template <Int T>
constexpr T mulhi(T a, T b) {
  if constexpr (sizeof(T) < 8) {
    using W = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
    return static_cast<T>((static_cast<W>(a) * static_cast<W>(b)) >> width_of<T>);
  } else {
    __extension__ using S = __int128;
    __extension__ using U = unsigned __int128;
    using W = std::conditional_t<std::is_signed_v<T>, S, U>;
    return static_cast<T>((static_cast<W>(a) * static_cast<W>(b)) >> 64);
  }
}

namespace detail {
template <Int U, Float T>
U saturate(T x) {
  using Lim = std::numeric_limits<U>;
  // 2^digits: one more than the largest value, exact in any float type.
  const T end = static_cast<T>(static_cast<double>(uint64_t{1} << (Lim::digits - 1)) * 2);
  if (x != x) return 0;
  if (x >= end) return Lim::max();
  if (std::is_signed_v<U> ? x < -end : x <= T(-1)) return Lim::min();
  return static_cast<U>(x);
}
}  // namespace detail

// JAX's conversions. Float to int truncates and saturates, and NaN gives 0. Int to int wraps. To
// bool is x != 0. The others round to nearest even.
template <Plain U, Plain T>
U convert(T x) {
  if constexpr (std::same_as<U, bool>)
    return x != T{0};
  else if constexpr (Int<U> && Float<T>)
    return detail::saturate<U>(x);
  else
    return static_cast<U>(x);
}
template <Number U, Number T>
U bitcast(T x) {
  return std::bit_cast<U>(x);
}

// The nearest value (ties to even) that the narrow type can represent; NaN stays NaN.
inline float round_to_bf16(float x) {
  const uint32_t b = std::bit_cast<uint32_t>(x);
  if (x != x) return std::bit_cast<float>((b | 0x00400000u) & 0xffff0000u);
  return std::bit_cast<float>((b + 0x7fffu + ((b >> 16) & 1)) & 0xffff0000u);
}
inline float round_to_f16(float x) {
  const float a = std::fabs(x);
  if (!(a < 65520.0f)) return a == a ? std::copysign(std::numeric_limits<float>::infinity(), x) : x;
  // Adding and subtracting 3/2 * 2^23 units of the last place rounds to that place: 2^-24 for
  // subnormals, else 2^(e-10).
  const int e = a < 0x1p-14f ? -14 : static_cast<int>(std::bit_cast<uint32_t>(a) >> 23) - 127;
  const float big = std::bit_cast<float>(static_cast<uint32_t>(e - 10 + 23 + 127) << 23) * 1.5f;
  return std::copysign((a + big) - big, x);
}

}  // namespace weft::num
