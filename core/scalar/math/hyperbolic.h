// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/scalar/math/hyperbolic.h: hyperbolic functions and their inverses. The polynomials were
// fitted for Weft. The identities avoid cancellation and intermediate overflow.
#pragma once
#include "core/scalar/math/exp_log.h"

namespace weft::math {
namespace detail {

// cosh a and sinh a as sums over e^r = (1 + c) + s at r = a - n ln 2:
// `cosh a = (1 + c) P + s M`, `sinh a = (1 + c) M + s P`, `P, M = (2^n +- 2^-n) / 2`.
// s = r + bend. `up` and `down` are 2^n / 4 and 2^-n / 4, so the sums are half the results; `down`
// may be flushed to 0.
template <Real R>
struct Halves {
  R c, r, bend, up, down;
};
template <Real R>
Halves<R> hyperbolic_halves(R a) {
  using T = scalar_t<R>;
  using B = scalar_t<uint_of<R>>;
  using I = scalar_t<int_of<R>>;
  a = minimum(a, constant<R>(89.5, 710.5));
  const R shifter = rounder<R>(bias<R> - 2);
  const R t = fma(a, constant<R>(0x1.715476p+0, 0x1.71547652b82fep+0), shifter);
  // r = exact - low; the sum for sinh r starts with the exact part.
  const R n = t - shifter, exact = fma(n, -ln2_hi<R>(), a), low = n * ln2_lo<R>();
  const R r = exact - low;
  const uint_of<R> up = bitcast<B>(power_of_two(t));
  const auto mirrored =
      bitcast<I>(sub(bits<R>(static_cast<B>(2 * bias<R> - 4) << mantissa_bits<R>), up));
  const R z = r * r;
  R c, s;
  if constexpr (single<R>) {
    c = horner(z, 0x1.6d51e2p-10, 0x1.5554e4p-5, 0.5);
    s = horner(z, 0x1.a2dd3p-13, 0x1.110fcp-7, 0x1.555556p-3);
  } else {
    c = horner(z, 0x1.1f8c87cb6cf18p-29, 0x1.27e4cbb9d6fcdp-22, 0x1.a01a01ad9b721p-16,
               0x1.6c16c16c14fcdp-10, 0x1.5555555555558p-5, 0.5);
    s = horner(z, 0x1.af60ccdd9d019p-26, 0x1.71ddf748fa2b2p-19, 0x1.a01a01b03eefep-13,
               0x1.111111110f5fdp-7, 0x1.5555555555559p-3);
  }
  return {z * c, exact, fma(r * z, s, -low), bitcast<T>(up),
          bitcast<T>(maximum(mirrored, int_of<R>(I{0})))};
}

}  // namespace detail

template <Real R>
R sinh(R x) {
  const auto h = detail::hyperbolic_halves(abs(x));
  const R plus = h.up + h.down, minus = h.up - h.down;
  const R half = minus + fma(h.r, plus, fma(h.c, minus, h.bend * plus));
  return select(abs(x) < detail::constant<R>(0x1p-14, 0x1p-30), x, copysign(half + half, x));
}

template <Real R>
R cosh(R x) {
  const auto h = detail::hyperbolic_halves(abs(x));
  const R plus = h.up + h.down, minus = h.up - h.down;
  const R half = h.up + fma(h.r, minus, fma(h.c, plus, fma(h.bend, minus, h.down)));
  return half + half;
}

// An odd polynomial; from 0.55 (float: 0.62) on, 1 - 2 / (e^2a + 1), in which errors matter little
// near 1. There 1 / (e^2a + 1) < 1/2, so a float e^2a needs only one constant for ln 2.
template <Real R>
R tanh(R x) {
  using namespace detail;
  const R a = abs(x), z = a * a;
  R p, q;
  if constexpr (single<R>) {
    p = horner(z, -0x1.78a444p-8, 0x1.52bfc8p-6, -0x1.b85328p-5, 0x1.1107d2p-3, -0x1.555536p-2);
    // From 8.6643 on, 1 is within one ULP of the result. With a = n ln(2) / 2 + r, d = e^2a + 1.
    const R b = select(a > R(8.664339f), R(20), a), shifter = rounder<R>(bias<R>);
    const R t = fma(b, R(0x1.715476p+1f), shifter), s = power_of_two(t);
    const R r = fma(t - shifter, R(-0.5) * ln2_hi<R>(), b);
    const R m = horner(r, 0x1.6b799cp-4, 0x1.12306p-2, 0x1.55567ep-1, 0x1.5554a2p+0, 2.0, 2.0);
    const R d = fma(r * s, m, s + R(1));
    q = (d - R(2)) / d;
  } else {
    p = horner(z, -0x1.46fe61299e09dp-16, 0x1.5d6cf709d31fap-14, -0x1.e96d415ac2f08p-13,
               0x1.348370baae28ep-11, -0x1.7d8fcc58378c5p-10, 0x1.d6d29b08c1361p-9,
               -0x1.226e2f110d863p-7, 0x1.664f485956988p-6, -0x1.ba1ba1b97d17fp-5,
               0x1.1111111110797p-3, -0x1.555555555554fp-2);
    const R b = minimum(a, R(20));
    const auto [m, s] = expm1_parts(b + b, R(0));
    q = R(1) - R(1) / fma(m, s, s + R(0.5));
  }
  return copysign(select(a < constant<R>(0.62, 0.55), fma(a * z, p, a), q), x);
}

// log(a + sqrt(a^2 + 1)) = log1p(a + a^2 / (1 + sqrt(1 + a^2))); for large a it is log 2a.
template <Real R>
R asinh(R x) {
  using namespace detail;
  const R a = abs(x), one(1);
  const mask_t<R> large = a > constant<R>(0x1p14, 0x1p28);
  const R b = select(large, one, a), square = b * b, root = sqrt(square + one);
  const R h = square / (one + root);
  Sum<R> w = fast_two_sum(b, h);
  // A Newton step for h (h + 2) = a^2.
  if constexpr (single<R>) {
    const R twice = h + h, back = fma(h, h, twice), lost = fma(h, h, twice - back);
    w.lo = w.lo + (fma(b, b, -back) - lost) / (root + root);
  }
  const R y =
      log1p_tail(select(large, a - one, w.hi), select(large, R(0), w.lo), select(large, one, R(0)));
  return select(x == R(0), x, copysign(y, x));
}

// log1p(t + sqrt(2t + t^2)) for t = x - 1; for large x it is log 2x.
template <Real R>
R acosh(R x) {
  using namespace detail;
  const R one(1), t = x - one;
  const mask_t<R> large = x > constant<R>(0x1p14, 0x1p28);
  const R b = select(large, one, t);
  const R twice = b + b, square = fma(b, b, twice), root = sqrt(square);
  Sum<R> w = two_sum(b, root);
  // Adds the rounding errors of the square and its root, divided by twice the root. A reciprocal
  // with a relative error of 1/8 is sufficient for that.
  if constexpr (single<R>) {
    const R inverse = bitcast<scalar_t<R>>(sub(bits<R>(0x7e7311c7), bitcast<uint32_t>(root)));
    w.lo = fma(fma(-root, root, square) + fma(b, b, twice - square), inverse, w.lo);
  }
  const R y =
      log1p_tail(select(large, t, w.hi), select(large, R(0), w.lo), select(large, one, R(0)));
  return select(x < one, not_a_number<R>(), y);
}

// log1p(2a / (1 - a)) / 2; the rounding error of the quotient is included.
template <Real R>
R atanh(R x) {
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
