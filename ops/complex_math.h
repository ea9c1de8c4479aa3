// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/complex_math.h: the complex functions that core/math does not have: inverse functions after
// Kahan ("Branch cuts for complex elementary functions", 1987), and one spelling for both kinds.
#pragma once
#include "weft/core/math.h"
#include "weft/ops/arith.h"

namespace weft::arith {

template <class R>
R sqrt(R x) {
  if constexpr (is_cx<R>)
    return math::sqrt(x);
  else
    return num::sqrt(x);
}
template <class R>
num::Cx<R> times_i(num::Cx<R> z) {
  return {-z.im, z.re};
}
template <class R>
num::Cx<R> over_i(num::Cx<R> z) {
  return {z.im, -z.re};
}

template <class R>
R exp2(R x) {
  if constexpr (is_cx<R>) {
    using P = decltype(x.re);
    const P ln2(static_cast<num::scalar_t<P>>(0.693147180559945309417));
    return math::exp(R(x.re * ln2, x.im * ln2));
  } else {
    return math::exp2(x);
  }
}
template <class R>
R expm1(R z) {
  if constexpr (is_cx<R>) {
    using P = decltype(z.re);
    const P half = math::sin(z.im * P(0.5f)), e = math::exp(z.re);
    return {math::expm1(z.re) * math::cos(z.im) - P(2) * half * half, e * math::sin(z.im)};
  } else {
    return math::expm1(z);
  }
}
template <class R>
R log1p(R z) {
  if constexpr (is_cx<R>) {
    using P = decltype(z.re);
    const P small = math::log1p(num::fma(z.re, z.re + P(2), z.im * z.im)) * P(0.5f);
    const P angle = math::atan2(z.im, P(1) + z.re);
    // Far out squares overflow, and there 1 does not matter.
    const auto near = num::maximum(num::abs(z.re), num::abs(z.im)) < P(0.5f);
    return {num::select(near, small, math::log(R(P(1) + z.re, z.im)).re), angle};
  } else {
    return math::log1p(z);
  }
}

// sqrt(1 - z) and sqrt(1 + z).
template <class R>
R root_minus(R z) {
  return math::sqrt(R(decltype(z.re)(1) - z.re, -z.im));
}
template <class R>
R root_plus(R z) {
  return math::sqrt(R(decltype(z.re)(1) + z.re, z.im));
}

template <class R>
R asin(R z) {
  if constexpr (is_cx<R>) {
    const R a = root_minus(z), b = root_plus(z);
    return {math::atan2(z.re, a.re * b.re - a.im * b.im), math::asinh(a.re * b.im - a.im * b.re)};
  } else {
    return math::asin(z);
  }
}
template <class R>
R acos(R z) {
  if constexpr (is_cx<R>) {
    using P = decltype(z.re);
    const R a = root_minus(z), b = root_plus(z);
    return {P(2) * math::atan2(a.re, b.re), math::asinh(b.re * a.im - b.im * a.re)};
  } else {
    return math::acos(z);
  }
}
template <class R>
R asinh(R z) {
  if constexpr (is_cx<R>)
    return over_i(asin(times_i(z)));
  else
    return math::asinh(z);
}
template <class R>
R acosh(R z) {
  if constexpr (is_cx<R>) {
    using P = decltype(z.re);
    const R a = math::sqrt(R(z.re - P(1), z.im)), b = math::sqrt(R(z.re + P(1), z.im));
    return {math::asinh(a.re * b.re + a.im * b.im), P(2) * math::atan2(a.im, b.re)};
  } else {
    return math::acosh(z);
  }
}
template <class R>
R atanh(R z) {
  if constexpr (is_cx<R>) {
    using P = decltype(z.re);
    const R d = log1p(z) - log1p(R(-z.re, -z.im));
    return {P(0.5f) * d.re, P(0.5f) * d.im};
  } else {
    return math::atanh(z);
  }
}
template <class R>
R atan(R z) {
  if constexpr (is_cx<R>)
    return over_i(atanh(times_i(z)));
  else
    return math::atan(z);
}

}  // namespace weft::arith
