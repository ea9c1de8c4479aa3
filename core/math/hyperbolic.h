// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/math/hyperbolic.h: hyperbolic functions and their inverses. Own fits; identities are chosen
// so that no difference cancels and nothing overflows before the result does.
#pragma once
#include "weft/core/math/exp_log.h"

namespace weft::math {
namespace detail {

// cosh a and sinh a as sums over e^r = c + s at r = a - n ln 2:
//   cosh a = c (S + 1/S) + s (S - 1/S),  sinh a = c (S - 1/S) + s (S + 1/S),  S = 2^n / 2.
// `up` and `down` are half of S and 1/S, so the sums are half the results; 1/S may flush to 0.
template <Real R> struct Halves {
  R c, s, up, down;
};
template <Real R> Halves<R> hyperbolic_halves(R a) {
  using T = scalar_t<R>;
  using B = scalar_t<uint_of<R>>;
  using I = scalar_t<int_of<R>>;
  a = minimum(a, constant<R>(89.5, 710.5));
  const R shifter = rounder<R>(bias<R> - 2);
  const R t = fma(a, constant<R>(0x1.715476p+0, 0x1.71547652b82fep+0), shifter);
  const R r = reduce(a, t - shifter, ln2_hi<R>(), ln2_lo<R>());
  const uint_of<R> up = bitcast<B>(power_of_two(t));
  const auto mirrored = bitcast<I>(sub(bits<R>(static_cast<B>(2 * bias<R> - 4) << mantissa_bits<R>), up));
  const R z = r * r;
  R c, s;
  if constexpr (single<R>) {
    c = horner(z, 0x1.6d51e2p-10, 0x1.5554e4p-5, 0.5);
    s = horner(z, 0x1.a2dd3p-13, 0x1.110fcp-7, 0x1.555556p-3);
  } else {
    c = horner(z, 0x1.1f8c87cb6cf18p-29, 0x1.27e4cbb9d6fcdp-22, 0x1.a01a01ad9b721p-16, 0x1.6c16c16c14fcdp-10,
               0x1.5555555555558p-5, 0.5);
    s = horner(z, 0x1.af60ccdd9d019p-26, 0x1.71ddf748fa2b2p-19, 0x1.a01a01b03eefep-13, 0x1.111111110f5fdp-7,
               0x1.5555555555559p-3);
  }
  return {fma(z, c, R(1)), fma(r * z, s, r), bitcast<T>(up), bitcast<T>(maximum(mirrored, int_of<R>(I{0})))};
}

// log(1 + x + tail).
template <Real R> R log1p_tail(R x, R tail) { return log1p_sum(x, tail, true); }

}  // namespace detail

template <Real R> R sinh(R x) {
  const auto h = detail::hyperbolic_halves(abs(x));
  const R half = fma(h.c, h.up - h.down, h.s * (h.up + h.down));
  return copysign(half + half, x);
}

template <Real R> R cosh(R x) {
  const auto h = detail::hyperbolic_halves(abs(x));
  const R half = fma(h.s, h.up - h.down, h.c * (h.up + h.down));
  return half + half;
}

// float: an odd rational function on the interval beyond which the result is 1. double: with
// e^2a = 2s (1 + p), (2s - 1 + 2s p) / (2s + 1 + 2s p), whose numerator keeps small a exact.
template <Real R> R tanh(R x) {
  using namespace detail;
  if constexpr (single<R>) {
    const R c = minimum(maximum(x, R(-9.02f)), R(9.02f));
    const R z = c * c;
    const R p = horner(z, -0x1.af70e8p-37, 0x1.07784ep-25, 0x1.d6898ap-16, 0x1.fb4a94p-9, 0x1.18329ep-3, 1.0);
    const R q = horner(z, 0x1.5a4774p-20, 0x1.9d5be2p-12, 0x1.be8448p-6, 0x1.e16ea4p-2, 1.0);
    return c * p / q;
  } else {
    const R a = minimum(abs(x), R(20));
    const auto [p, s] = expm1_parts(a + a, R(0));
    const R top = fma(p, s, s - R(0.5)), bottom = fma(p, s, s + R(0.5));
    return copysign(top / bottom, x);
  }
}

// log(a + sqrt(a^2 + 1)) = log1p(a + a^2 / (1 + sqrt(1 + a^2))), for large a log 2a.
template <Real R> R asinh(R x) {
  using namespace detail;
  const R a = abs(x), one(1);
  const mask_t<R> large = a > constant<R>(0x1p14, 0x1p28);
  const R b = select(large, one, a), square = b * b;
  const R h = square / (one + sqrt(square + one));
  const Sum<R> w = fast_two_sum(b, h);
  // log 2a = ln 2 + log1p(a - 1).
  const R y = log1p_tail(select(large, a - one, w.hi), select(large, R(0), w.lo));
  return select(x == R(0), x, copysign(select(large, y + ln2_hi<R>(), y), x));
}

// log1p(t + sqrt(2t + t^2)) for t = x - 1, for large x log 2x.
template <Real R> R acosh(R x) {
  using namespace detail;
  const R one(1), t = x - one;
  const mask_t<R> large = x > constant<R>(0x1p14, 0x1p28);
  const R b = select(large, one, t);
  const R root = sqrt(fma(b, b, b + b));
  const Sum<R> w = two_sum(b, root);
  const R y = log1p_tail(select(large, t, w.hi), select(large, R(0), w.lo));
  return select(large, y + ln2_hi<R>(), y);
}

// log1p(2a / (1 - a)) / 2, the quotient with its rest.
template <Real R> R atanh(R x) {
  using namespace detail;
  using T = scalar_t<R>;
  const R a = abs(x), one(1);
  const Sum<R> d = fast_two_sum(one, -a);
  const R n = a + a;
  const R w = n / d.hi;
  const R rest = fma(-w, d.lo, fma(-w, d.hi, n)) / d.hi;
  const R y = log1p_tail(w, select(is_finite(rest), rest, R(0))) * R(T(0.5));
  return select(x == R(0), x, copysign(y, x));
}

}  // namespace weft::math
