// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/scalar/math/integrals.h: erfcx, the integrals of Dawson and Fresnel, of exponential, sine
// and cosine over x, and the dilogarithm. Polynomials in x about 0 and in 1/x beyond
// (integral_tables.h), of the function over what it grows with. Float goes through double, of
// which the error is up to 4 ULP; beside the zeros of cosine_integral it is 1e-15.
#pragma once
#include "weft/core/scalar/math/integral_tables.h"
#include "weft/core/scalar/math/special.h"

namespace weft::math {
namespace detail {

inline constexpr double euler_gamma = 0x1.2788cfc6fb619p-1, half_pi = 0x1.921fb54442d18p+0;

// The polynomial of [lo, hi] at x.
template <Real D, size_t n>
D fit(D x, double lo, double hi, const double (&c)[n]) {
  const D t = fma(x, D(2 / (hi - lo)), D(-(hi + lo) / (hi - lo)));
  D r(c[0]);
  for (size_t k = 1; k < n; ++k) r = fma(r, t, D(c[k]));
  return r;
}

template <Real D>
D erfcx_double(D x) {
  const D one(1), a = abs(x), square = x * x, rest = fma(x, x, -square), inverse = one / a,
                  s = inverse * inverse;
  const ScaledErfc<D> scaled = erfc_scaled(minimum(a, D(27.3)));
  // 1 / (a sqrt(pi)) times the asymptotic series.
  const D far = horner(s, 162.421875, -29.53125, 6.5625, -1.875, 0.75, -0.5, 1.0) * inverse *
                D(0x1.20dd750429b6dp-1);
  const D large = select(a > D(27.3), far, scaled.q + scaled.rest);
  const D e = exp(square), whole = fma(e, rest, e);
  const D small = e * (one - fma(x, erf_small(square), x));
  const D below = select(e == infinity<D>(), e, (whole + whole) - large);
  return select(is_nan(x), x, select(a < D(0.25), small, select(x < D(0), below, large)));
}

template <Real D>
D dawsn_double(D x) {
  const D one(1), a = abs(x), z = x * x, s = one / z;
  // The sum of (-2)^k x^(2k + 1) / (2k + 1)!!.
  const D small = horner(z, -2048.0 / 316234143225, 1024.0 / 13749310575, -512.0 / 654729075,
                         256.0 / 34459425, -128.0 / 2027025, 64.0 / 135135, -32.0 / 10395,
                         16.0 / 945, -8.0 / 105, 4.0 / 15, -2.0 / 3);
  const D near =
      select(a < D(0.5), fma(x * z, small, x), x * fit(z, 0, 9, dawson_near) / fma(D(2), z, one));
  const D bend =
      select(a < D(5), fit(s, 1.0 / 25, 1.0 / 9, dawson_middle), fit(s, 0, 1.0 / 25, dawson_far));
  return select(a < D(3), near, fma(s, bend, one) * D(0.5) / x);
}

// Ei(x): of x < 0 it is -E1(-x).
template <Real D>
D expi_double(D x) {
  const D a = abs(x), y = D(1) / a, logarithm = log(a) + D(euler_gamma);
  // Above 0: near its zero, which is given in two parts, a product with the distance to it.
  const D zero_distance = (a - D(0x1.7d72952b4b5fcp-2)) - D(0x1.e4c986021c6f2p-57);
  const D at_zero = zero_distance * fit(a, 0.25, 0.5, ei_root);
  const D near = fma(a * exp(D(0.5) * a), fit(a, 0, 6, ei_near), logarithm);
  const D grown = select(
      a < D(12), fit(y, 1.0 / 12, 1.0 / 6, ei_6),
      select(a < D(24), fit(y, 1.0 / 24, 1.0 / 12, ei_12),
             select(a < D(48), fit(y, 1.0 / 48, 1.0 / 24, ei_24), fit(y, 0, 1.0 / 48, ei_48))));
  // e^x overflows before e^x / x does.
  const mask_t<D> huge = a > D(700);
  const D e = exp(select(huge, D(0.5) * a, a)), part = e * grown / a;
  const D far = select(a == infinity<D>(), a, select(huge, part * e, part));
  const D above = select(both(a > D(0.25), a < D(0.5)), at_zero, select(a < D(6), near, far));
  // Below 0.
  const D small =
      select(a < D(0.5), fma(-a, fit(a, 0, 0.5, e1_near), logarithm), -fit(a, 0.5, 1, e1_low));
  const D scaled = select(a < D(4), fit(y, 0.25, 1, e1_middle), fit(y, 0, 0.25, e1_far));
  const D below = select(a < D(1), small, -(exp(-a) * scaled / a));
  return select(x < D(0), below, above);
}

// Li2(1 - v) for 1/2 <= v <= 2, u = -log v: the sum of B(k) u^(k + 1) / (k + 1)!.
template <Real D>
D dilogarithm_series(D u) {
  const D z = u * u;
  const D h = horner(z, -0x1.7e168b15d7793p-57, 0x1.04805fdce7819p-51, -0x1.6731c59dbd7dep-46,
                     0x1.f63f1e311ac24p-41, -0x1.658a4b8f16a75p-35, 0x1.04d7f65caf373p-29,
                     -0x1.8a86a49f629d1p-24, 0x1.3d079fb6ef3e3p-18, -0x1.23456789abcdfp-12,
                     0x1.c71c71c71c71cp-6);
  return fma(z, fma(u, h, D(-0.25)), u);
}

template <Real D>
D spence_double(D x) {
  const D sixth_of_pi_squared(0x1.a51a6625307d3p+0);
  const mask_t<D> far = x > D(2), low = x < D(0.5);
  const D l = log(x);
  // Of 1 - y, y the smaller of x and 1/x, where x itself is too far from 1.
  const D u = -select(either(far, low), log1p(-select(far, D(1) / x, x)), l);
  const D s = dilogarithm_series(u);
  const D below = select(x == D(0), sixth_of_pi_squared, fma(l, u, sixth_of_pi_squared) - s);
  const D above =
      select(x == infinity<D>(), -x, fma(l, fma(D(-0.5), l, u), s - sixth_of_pi_squared));
  return select(x < D(0), not_a_number<D>(), select(low, below, select(far, above, s)));
}

// f and g with Si(a) = pi/2 - f cos a - g sin a and Ci(a) = f sin a - g cos a, a >= 4.
template <Real D>
std::array<D, 2> sine_integral_parts(D a) {
  const D y = D(1) / a, s = y * y;
  const mask_t<D> middle = a < D(8);
  return {
      y * select(middle, fit(s, 1.0 / 64, 1.0 / 16, si_f_middle), fit(s, 0, 1.0 / 64, si_f_far)),
      s * select(middle, fit(s, 1.0 / 64, 1.0 / 16, si_g_middle), fit(s, 0, 1.0 / 64, si_g_far))};
}
template <Real D>
D sine_integral_double(D x) {
  const D a = abs(x);
  const D near = x * fit(x * x, 0, 16, si_near);
  const auto [f, g] = sine_integral_parts(a);
  const D turned = select(a == infinity<D>(), D(0), fma(f, cos(a), g * sin(a)));
  return select(a < D(4), near, copysign(D(half_pi) - turned, x));
}
template <Real D>
D cosine_integral_double(D x) {
  const D a = abs(x), square = x * x;
  const D near = fma(square, fit(square, 0, 16, ci_near), log(a) + D(euler_gamma));
  const auto [f, g] = sine_integral_parts(a);
  const D far = select(a == infinity<D>(), D(0), fma(f, sin(a), -(g * cos(a))));
  return select(x == -infinity<D>(), not_a_number<D>(), select(a < D(4), near, far));
}

// x less the nearest multiple of 4.
template <Real D>
D modulo_4(D x) {
  return fma(D(-4), round_even(D(0.25) * x), x);
}
// sin and cos of pi a^2 / 2; a^2 is kept in two parts, each reduced without error.
template <Real D>
std::array<D, 2> quadratic_phase(D a) {
  const D square = a * a, rest = fma(a, a, -square);
  const D u = D(0.5) * modulo_4(modulo_4(square) + modulo_4(rest)), b = abs(u);
  return {sin_pi(select(b > D(0.5), copysign(D(1) - b, u), u)), sin_pi(D(0.5) - b)};
}
// C + i S - (1 + i) / 2 = (f / i - g) e^(i pi a^2 / 2) with the f and g of DLMF 7.2(iv), a >= 3/2.
template <Real D>
D fresnel_double(D x, bool sine) {
  const D a = abs(x), square = x * x, fourth = square * square;
  const D near = sine ? x * square * fit(fourth, 0, 5.0625, fresnel_s_near)
                      : x * fit(fourth, 0, 5.0625, fresnel_c_near);
  // Beyond 1e17 it is 1/2.
  const D b = minimum(a, D(1e17)), y = D(1) / b, s = y * y, t = s * s;
  const mask_t<D> middle = a < D(2.25);
  constexpr double hi = 16.0 / 81, lo = 256.0 / 6561;
  const D f = y * D(0x1.45f306dc9c883p-2) *
              select(middle, fit(t, lo, hi, fresnel_f_middle), fit(t, 0, lo, fresnel_f_far));
  const D g = y * s * D(0x1.9f02f6222c720p-4) *
              select(middle, fit(t, lo, hi, fresnel_g_middle), fit(t, 0, lo, fresnel_g_far));
  const auto [sin_a, cos_a] = quadratic_phase(b);
  const D turned = sine ? fma(f, cos_a, g * sin_a) : fma(-f, sin_a, g * cos_a);
  return select(is_nan(x), x, select(a < D(1.5), near, copysign(D(0.5) - turned, x)));
}

}  // namespace detail

// e^(x^2) erfc(x).
template <Real R>
R erfcx(R x) {
  return detail::through_double(x, [](auto d) { return detail::erfcx_double(d); });
}
// e^(-x^2) times the integral of e^(t^2) from 0 to x.
template <Real R>
R dawsn(R x) {
  return detail::through_double(x, [](auto d) { return detail::dawsn_double(d); });
}
// The integral of e^t / t up to x.
template <Real R>
R expi(R x) {
  return detail::through_double(x, [](auto d) { return detail::expi_double(d); });
}
// The integral of log t / (1 - t) from 1 to x.
template <Real R>
R spence(R x) {
  return detail::through_double(x, [](auto d) { return detail::spence_double(d); });
}
// The integral of sin t / t from 0 to x, and log|x| + gamma + that of (cos t - 1) / t.
template <Real R>
R sine_integral(R x) {
  return detail::through_double(x, [](auto d) { return detail::sine_integral_double(d); });
}
template <Real R>
R cosine_integral(R x) {
  return detail::through_double(x, [](auto d) { return detail::cosine_integral_double(d); });
}
// The integrals of sin and cos of pi t^2 / 2 from 0 to x.
template <Real R>
R fresnel_sin(R x) {
  return detail::through_double(x, [](auto d) { return detail::fresnel_double(d, true); });
}
template <Real R>
R fresnel_cos(R x) {
  return detail::through_double(x, [](auto d) { return detail::fresnel_double(d, false); });
}

}  // namespace weft::math
