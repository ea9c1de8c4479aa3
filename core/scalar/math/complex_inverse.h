// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/scalar/math/complex_inverse.h: log(1 + z), e^z - 1 and the inverse functions of complex
// numbers, with the branches and signs of zero of C99 annex G. The inverse sines and cosines follow
// Hull, Fairgrieve and Tang ("Implementing the complex arcsine and arccosine functions", 1997).
#pragma once
#include "core/scalar/math/complex.h"

namespace weft::math {
namespace detail {

template <Real R>
Cx<R> times_i(Cx<R> z) {
  return {-z.im, z.re};
}
template <Real R>
Cx<R> over_i(Cx<R> z) {
  return {z.im, -z.re};
}

// Numbers larger than this absorb 1 in a sum, and so do the squares of their inverses. The squares
// of the inverses are still normal.
template <Real R>
R far_out() {
  return constant<R>(0x1p60, 0x1p500);
}

// Two magnitudes as the larger one and their quotient in [0, 1].
template <Real R>
struct Polar {
  R most, ratio;
};
template <Real R>
Polar<R> polar(R x, R y) {
  const R most = maximum(x, y), least = minimum(x, y);
  const mask_t<R> whole = either(most == R(0), least == infinity<R>());
  return {most, select(whole, R(1), least / most)};
}

// asin z = atan2(x, d) + i size and acos z = atan2(d, x) - i size for x = |re|, y = |im|.
template <Real R>
struct Arc {
  R d, size;
};
template <Real R>
Arc<R> arc(R x0, R y0) {
  const R one(1), half(scalar_t<R>(0.5)), zero(0);
  const mask_t<R> far = either(x0 > far_out<R>(), y0 > far_out<R>());
  const R x = select(far, one, x0), y = select(far, one, y0);
  const R above = x + one, gap = abs(x - one), yy = y * y;
  const R r = sqrt(fma(above, above, yy));
  const R s = select(gap == zero, y, sqrt(fma(gap, gap, yy)));  // tiny squares underflow
  const R a = half * (r + s);
  // One square root is of a sum that vanishes only with y, and the other has y as a factor. Their
  // roles for the real and imaginary part swap at x = 1. There they are equal, but 1/m may
  // overflow.
  const mask_t<R> inner = x < one;
  const R q = one / (r + above), m = s + gap, t = one / m;
  const R wide = fma(yy, q, m), slim = half * (q + t);
  const R root = sqrt(wide * (select(inner, x, one) + a) * half);
  const R linear = y * sqrt(slim * (select(inner, one, x) + a));
  const R less_one = select(inner, yy * slim, half * wide);  // a - 1
  const R w = less_one + select(inner, linear, root);
  // For large |z| the result is log 2|z|, computed from |z| / 4 to stay in range.
  const auto p = polar(x0, y0);
  const R length = p.most * R(scalar_t<R>(0.25)) * sqrt(fma(p.ratio, p.ratio, one));
  const R l = log1p(select(far, length, w));
  // Infinite even if the other part is NaN.
  const mask_t<R> endless = either(x0 == infinity<R>(), y0 == infinity<R>());
  return {select(far, y0, select(x > one, linear, root)),
          select(endless, infinity<R>(), select(far, fma(R(3), ln2_hi<R>(), l), l))};
}

}  // namespace detail

template <Real R>
Cx<R> asin(Cx<R> z) {
  const auto a = detail::arc(abs(z.re), abs(z.im));
  return {atan2(z.re, a.d), copysign(a.size, z.im)};
}
template <Real R>
Cx<R> acos(Cx<R> z) {
  const auto a = detail::arc(abs(z.re), abs(z.im));
  return {atan2(a.d, z.re), -copysign(a.size, z.im)};
}
template <Real R>
Cx<R> asinh(Cx<R> z) {
  return detail::over_i(asin(detail::times_i(z)));
}
template <Real R>
Cx<R> acosh(Cx<R> z) {
  const auto a = detail::arc(abs(z.re), abs(z.im));
  return {a.size, copysign(atan2(a.d, z.re), z.im)};
}

// log1p(4x / ((1 - x)^2 + y^2)) / 4 and atan2(2y, (1 - x)(1 + x) - y^2) / 2; for large |z|, the
// real part of 1/z and pi/2.
template <Real R>
Cx<R> atanh(Cx<R> z) {
  using T = scalar_t<R>;
  using namespace detail;
  const R one(1), zero(0), quarter(T(0.25)), half(T(0.5));
  const R x0 = abs(z.re), y0 = abs(z.im);
  const mask_t<R> far = either(x0 > far_out<R>(), y0 > far_out<R>());
  const R x = select(far, one, x0), y = select(far, one, y0);
  const R gap = one - x;
  // At x = 1 the real part is log(2/y)/2. Where y^2 would underflow, 1/y is scaled to be in range
  // before the logarithm.
  const R tiny = one / far_out<R>(), part = constant<R>(0x1p-30, 0x1p-60);
  const mask_t<R> pole = both(gap == zero, y < tiny);
  const auto p = polar(x0, y0);
  const R other = select(x0 == p.most, one, p.ratio);
  const R inverse =
      select(p.most == infinity<R>(), zero, other / fma(p.ratio, p.ratio, one) / p.most);
  const R w = select(pole, part / y, R(4) * select(far, inverse, x / fma(gap, gap, y * y)));
  const R l = log1p(w);
  const R re = select(pole, half * fma(constant<R>(31, 61), ln2_hi<R>(), l), quarter * l);
  const R im = half * atan2(y + y, fma(-y, y, gap * (one + x)));
  // If one part is infinite, the other may be NaN: the result still has one defined part.
  const mask_t<R> undefined = either(is_nan(x0), is_nan(y0)), above = y0 == infinity<R>();
  const mask_t<R> endless = either(x0 == infinity<R>(), above);
  const R real = select(endless, zero, select(undefined, not_a_number<R>(), re));
  const R turn = select(far, half_pi_hi<R>(), im);
  const R angle = select(above, half_pi_hi<R>(), select(undefined, not_a_number<R>(), turn));
  return {copysign(real, z.re), copysign(angle, z.im)};
}
template <Real R>
Cx<R> atan(Cx<R> z) {
  return detail::over_i(atanh(detail::times_i(z)));
}

// log |1 + z| is log1p(|1 + z|^2 - 1) / 2, but near z = -1 and for large z it is the logarithm of
// |1 + z|.
template <Real R>
Cx<R> log1p(Cx<R> z) {
  using T = scalar_t<R>;
  const Cx<R> w(R(1) + z.re, z.im);
  const R square = detail::square_less_one(z.re, z.im);
  const mask_t<R> near = both(square > R(T(-0.7)), maximum(abs(z.re), abs(z.im)) < R(4));
  return {select(near, R(T(0.5)) * log1p(square), detail::log_length(w)), arg(w)};
}

// expm1(re) cos im - 2 sin^2(im/2); where e^re is large, e^z - 1. The real part e^re cos im - 1
// cancels along a curve, so floats compute it in double unless z is tiny.
template <Real R>
Cx<R> expm1(Cx<R> z) {
  const Cx<R> e = exp(z);
  const R s = sin(z.im * R(scalar_t<R>(0.5)));
  R near = fma(R(-2) * s, s, expm1(z.re) * cos(z.im));
  if constexpr (detail::single<R>) {
    const mask_t<R> tiny = maximum(abs(z.re), abs(z.im)) < R(0x1p-16f);
    near = select(tiny, near, detail::exp_cos_plus(z.re, z.im, -1));
  }
  return {select(z.re < detail::constant<R>(64, 2), near, e.re - R(1)), e.im};
}

// 2^re (cos t + i sin t) with t = im ln 2 as a sum of two parts; the second part matters for large
// im. Floats are computed in double.
template <Real R>
Cx<R> exp2(Cx<R> z) {
  if constexpr (detail::single<R>) {
    const auto w = exp2(Cx(convert<double>(z.re), convert<double>(z.im)));
    return {convert<float>(w.re), convert<float>(w.im)};
  } else {
    const R ln2 = detail::ln2_hi<R>(), turn = z.im * ln2;
    const R rest = fma(z.im, detail::ln2_lo<R>(), fma(z.im, ln2, -turn));
    const R c = cos(turn), s = sin(turn), c_rest = cos(rest), s_rest = sin(rest);
    const R half = exp2(z.re * R(scalar_t<R>(0.5)));
    const R im = half * fma(s_rest, c, s * c_rest) * half;
    const Cx<R> finite(half * fma(-s_rest, s, c * c_rest) * half, select(z.im == R(0), z.im, im));
    return select(is_finite(z), finite, exp(Cx<R>(z.re * ln2, turn)));
  }
}

// -i log((x + iy) / sqrt(x^2 + y^2))
template <Real R>
Cx<R> atan2(Cx<R> y, Cx<R> x) {
  return detail::over_i(log((x + detail::times_i(y)) / sqrt(square(x) + square(y))));
}

}  // namespace weft::math
