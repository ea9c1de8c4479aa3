// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/scalar/math/integrals.h: erfcx, the integrals of Dawson and Fresnel, the exponential, sine
// and cosine integrals, and the dilogarithm. They use polynomials in x near 0 and in 1/x beyond
// (integral_tables.h), which approximate the function divided by its leading behaviour. The last
// steps include their rounding errors (two_parts.h). Float is computed in double. Beyond 4, the
// error of cosine_integral is relative to 1/x.
#pragma once
#include "core/scalar/math/integral_tables.h"
#include "core/scalar/math/special.h"

namespace weft::math {
namespace detail {

inline constexpr double euler_gamma = 0x1.2788cfc6fb619p-1, half_pi = 0x1.921fb54442d18p+0;

template <Real D>
D erfcx_double(D x) {
  const D one(1), a = abs(x), square = a * a, rest = fma(a, a, -square);
  // For large arguments: 1 / sqrt(pi) times the asymptotic series, divided by a.
  const D inverse = one / a, s = inverse * inverse, root(0x1.20dd750429b6dp-1);
  const D bend = s * horner(s, 162.421875, -29.53125, 6.5625, -1.875, 0.75, -0.5);
  const D far = fma(bend, root, root) / a;
  const ScaledErfc<D> scaled = erfc_scaled(minimum(a, D(27.3)));
  const D large = select(a > D(27.3), far, scaled.q + scaled.rest);
  // For x < 0 the result is 2 e^(x^2) - large. Near 0, where it is below 2, it is e^(x^2) (1 - erf
  // x).
  const mask_t<D> near = a < D(0.25);
  const D w = minimum(square, D(760));
  const auto e = exp_in_two(w, select(w == square, rest, D(0)), rounder<D>(bias<D> - 100));
  const D s2 = D(2) * e.s, e_small = D(0x1p-100);
  const D below = fma(s2, e.m.hi, fma(s2, e.m.lo, -(large * e_small))) * D(0x1p100);
  const D erf = fma(x, erf_small(square), x), p = (e.m.hi - one) + e.m.lo;
  const D small = one + (p - fma(p, erf, erf));
  return select(is_nan(x), x, select(near, small, select(x < D(0), below, large)));
}

template <Real D>
D dawsn_double(D x) {
  const D one(1), a = abs(x), z = x * x, s = one / z;
  // The sum of (-2)^k x^(2k + 1) / (2k + 1)!!.
  const D small = horner(z, -2048.0 / 316234143225, 1024.0 / 13749310575, -512.0 / 654729075,
                         256.0 / 34459425, -128.0 / 2027025, 64.0 / 135135, -32.0 / 10395,
                         16.0 / 945, -8.0 / 105, 4.0 / 15, -2.0 / 3);
  const D near = select(a < D(1.5), fit(a, 0.5, 1.5, dawson_low), fit(a, 1.5, 3, dawson_near));
  const D bend =
      select(a < D(5), fit(s, 1.0 / 25, 1.0 / 9, dawson_middle), fit(s, 0, 1.0 / 25, dawson_far));
  const D far = fma(s, bend, one) * D(0.5) / x;
  return select(a < D(0.5), fma(x * z, small, x), select(a < D(3), copysign(near, x), far));
}

inline constexpr double euler_gamma_rest = -0x1.6cb90701fbfabp-58;
template <Real D>
Sum<D> log_and_gamma(D a) {
  return plus(log_in_two(a), Sum<D>{D(euler_gamma), D(euler_gamma_rest)});
}

// Ei(x); for x < 0 it is -E1(-x).
template <Real D>
D expi_double(D x) {
  const D a = abs(x), y = D(1) / a;
  const mask_t<D> negative = x < D(0), low = a < D(6);
  // Near its zero, which is stored as two parts, it is a product with the distance to the zero.
  const D root = fit(a, 0.25, 0.5, ei_root);
  const D at_zero = fma(a - D(0x1.7d72952b4b5fcp-2), root, root * D(-0x1.e4c986021c6f2p-57));
  // The factors of the exponential. For 0 < x < 6 the exponential is that of a/2; otherwise it is
  // that of x.
  const auto near_fit = fit_sum(a, 0, 6, ei_near, 0x1.bed932daad963p-55);
  const auto fit_6 = fit_sum(y, 1.0 / 12, 1.0 / 6, ei_6, -0x1.7189f017ce196p-54);
  const auto fit_12 = fit_sum(y, 1.0 / 24, 1.0 / 12, ei_12, 0x1.9fadac21e2afcp-56);
  const auto fit_24 = fit_sum(y, 1.0 / 48, 1.0 / 24, ei_24, 0x1.527c8ac55246p-54);
  const auto fit_48 = fit_sum(y, 0, 1.0 / 48, ei_48, 0x1.dd67757606793p-55);
  const auto above = choose(a < D(24), choose(a < D(12), choose(low, near_fit, fit_6), fit_12),
                            choose(a < D(48), fit_24, fit_48));
  const auto below = choose(a < D(4), fit_sum(y, 0.25, 1, e1_middle, -0x1.dc79319e05645p-55),
                            fit_sum(y, 0, 0.25, e1_far, 0x1.dbf0e314dd4e6p-55));
  // e^x may overflow although e^x / x does not, and e^-a / a may be subnormal.
  const D shifter = select(negative, rounder<D>(bias<D> + 500), rounder<D>(bias<D> - 100));
  const D scale = select(negative, D(-0x1p-500), D(0x1p100));
  const D power = minimum(maximum(select(both(low, !negative), D(0.5) * a, x), D(-746)), D(760));
  const auto e = exp_in_two(power, D(0), shifter);
  const Sum<D> grown = times(e.m, choose(negative, below, above));
  const Sum<D> over = quotient(grown, a, y);
  const D far = select(a > D(760), select(negative, D(-0.0), infinity<D>()),
                       (over.hi + over.lo) * e.s * scale);
  // The sum of the logarithm and a product.
  const Sum<D> l = log_and_gamma(a);
  const D small = fit(a, 0, 0.5, e1_near);
  const Sum<D> product =
      choose(negative, two_product(-a, small), times(grown, a * (e.s * D(0x1p100))));
  const D near = select(a == D(0), -infinity<D>(), total(plus(l, product)));
  const D up = select(both(a > D(0.25), a < D(0.5)), at_zero, select(low, near, far));
  const D down = select(a < D(0.5), near, select(a < D(1), -fit(a, 0.5, 1, e1_low), far));
  return select(negative, down, up);
}

// Li2(1 - v) for 1/2 <= v <= 2, u = -log v: the sum of B(k) u^(k + 1) / (k + 1)!.
template <Real D>
Sum<D> dilogarithm_series(Sum<D> v) {
  const D u = v.hi, z = u * u;
  const D h = horner(z, -0x1.7e168b15d7793p-57, 0x1.04805fdce7819p-51, -0x1.6731c59dbd7dep-46,
                     0x1.f63f1e311ac24p-41, -0x1.658a4b8f16a75p-35, 0x1.04d7f65caf373p-29,
                     -0x1.8a86a49f629d1p-24, 0x1.3d079fb6ef3e3p-18, -0x1.23456789abcdfp-12,
                     0x1.c71c71c71c71cp-6);
  const Sum<D> s = fast_two_sum(u, z * fma(u, h, D(-0.25)));
  // The derivative of the series is approximately 1 - u/2.
  return {s.hi, fma(v.lo, fma(u, D(-0.5), D(1)), s.lo)};
}

// Near 1, the series in -log x. From 2 on, the series in log(1 - 1/x) = -log1p(1 / (x - 1)); below
// 1/2, the series in log(1 - x). There the terms of the inversion and reflection formulas are
// added.
template <Real D>
D spence_double(D x) {
  const Sum<D> sixth_of_pi_squared{D(0x1.a51a6625307d3p+0), D(0x1.1873d8912200cp-55)};
  const mask_t<D> far = x > D(2), low = x < D(0.5);
  const Sum<D> l = log_in_two(x);
  const D b = x - D(1), inverse = D(1) / b, lost = fma(-inverse, b, D(1)) * inverse;
  const D v = log1p_tail(select(far, inverse, -x), select(far, lost, D(0)));
  const D u = select(far, v, -v);
  const Sum<D> s = dilogarithm_series(choose(either(far, low), Sum<D>{u, D(0)}, minus(l)));
  // w is u, or u - log x / 2, and is multiplied by log x.
  const Sum<D> w = two_sum(select(far, D(-0.5) * l.hi, D(0)), u);
  const D w_lost = fma(select(far, D(-0.5), D(0)), l.lo, w.lo);
  const Sum<D> p = times(l, Sum<D>{w.hi, w_lost});
  const Sum<D> turned = plus(plus(p, choose(far, minus(sixth_of_pi_squared), sixth_of_pi_squared)),
                             choose(far, s, minus(s)));
  const D value =
      select(x == D(0), sixth_of_pi_squared.hi, total(choose(either(far, low), turned, s)));
  return select(x < D(0), not_a_number<D>(), select(x == infinity<D>(), -x, value));
}

// f and g with Si(a) = pi/2 - f cos a - g sin a and Ci(a) = f sin a - g cos a, a >= 4.
template <Real D>
struct Turning {
  Sum<D> f;
  D g;
};
template <Real D>
Turning<D> sine_integral_parts(D a) {
  const D y = D(1) / a, s = y * y;
  const mask_t<D> middle = a < D(8);
  const auto f = choose(middle, fit_sum(s, 1.0 / 64, 1.0 / 16, si_f_middle, -0x1.aef33d16fbd4cp-55),
                        fit_sum(s, 0, 1.0 / 64, si_f_far, -0x1.92e3860337f3fp-55));
  return {quotient(f, a, y), s * select(middle, fit(s, 1.0 / 64, 1.0 / 16, si_g_middle),
                                        fit(s, 0, 1.0 / 64, si_g_far))};
}
template <Real D>
D sine_integral_double(D x) {
  const D a = abs(x);
  const auto p = fit_sum(x * x, 0, 16, si_near, 0x1.85e601f2caa92p-58);
  const D near = fma(a, p.hi, a * p.lo);
  const auto [f, g] = sine_integral_parts(a);
  const D turned = select(a == infinity<D>(), D(0), fma(f.hi, cos(a), g * sin(a)));
  return copysign(select(a < D(4), near, D(half_pi) - turned), x);
}
// Up to 4 it is computed from its logarithm, but near its zeros from the distance to them.
template <Real D>
D cosine_integral_double(D x) {
  const D a = abs(x), square = x * x;
  const Sum<D> product = times(fit_sum(square, 0, 4, ci_near, 0x1.5a7c910535ee3p-59), square);
  const D near = select(a == D(0), -infinity<D>(), total(plus(log_and_gamma(a), product)));
  const mask_t<D> low = a < D(2);
  const Sum<D> zero = choose(low, Sum<D>{D(0x1.3ba69b6517559p-1), D(-0x1.844beee0210fep-55)},
                             Sum<D>{D(0x1.b12cd2f74f769p+1), D(0x1.c6bdbd631b168p-53)});
  const Sum<D> p = choose(low, fit_sum(a, 0.5, 1, ci_root, -0x1.66ba6ea92853dp-54),
                          fit_sum(a, 2, 4, ci_second, -0x1.c89fe306bd63cp-56));
  const D at_zero = total(times(p, Sum<D>{a - zero.hi, -zero.lo}));
  const auto [f, g] = sine_integral_parts(a);
  const D far = total(plus(times(f, sin(a)), -(g * cos(a))));
  const mask_t<D> by_zero = either(both(a > D(0.5), a < D(1)), both(a >= D(2), a < D(4)));
  const D value =
      select(by_zero, at_zero, select(low, near, select(a == infinity<D>(), D(0), far)));
  return select(x == -infinity<D>(), not_a_number<D>(), value);
}

// x minus the nearest multiple of 4.
template <Real D>
D modulo_4(D x) {
  return fma(D(-4), round_even(D(0.25) * x), x);
}
// sin and cos of pi a^2 / 2. a^2 is a sum of two parts, each reduced without error.
template <Real D>
std::array<D, 2> quadratic_phase(D a) {
  const D square = a * a, rest = fma(a, a, -square);
  const D u = D(0.5) * modulo_4(modulo_4(square) + modulo_4(rest)), b = abs(u);
  return {sin_pi(select(b > D(0.5), copysign(D(1) - b, u), u)), sin_pi(D(0.5) - b)};
}
// Up to 5/4, a series in x^4, which is a sum of two parts. Beyond, C + i S - (1 + i) / 2 = (f / i -
// g) e^(i pi a^2 / 2) with the f and g of DLMF 7.2(iv).
template <Real D>
D fresnel_double(D x, bool sine) {
  const D a = abs(x), square = a * a, rest = fma(a, a, -square), fourth = square * square;
  const D lost = fma(D(2) * square, rest, fma(square, square, -fourth));
  D near;
  if (sine) {
    const D p = horner(fourth, -0x1.30a8341595455p-50, 0x1.85a57cee8629dp-43,
                       -0x1.7b869adeecacbp-36, 0x1.21c0153482fefp-29, -0x1.50051608a36e4p-23,
                       0x1.1b57c0723447ep-17, -0x1.474740f583964p-12, 0x1.dacb4f393e13cp-8,
                       -0x1.79fb3502b22a8p-4),
            slope = fma(fourth, D(0.0122), D(-0.0923));
    const Sum<D> q = two_product(fourth, p), s = fast_two_sum(D(0x1.0c152382d7366p-1), q.hi);
    const D s_lost = fma(lost, slope, s.lo + (q.lo + D(-0x1.ee6913347c2a6p-55)));
    const D v = a * square, v_lost = fma(a, rest, fma(a, square, -v));
    near = fma(v, s.hi, fma(v_lost, s.hi, v * s_lost));
  } else {
    const D s = horner(fourth, 0x1.6bd777621b841p-54, -0x1.014d5fe28151ep-46, 0x1.18033d3e6ee78p-39,
                       -0x1.e44917dd3cc9bp-33, 0x1.43ba95bb44c54p-26, -0x1.42260e31da5efp-20,
                       0x1.c59b5171fa8d8p-15, -0x1.a4b5e25371388p-10, 0x1.cdca8f1f7bdcep-6,
                       -0x1.f952e0f96d631p-3),
            slope = fma(fourth, D(0.045), D(-0.2467));
    near = fma(a, fma(fourth, s, lost * slope), a);
  }
  // Beyond 1e17 the result is 1/2.
  const D b = minimum(a, D(1e17)), y = D(1) / b, s = y * y, t = s * s;
  const mask_t<D> middle = a < D(2.25);
  constexpr double lo = 256.0 / 6561;
  const D f = select(middle, fit(a, 1.25, 2.25, fresnel_f_middle),
                     y * D(0x1.45f306dc9c883p-2) * fit(t, 0, lo, fresnel_f_far));
  const D g = select(middle, fit(a, 1.25, 2.25, fresnel_g_middle),
                     y * s * D(0x1.9f02f6222c720p-4) * fit(t, 0, lo, fresnel_g_far));
  const auto [sin_a, cos_a] = quadratic_phase(b);
  const D turned = sine ? fma(f, cos_a, g * sin_a) : fma(-f, sin_a, g * cos_a);
  const D value = select(a < D(1.25), near, D(0.5) - turned);
  return select(is_nan(x), x, copysign(value, x));
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
// The integral of sin t / t from 0 to x. The cosine integral is log|x| + gamma + the integral of
// (cos t - 1) / t from 0 to x.
template <Real R>
R sine_integral(R x) {
  return detail::through_double(x, [](auto d) { return detail::sine_integral_double(d); });
}
template <Real R>
R cosine_integral(R x) {
  return detail::through_double(x, [](auto d) { return detail::cosine_integral_double(d); });
}
// The integrals of sin(pi t^2 / 2) and cos(pi t^2 / 2) from 0 to x.
template <Real R>
R fresnel_sin(R x) {
  return detail::through_double(x, [](auto d) { return detail::fresnel_double(d, true); });
}
template <Real R>
R fresnel_cos(R x) {
  return detail::through_double(x, [](auto d) { return detail::fresnel_double(d, false); });
}

}  // namespace weft::math
