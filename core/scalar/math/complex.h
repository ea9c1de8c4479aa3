// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/scalar/math/complex.h: elementary functions of complex numbers, from the real ones. They
// return principal values; the branch cut is the negative real axis, where the sign of zero selects
// the side (C99 annex G).
#pragma once
#include "core/scalar/math/hyperbolic.h"
#include "core/scalar/math/pow.h"
#include "core/scalar/math/trig.h"
#include "core/scalar/math/two_parts.h"

namespace weft::math {

template <Real R>
R arg(Cx<R> z) {
  return atan2(z.im, z.re);
}

namespace detail {
// e^x times factors of at most 1. The product is computed correctly if it is in range, even if e^x
// is not. Powers of two are multiplied first, so that subnormal parts keep their digits.
template <Real R>
struct Growth {
  R p, s, up;
  R times(R part) const { return part * up * s * p * s * up; }
};
template <Real R>
Growth<R> growth(R x) {
  const mask_t<R> large = x > constant<R>(88, 709);
  const R up = select(large, constant<R>(0x1p64, 0x1p512), R(1));
  const R shifter = rounder<R>(bias<R>) - select(large, constant<R>(64, 512), R(0));
  x = minimum(maximum(x, constant<R>(-104, -746)), constant<R>(250, 1700));
  const R whole = rounder<R>(), t = fma(x, constant<R>(0x1.715476p-1, 0x1.71547652b82fep-1), whole);
  const R n = t - whole;
  return {exp_poly(reduce(x, n, R(2) * ln2_hi<R>(), R(2) * ln2_lo<R>())), power_of_two(n + shifter),
          up};
}
}  // namespace detail

// e^re (cos im + i sin im). With an infinite im the result is NaN, also for re = -inf, as
// StableHLO's tests require. For re = -inf and a NaN im the result is 0, as in C. The zeros of
// e^-inf have the signs of the cosine and the sine.
template <Real R>
Cx<R> exp(Cx<R> z) {
  const auto e = detail::growth(z.re);
  const mask_t<R> angle = either(is_finite(z.im), is_nan(z.im));
  const mask_t<R> gone = both(z.re == -detail::infinity<R>(), angle);
  const R c = cos(z.im), s = sin(z.im);
  const auto zero = [&](R part) { return copysign(R(0), select(is_nan(part), R(0), part)); };
  return {select(gone, zero(c), e.times(c)),
          select(either(gone, z.im == R(0)), zero(s), e.times(s))};
}

namespace detail {
// A scale such that squares of z times `by` are in range: |z| = |z by| * 4^k; `half` is 2^k.
template <Real R>
struct Scale {
  R by, half, k;
};
template <Real R>
Scale<R> safe_scale(Cx<R> z) {
  const R x = maximum(abs(z.re), abs(z.im));
  const mask_t<R> over = x > constant<R>(0x1p60, 0x1p500),
                  under = x < constant<R>(0x1p-60, 0x1p-500);
  const auto pick = [&](R large, R small, R plain) {
    return select(over, large, select(under, small, plain));
  };
  return {pick(constant<R>(0x1p-70, 0x1p-600), constant<R>(0x1p90, 0x1p600), R(1)),
          pick(constant<R>(0x1p35, 0x1p300), constant<R>(0x1p-45, 0x1p-300), R(1)),
          pick(constant<R>(35, 300), constant<R>(-45, -300), R(0))};
}
template <Real R>
Cx<R> times(Cx<R> z, R by) {
  return {z.re * by, z.im * by};
}
// The absolute value of a scaled number.
template <Real R>
R plain_length(Cx<R> z) {
  return sqrt(fma(z.re, z.re, z.im * z.im));
}
template <Real R>
R log_length(Cx<R> z) {
  const auto s = safe_scale(z);
  const R l = fma(s.k, R(2) * ln2_hi<R>(), log(plain_length(times(z, s.by))));
  const mask_t<R> endless = either(abs(z.re) == infinity<R>(), abs(z.im) == infinity<R>());
  return select(endless, infinity<R>(), l);
}
// (1 + d)^2 + y^2 - 1, accurate also if the result is small.
template <Real R>
R square_less_one(R d, R y) {
  const R p = d * d, q = y * y;
  const Sum<R> a = two_sum(d + d, p), b = two_sum(a.hi, q);
  return b.hi + (b.lo + (a.lo + (fma(d, d, -p) + fma(y, y, -q))));
}
}  // namespace detail

// Near |z| = 1 the real part is log1p(|z|^2 - 1) / 2.
template <Real R>
Cx<R> log(Cx<R> z) {
  using T = scalar_t<R>;
  const R a = abs(z.re), b = abs(z.im);
  const R x = maximum(a, b), y = minimum(a, b);
  const R near = log1p(detail::square_less_one(x - R(1), y)) * R(T(0.5));
  return {select(both(x > R(T(0.5)), x < R(2)), near, detail::log_length(z)), arg(z)};
}

// With t = sqrt((|re| + |z|) / 2): t + i im / 2t, or |im| / 2t +- i t.
template <Real R>
Cx<R> sqrt(Cx<R> z) {
  using T = scalar_t<R>;
  const R half(T(0.5)), inf = detail::infinity<R>();
  const auto scale = detail::safe_scale(z);
  const Cx<R> w = detail::times(z, scale.by);
  const R t = sqrt(fma(abs(w.re), half, detail::plain_length(w) * half)) * scale.half;
  const R other = select(t == R(0), R(0), abs(z.im) / (t + t));
  const mask_t<R> right = !(z.re < R(0)), endless = abs(z.im) == inf,
                  level = both(abs(z.re) == inf, !is_nan(z.im));
  const R re = select(right, t, other), im = select(right, other, t);
  return {select(endless, inf, select(level, select(right, inf, R(0)), re)),
          copysign(select(endless, inf, select(level, select(right, R(0), inf), im)), z.im)};
}
template <Real R>
Cx<R> rsqrt(Cx<R> z) {
  return Cx<R>(R(1)) / sqrt(z);
}

// (re - im)(re + im) + 2i re im avoids squares, which may overflow or cancel.
template <Real R>
Cx<R> square(Cx<R> z) {
  const mask_t<R> even = both(abs(z.re) == abs(z.im), is_finite(z.re));
  const R p = z.re * z.im;
  return {select(even, R(0), (z.re - z.im) * (z.re + z.im)), p + p};
}

namespace detail {
// cosh x c and sinh x s. For |x| above 20, both functions are e^|x| / 2 times the part.
template <Real R>
Cx<R> hyperbolic_times(R x, R c, R s) {
  const mask_t<R> large = abs(x) > R(20);
  auto g = growth(abs(x));
  g.p = g.p * R(scalar_t<R>(0.5));
  const R near = select(large, R(0), x);
  return {select(large, g.times(c), cosh(near) * c),
          select(large, flip_sign(g.times(s), x), sinh(near) * s)};
}
}  // namespace detail

template <Real R>
Cx<R> sinh(Cx<R> z) {
  const Cx<R> p = detail::hyperbolic_times(z.re, sin(z.im), cos(z.im));
  return {p.im, select(z.im == R(0), z.im, p.re)};
}
template <Real R>
Cx<R> cosh(Cx<R> z) {
  const Cx<R> p = detail::hyperbolic_times(z.re, cos(z.im), sin(z.im));
  return {p.re, select(z.im == R(0), flip_sign(z.im, z.re), p.im)};
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

// Kahan ("Branch cuts for complex elementary functions", 1987). With t = tan im, s = sinh re and b
// = 1 + t^2 the result is (b s sqrt(1 + s^2) + i t) / (1 + b s^2). For large |re| it is +-1 and 4
// sin cos e^(-2|re|). An infinite im has a defined result only if re is +-inf.
template <Real R>
Cx<R> tanh(Cx<R> z) {
  const R a = abs(z.re);
  const mask_t<R> far = a > R(20), endless = a == detail::infinity<R>(), turns = is_finite(z.im);
  // In these cases the imaginary part is a zero with the sign of z.im.
  const mask_t<R> level = either(z.im == R(0), both(endless, !turns));
  const R t = tan(z.im), s = sinh(select(far, R(1), z.re));
  const R b = fma(t, t, R(1)), d = fma(b * s, s, R(1));
  const R near_re = b * s * sqrt(fma(s, s, R(1))) / d;
  const R far_im = R(4) * sin(z.im) * cos(z.im) * exp(-(a + a));
  const R one = select(either(endless, turns), R(1), detail::not_a_number<R>());
  return {select(far, copysign(one, z.re), near_re),
          select(level, copysign(R(0), z.im), select(far, far_im, t / d))};
}
template <Real R>
Cx<R> tan(Cx<R> z) {
  const Cx<R> w = tanh(Cx<R>{-z.im, z.re});
  return {w.im, -w.re};
}

namespace detail {
// e^x cos y + c, which may cancel; floats are therefore computed in double.
template <Real R>
R exp_cos_plus(R x, R y, double c) {
  if constexpr (single<R>) {
    const auto a = convert<double>(x), b = convert<double>(y);
    using D = std::remove_const_t<decltype(a)>;
    return convert<float>(fma(exp(D(a)), cos(D(b)), D(c)));
  } else {
    return fma(exp(x), cos(y), R(c));
  }
}
template <Real R>
R exp_plus_cos(R x, R y) {
  if constexpr (single<R>) {
    const auto a = convert<double>(x), b = convert<double>(y);
    using D = std::remove_const_t<decltype(a)>;
    return convert<float>(exp(D(a)) + cos(D(b)));
  } else {
    return exp(x) + cos(y);
  }
}
}  // namespace detail

// Where 1 + e^-z may cancel, the result is computed by parts as (e^z + 1) / |e^(z/2) + e^(-z/2)|^2.
// The denominator equals 4 (sinh^2(re/2) + cos^2(im/2)). The sum e^re + cos im in the numerator
// cancels along a curve. Near the poles at +-i pi it is computed from small terms; elsewhere floats
// use a sum in double.
template <Real R>
Cx<R> logistic(Cx<R> z) {
  using namespace detail;
  const R half(scalar_t<R>(0.5)), two(2), s = sinh(z.re * half), c = cos(z.im * half);
  const R square = (s * s + c * c) * R(4);
  const mask_t<R> apart = single<R> ? square > constant<R>(0x1p-20, 0) : z.re < -half;
  const R sum = select(apart, exp_plus_cos(z.re, z.im), expm1(z.re) + two * c * c);
  const Cx<R> near{sum / square, sin(z.im) / square};
  const mask_t<R> here = both(abs(z.re) < R(8), both(is_finite(z.im), square > R(0)));
  // For negative re, e^z / (1 + e^z), in which nothing overflows.
  const mask_t<R> left = z.re < R(0);
  const Cx<R> one(R(1)), e = exp(select(left, z, -z));
  return select(here, near, select(left, e, one) / (one + e));
}

namespace detail {
// log |z| as a sum of two parts, for nonzero z; double only.
template <Real R>
Sum<R> log_length_in_two(Cx<R> z) {
  const auto s = safe_scale(z);
  const Cx<R> w = times(z, s.by);
  const Sum<R> square = plus(two_product(w.re, w.re), two_product(w.im, w.im));
  const Sum<R> l = log_sum(normal_parts(square.hi)), half{l.hi * R(0.5), l.lo * R(0.5)};
  const Sum<R> r = plus(times(Sum<R>{R(2) * ln2_hi<R>(), R(2) * ln2_lo<R>()}, s.k),
                        plus(half, R(0.5) * square.lo / square.hi));
  const mask_t<R> endless = either(abs(z.re) == infinity<R>(), abs(z.im) == infinity<R>());
  const mask_t<R> sound = is_finite(square.hi);
  return {select(sound, r.hi, select(endless, infinity<R>(), square.hi)),
          select(sound, r.lo, R(0))};
}
// b l for the logarithm l of a base. For a real exponent the products with its zero imaginary part
// are omitted, because with an infinite logarithm they would be NaN.
template <Real R>
Cx<R> power_times(Cx<R> b, Cx<R> l) {
  const mask_t<R> real = b.im == R(0);
  const Cx<R> p = b * l;
  return {select(real, b.re * l.re, p.re), select(real, b.re * l.im, p.im)};
}
// e^(z + lost), where `lost` is the small rounding error of z.
template <Real R>
Cx<R> exp_of_rounded(Cx<R> z, Cx<R> lost) {
  const Cx<R> w = math::exp(z);
  const R re = fma(w.re, lost.re, fma(-w.im, lost.im, w.re)),
          im = fma(w.im, lost.re, fma(w.re, lost.im, w.im));
  return {select(is_finite(re), re, w.re), select(is_finite(im), im, w.im)};
}
}  // namespace detail

// e^(b log a). a^0 is 1. 0^b is 0 for b > 0, else NaN. A large b log a would lose as many digits as
// its magnitude has. So doubles keep its rounding error, and floats are computed in double.
template <Real R>
Cx<R> pow(Cx<R> a, Cx<R> b) {
  using namespace detail;
  const Cx<R> zero(R(0)), one(R(1));
  const R of_zero = select(both(b.im == R(0), R(0) < b.re), R(0), not_a_number<R>());
  const Cx<R> power_of_zero{of_zero, of_zero};
  if constexpr (single<R>) {
    const Cx x(convert<double>(a.re), convert<double>(a.im)),
        y(convert<double>(b.re), convert<double>(b.im));
    const auto w = exp(power_times(y, log(x)));
    return select(
        b == zero, one,
        select(a == zero, power_of_zero, Cx<R>{convert<float>(w.re), convert<float>(w.im)}));
  } else {
    const Sum<R> size = log_length_in_two(a);
    const R angle = arg(a);
    const Cx<R> power = power_times(b, Cx<R>{size.hi, angle});
    const Sum<R> re = plus(times(size, b.re), minus(two_product(angle, b.im))),
                 im = plus(times(size, b.im), two_product(angle, b.re));
    const Cx<R> w = exp_of_rounded(power, {(re.hi - power.re) + re.lo, (im.hi - power.im) + im.lo});
    return select(b == zero, one, select(a == zero, power_of_zero, w));
  }
}

// z / |z|; 0 for z = 0.
template <Real R>
Cx<R> sign(Cx<R> z) {
  const R a = abs(z);
  const mask_t<R> none = a == R(0);
  const R by = select(none, R(1), a);
  return {select(none, R(0), z.re / by), select(none, R(0), z.im / by)};
}

}  // namespace weft::math
