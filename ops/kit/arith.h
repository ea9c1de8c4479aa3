// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/kit/arith.h: arithmetic functions that have one name for integers (which wrap), floats and
// complex numbers. They work on host values and on loop-nest values.
#pragma once
#include <utility>

#include "core/scalar/number.h"

namespace weft::arith {

template <class R>
inline constexpr bool is_cx = false;
template <class R>
inline constexpr bool is_cx<num::Cx<R>> = true;

template <class R>
R add(R a, R b) {
  if constexpr (is_cx<R>)
    return a + b;
  else
    return num::add(a, b);
}
template <class R>
R sub(R a, R b) {
  if constexpr (is_cx<R>)
    return a - b;
  else
    return num::sub(a, b);
}
template <class R>
R mul(R a, R b) {
  if constexpr (is_cx<R>)
    return a * b;
  else
    return num::mul(a, b);
}
template <class R>
R div(R a, R b) {
  if constexpr (is_cx<R>)
    return a / b;
  else
    return num::div(a, b);
}
template <class R>
R neg(R a) {
  if constexpr (is_cx<R>)
    return -a;
  else
    return num::neg(a);
}
// Complex numbers are compared by their real parts, and then by their imaginary parts.
template <class R>
auto less(R a, R b) {
  if constexpr (is_cx<R>)
    return num::either(a.re < b.re, num::both(a.re == b.re, a.im < b.im));
  else
    return a < b;
}
template <class R>
auto less_equal(R a, R b) {
  if constexpr (is_cx<R>)
    return num::either(a.re < b.re, num::both(a.re == b.re, a.im <= b.im));
  else
    return a <= b;
}
// Returns NaN if an operand is NaN. For Bool, maximum is `or` and minimum is `and`.
template <class R>
R maximum(R a, R b) {
  if constexpr (is_cx<R>)
    return num::select(num::either(num::is_nan(a), num::both(!num::is_nan(b), less(b, a))), a, b);
  else if constexpr (std::same_as<num::scalar_t<R>, bool>)
    return num::bit_or(a, b);
  else
    return num::maximum(a, b);
}
template <class R>
R minimum(R a, R b) {
  if constexpr (is_cx<R>)
    return num::select(num::either(num::is_nan(a), num::both(!num::is_nan(b), less(a, b))), a, b);
  else if constexpr (std::same_as<num::scalar_t<R>, bool>)
    return num::bit_and(a, b);
  else
    return num::minimum(a, b);
}
// The real part. A real number is its own.
template <class R>
auto real_of(const R& x) {
  if constexpr (is_cx<R>)
    return x.re;
  else
    return x;
}
// The conjugate. A real number is its own.
template <class R>
R conj_of(const R& x) {
  if constexpr (is_cx<R>)
    return {x.re, -x.im};
  else
    return x;
}
// The C++ type of the real part.
template <class R>
using real_t = num::scalar_t<decltype(real_of(std::declval<R>()))>;
// Converts v to R.
template <class R>
R constant(double v) {
  return R(static_cast<real_t<R>>(v));
}

// Computes x^n by repeated squaring. The result is 1 for n = 0, for any x, and 1 / x^-n for
// negative n.
template <class R>
R integer_pow(R x, int64_t n) {
  uint64_t left = n < 0 ? 0 - static_cast<uint64_t>(n) : static_cast<uint64_t>(n);
  R power = constant<R>(1);
  for (bool first = true; left; x = mul(x, x)) {
    if (left & 1) {
      power = first ? x : mul(power, x);
      first = false;
    }
    left >>= 1;
    if (left == 0) break;
  }
  return n < 0 ? div(constant<R>(1), power) : power;
}

}  // namespace weft::arith
