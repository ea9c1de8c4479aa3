// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/math/complex.h: elementary functions of complex numbers, from the real ones; principal
// branches, cut along the negative real axis with the sign of zero (C99 annex G).
#pragma once
#include "weft/core/math/hyperbolic.h"
#include "weft/core/math/trig.h"

namespace weft::math {

template <Real R>
R arg(Cx<R> z) {
  return atan2(z.im, z.re);
}

// e^re (cos im + i sin im); the scale comes last, so that a large e^re times a small cosine is
// right.
template <Real R>
Cx<R> exp(Cx<R> z) {
  const auto e = detail::exp_scaled(z.re);
  const R s = select(z.re == detail::infinity<R>(), z.re, e.s);
  const auto times = [&](R part) { return e.p * part * s * s; };
  const mask_t<R> gone = z.re == -detail::infinity<R>();
  const R re = select(gone, R(0), times(cos(z.im)));
  const R im = select(either(gone, z.im == R(0)), copysign(R(0), z.im), times(sin(z.im)));
  return {re, im};
}

namespace detail {
// |z| = length * 4^k without overflow; `half` is 2^k.
template <Real R>
struct Scale {
  R by, half, k;
};
template <Real R>
Scale<R> safe_scale(Cx<R> z) {
  const R x = maximum(abs(z.re), abs(z.im));
  const mask_t<R> over = x > constant<R>(0x1p100, 0x1p1000),
                  under = x < constant<R>(0x1p-100, 0x1p-960);
  const auto pick = [&](R large, R small, R plain) {
    return select(over, large, select(under, small, plain));
  };
  return {pick(R(0.25f), constant<R>(0x1p60, 0x1p100), R(1)),
          pick(R(2), constant<R>(0x1p-30, 0x1p-50), R(1)), pick(R(1), constant<R>(-30, -50), R(0))};
}
template <Real R>
Cx<R> times(Cx<R> z, R by) {
  return {z.re * by, z.im * by};
}
}  // namespace detail

// The real part near |z| = 1 is log1p(|z|^2 - 1) / 2.
template <Real R>
Cx<R> log(Cx<R> z) {
  using T = scalar_t<R>;
  const R a = abs(z.re), b = abs(z.im);
  const R x = maximum(a, b), y = minimum(a, b);
  const R near = log1p(fma(x - R(1), x + R(1), y * y)) * R(T(0.5));
  const auto s = detail::safe_scale(z);
  const R length = fma(s.k, R(2) * detail::ln2_hi<R>(), log(abs(detail::times(z, s.by))));
  return {select(both(x > R(T(0.5)), x < R(2)), near, length), arg(z)};
}

// With t = sqrt((|re| + |z|) / 2): t + i im / 2t, or |im| / 2t +- i t.
template <Real R>
Cx<R> sqrt(Cx<R> z) {
  using T = scalar_t<R>;
  const R half(T(0.5)), inf = detail::infinity<R>();
  const auto scale = detail::safe_scale(z);
  const Cx<R> w = detail::times(z, scale.by);
  const R t = sqrt(fma(abs(w.re), half, abs(w) * half));
  const R other = select(t == R(0), R(0), abs(w.im) * half / t);
  const mask_t<R> right = !(z.re < R(0)), endless = abs(z.im) == inf,
                  level = both(abs(z.re) == inf, !is_nan(z.im));
  const R re = select(right, t, other) * scale.half, im = select(right, other, t) * scale.half;
  return {select(endless, inf, select(both(level, !right), R(0), re)),
          copysign(select(endless, inf, select(level, select(right, R(0), inf), im)), z.im)};
}
template <Real R>
Cx<R> rsqrt(Cx<R> z) {
  return Cx<R>(R(1)) / sqrt(z);
}

template <Real R>
Cx<R> sinh(Cx<R> z) {
  const R s = sinh(z.re) * cos(z.im);
  return {s, select(z.im == R(0), z.im, cosh(z.re) * sin(z.im))};
}
template <Real R>
Cx<R> cosh(Cx<R> z) {
  const R c = cosh(z.re) * cos(z.im);
  return {c, select(either(z.re == R(0), z.im == R(0)), flip_sign(z.im * R(0), z.re),
                    sinh(z.re) * sin(z.im))};
}
template <Real R>
Cx<R> sin(Cx<R> z) {
  const Cx<R> w = sinh(Cx<R>{-z.im, z.re});
  return {w.im, -w.re};
}
template <Real R>
Cx<R> cos(Cx<R> z) {
  return cosh(Cx<R>{-z.im, z.re});
}

// Kahan ("Branch cuts for complex elementary functions", 1987): with t = tan im, s = sinh re,
// b = 1 + t^2, (b s sqrt(1 + s^2) + i t) / (1 + b s^2); far out +-1 and 4 sin cos e^(-2|re|).
template <Real R>
Cx<R> tanh(Cx<R> z) {
  const R a = abs(z.re);
  const mask_t<R> far = a > R(20);
  const R t = tan(z.im), s = sinh(select(far, R(1), z.re));
  const R b = fma(t, t, R(1)), d = fma(b * s, s, R(1));
  const R near_re = b * s * sqrt(fma(s, s, R(1))) / d;
  const R far_im = R(4) * sin(z.im) * cos(z.im) * exp(-(a + a));
  return {select(far, copysign(R(1), z.re), near_re),
          select(far, select(z.im == R(0), z.im, far_im), t / d)};
}
template <Real R>
Cx<R> tan(Cx<R> z) {
  const Cx<R> w = tanh(Cx<R>{-z.im, z.re});
  return {w.im, -w.re};
}

template <Real R>
Cx<R> logistic(Cx<R> z) {
  return Cx<R>(R(1)) / (Cx<R>(R(1)) + exp(-z));
}

// e^(b log a); a^0 is 1 and 0^b is 0.
template <Real R>
Cx<R> pow(Cx<R> a, Cx<R> b) {
  const Cx<R> zero(R(0)), one(R(1));
  return select(b == zero, one, select(a == zero, zero, exp(b * log(a))));
}

// z / |z|, and 0 of 0.
template <Real R>
Cx<R> sign(Cx<R> z) {
  const R a = abs(z);
  const mask_t<R> none = a == R(0);
  const R by = select(none, R(1), a);
  return {select(none, R(0), z.re / by), select(none, R(0), z.im / by)};
}

}  // namespace weft::math
