// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/scalar/math/special.h: error functions, the logarithm of gamma, and digamma. erf_inv.h has
// the inverse of erf.
#pragma once
#include "core/scalar/math/hyperbolic.h"
#include "core/scalar/math/trig.h"
#include "core/scalar/math/two_parts.h"

namespace weft::math {
namespace detail {

// erf(x) / x - 1 in z = x^2 <= 1.
template <Real R>
R erf_small(R z) {
  if constexpr (single<R>)
    return horner(z, 0x1.4771fep-14, -0x1.a3515ep-11, 0x1.53f224p-8, -0x1.b7f71ap-6, 0x1.ce2ce6p-4,
                  -0x1.81273ep-2, 0x1.06eba8p-3);
  else
    return horner(z, 0x1.05799511414c1p-34, -0x1.386ab919f85f7p-30, 0x1.f7a40fd5099a3p-27,
                  -0x1.5f1d368e58238p-23, 0x1.b9def1986f964p-20, -0x1.f4d1df38ede35p-17,
                  0x1.f9a321a11a30ep-14, -0x1.c02db3d8ed15p-11, 0x1.565bcd0db02e8p-8,
                  -0x1.b82ce3128499dp-6, 0x1.ce2f21a042b2p-4, -0x1.812746b0379e6p-2,
                  0x1.06eba8214db69p-3);
}

// e^(a^2) erfc(a) = q + rest for 1/4 <= a <= 27.3 (float: 10.1), after Shepherd and Laframboise
// (Math. Comp. 36, 1981). Its product with 1 + 2a is smooth in t = (a - 2)/(a + 2). The rounding
// error of the division by 1 + 2a is `rest`.
template <Real R>
struct ScaledErfc {
  R q, rest;
};
template <Real R>
ScaledErfc<R> erfc_scaled(R a) {
  const R t = (a - R(2)) / (a + R(2));
  R w;
  if constexpr (single<R>)
    w = horner(t, 0x1.12be7p-13, -0x1.362c92p-12, -0x1.6953dep-10, 0x1.3aefdap-10, 0x1.1cd97p-7,
               -0x1.06ca2p-7, -0x1.bc21dap-5, 0x1.4ff976p-3, -0x1.5407ep-3, -0x1.7bf5e4p-4,
               0x1.1ba038p-2);
  else
    w = horner(t, -0x1.8a78ed1784165p-25, 0x1.ce7ee510b3e8cp-25, 0x1.471f3d542a794p-22,
               -0x1.aadc43eb067cdp-24, -0x1.19a9b502930bbp-20, -0x1.c20abd5574728p-21,
               0x1.c1c6ce9601b4fp-20, 0x1.63e5e3941fe2bp-18, 0x1.e600974dac448p-19,
               -0x1.c5b9e3ff04e91p-17, -0x1.314767661ed8fp-15, -0x1.935eabae8d59cp-20,
               0x1.3cbca7f84ff7bp-13, 0x1.b0c7ed5a16d4ep-13, -0x1.dc68e5a3701f2p-12,
               -0x1.7de51ef423417p-10, 0x1.4d461b689033cp-10, 0x1.1dd2ec8c8f4a4p-7,
               -0x1.074234019d0c7p-7, -0x1.bc2b95618ff8fp-5, 0x1.4ffa1e14e1628p-3,
               -0x1.5407bebf324bap-3, -0x1.7bf5ec17005f3p-4, 0x1.1ba03889de54ep-2);
  const Sum<R> n = fast_two_sum(R(1), w), d = two_sum(R(1), a + a);
  const R q = n.hi / d.hi;
  return {q, (fma(-q, d.lo, fma(-q, d.hi, n.hi)) + n.lo) / d.hi};
}

// erfc(a) for a >= 1/4. e^(-a^2) = s (1 + p), where a^2 and the remainder of its exponent are sums
// of two parts. s is kept scaled so that small results are not lost.
template <Real R>
R erfc_large(R a) {
  a = minimum(a, constant<R>(10.1, 27.3));
  const auto [q, rest] = erfc_scaled(a);
  const R square = a * a, square_low = fma(a, a, -square);
  const R drop = constant<R>(0x1p-64, 0x1p-500);
  const R shifter = rounder<R>(bias<R> + (single<R> ? 64 : 500));
  const R k = fma(square, constant<R>(-0x1.715476p+0, -0x1.71547652b82fep+0), shifter);
  const R n = k - shifter;
  const R high = fma(n, -ln2_hi<R>(), -square), low = fma(n, -ln2_lo<R>(), -square_low);
  const Sum<R> r = fast_two_sum(high, low);
  const R p = expm1_poly(r.hi), late = fma(q, r.lo, rest);
  return (q + fma(q, p, fma(late, p, late))) * power_of_two(k) * drop;
}

// log Gamma(1 + u) = u (u - 1) H(u - 1) for 0 <= u <= 2.
template <Real D>
Sum<D> lgamma_near(D u) {
  const D v = u - D(1);
  const D h = horner(
      v, 0x1.d42d05ed60541p-32, -0x1.c2727fb9b3794p-31, -0x1.807d75657ef91p-30,
      0x1.53b918fff250cp-29, 0x1.54868a1d9b28ap-28, -0x1.33d587f74f131p-27, -0x1.bd90955dc4b04p-31,
      -0x1.a94ba7b150a08p-31, 0x1.c3f475ebaeb2cp-26, -0x1.bf215dfaaf0d6p-25, 0x1.776cde2afe053p-24,
      -0x1.8fb0e6d2acfp-23, 0x1.b3802c83a6f0bp-22, -0x1.cb4950fe87ad6p-21, 0x1.e52ee404e090bp-20,
      -0x1.022292e959056p-18, 0x1.13e5748a30799p-17, -0x1.285118138eca5p-16, 0x1.402f01e69f7ep-15,
      -0x1.5c86af1ff0e58p-14, 0x1.7ed73413d1981p-13, -0x1.a96a403b7e391p-12, 0x1.dfebcf8cc7354p-11,
      -0x1.145121f955dp-9, 0x1.47974853ac032p-8, -0x1.95ce223a9d2b7p-7, 0x1.0e0c9df293524p-5,
      -0x1.9ae6509ea109ep-4, 0x1.b0ee6072093cep-2);
  return times(two_product(u, v), h);
}

// log Gamma(a), a > 0. `near` is its value near 1 to 3, before the logarithm of the recurrence is
// added.
template <Real D>
struct LogGamma {
  Sum<D> value, near;
};
template <Real D>
LogGamma<D> lgamma_positive(D a) {
  const D one(1);
  const mask_t<D> small = a < one, far = a >= D(10);
  // Reduces to [2, 3) by Gamma(y + 1) = y Gamma(y).
  D y = a, product = one;
  for (int i = 0; i < 7; ++i) {
    const mask_t<D> step = both(y >= D(3), !far);
    y = select(step, y - one, y);
    product = select(step, product * y, product);
  }
  const Sum<D> near = lgamma_near(select(small, a, select(far, one, y - one)));
  const Sum<D> l = log_in_two(select(either(small, far), a, product));
  // Stirling's series.
  const D inverse = one / a, u = inverse * inverse;
  const D s = horner(u, -0x1.560f7e8e64eabp-6, 0x1.96ef5eed13291p-8, -0x1.f600eb4085614p-10,
                     0x1.b94f76dd315e0p-11, -0x1.38137ecdba60dp-11, 0x1.a01a019ee9c08p-11,
                     -0x1.6c16c16c16b32p-9, 0x1.5555555555555p-4);
  const D half_ln_2pi_less_half(0x1.acfe390c97d69p-2);
  const Sum<D> stirling =
      plus(times(plus(l, -one), a - D(0.5)), fma(s, inverse, half_ln_2pi_less_half));
  return {choose(far, stirling, plus(near, choose(small, minus(l), l))), near};
}

// sin(pi f) / pi for |f| <= 1/2.
template <Real D>
Sum<D> sine_over_pi(D f) {
  const D z = f * f;
  return fast_two_sum(
      f, f * z *
             horner(z, 0x1.080d9d95e8992p-22, -0x1.d3f28f5ca4278p-18, 0x1.3746c58004fp-13,
                    -0x1.33816a063390cp-9, 0x1.ac6805cdf33d8p-6, -0x1.86a8e4720c74dp-3,
                    0x1.9f9cb402bc45dp-1, -0x1.a51a6625307d3p+0));
}
// sin(pi f) for |f| <= 1/2.
template <Real D>
D sin_pi(D f) {
  const Sum<D> r = times(Sum<D>{D(0x1.921fb54442d18p+1), D(0x1.1a62633145c07p-53)}, f);
  const D z = r.hi * r.hi;
  return r.hi + fma(r.hi, sin_bend(z), fma(r.lo * D(-0.5), z, r.lo));
}
// pi f cot(pi f) in f^2, [0, 1/16]
inline constexpr double cotangent[] = {
    -0x1.6c23b2d5bfb39p-49, -0x1.60ab49e2a0f77p-44, -0x1.54ac6718c4bf3p-39, -0x1.4a0a4e0341452p-34,
    -0x1.3fc71ef8e602bp-29, -0x1.35fcaf7eff01bp-24, -0x1.2d2045f2b70cp-19,  -0x1.273cf20324f87p-14,
    -0x1.2f1441e139ad8p-9,  -0x1.b737484d7f6eep-4,  0x1.ca3f3a4015e53p-1};
// pi tan(pi f) / f in f^2, [0, 1/16]
inline constexpr double tangent[] = {
    0x1.27cbd6e35d357p-39, 0x1.017e9064e7523p-36, 0x1.9da401d4292c8p-34, 0x1.6a175376a158p-31,
    0x1.3dc4bea666f26p-28, 0x1.160b37e6755a6p-25, 0x1.e68d46f2d2f29p-23, 0x1.a9bba3ce3267dp-20,
    0x1.74843b7120c13p-17, 0x1.45f3b5b85b3cep-14, 0x1.1d354e776bd44p-11, 0x1.f31e5dbe5df1dp-9,
    0x1.b4c44552077d2p-6,  0x1.7e8516bd1e479p-3,  0x1.52382cbee4781p+0,  0x1.60dfd45033d8ap+3};
// pi / tan(pi f) for |f| <= 1/2; beyond 1/4 it is computed from 1/2 - |f|.
template <Real D>
Sum<D> pi_cotangent(D f) {
  const mask_t<D> steep = abs(f) <= D(0.25);
  const D g = copysign(D(0.5) - abs(f), f), z = select(steep, f * f, g * g);
  const auto h = fit_sum(z, 0, 1.0 / 16, cotangent, -0x1.4d75f12bdaad1p-55);
  const auto t = fit_sum(z, 0, 1.0 / 16, tangent, -0x1.59ff79956cb7fp-52);
  return choose(steep, quotient(h, f, D(1) / f), times(t, g));
}

template <Real D>
D lgamma_double(D x) {
  const D one(1), a = abs(x);
  const LogGamma<D> g = lgamma_positive(a);
  // log |Gamma(-a)| = -log(a |sin pi a| / pi) - log Gamma(a). A factor a cancels if a is small.
  const mask_t<D> small = a < one;
  const D f = abs(a - round_even(a));
  const Sum<D> s = times(sine_over_pi(f), select(small, one, a));
  const Sum<D> l = log_in_two(s.hi), least{l.hi, l.lo + s.lo / s.hi};
  const Sum<D> mirrored = minus(plus(least, choose(small, g.near, g.value)));
  const D value = total(choose(x < D(0), mirrored, g.value));
  const mask_t<D> pole = both(x <= D(0), f == D(0));
  return select(either(pole, a == infinity<D>()), infinity<D>(), value);
}

// psi(z) / (z - z0), z0 its zero, in [1, 2]
inline constexpr double digamma_root[] = {
    -0x1.606028e8bf55cp-37, 0x1.00b98a8f0aa04p-35, -0x1.e3398d469a1dp-36,  0x1.80260c257a44fp-34,
    -0x1.cd8ccba6f21b1p-32, 0x1.56c5b73aaffa6p-30, -0x1.e17aa9af08d5cp-29, 0x1.69ba8fdd1d52cp-27,
    -0x1.1144ccfb9f265p-25, 0x1.99e1aca26565dp-24, -0x1.33508ac98b319p-22, 0x1.cd1f26d55994ep-21,
    -0x1.5a080a5ba7f11p-19, 0x1.03c0b2b60f6f7p-17, -0x1.86355909e5ccp-16,  0x1.25647156391a7p-14,
    -0x1.b9f8b1503d333p-13, 0x1.4de9aa1802de8p-11, -0x1.fb44202998234p-10, 0x1.8512e59037ebbp-8,
    -0x1.2feeeb98a7e3cp-6,  0x1.eca189b8e6f7bp-5,  -0x1.b1cb63005ee96p-3,  0x1.e6f0cbb873616p-1};
// psi(y) in [2, 4]
inline constexpr double digamma_low[] = {
    0x1.01b5692007635p-37, -0x1.779aea76423dcp-36, 0x1.620f7f2a263bdp-36, -0x1.19a9d3655cc7ep-34,
    0x1.525290e73646ap-32, -0x1.f7092a863124cp-31, 0x1.61e3351af7c59p-29, -0x1.0a606b1ba73a2p-27,
    0x1.93787f6b8d2cap-26, -0x1.2f9d751134808p-24, 0x1.c95a899017329p-23, -0x1.593823e6caa51p-21,
    0x1.052da97ff517cp-19, -0x1.8c6fa38407147p-18, 0x1.2e33a53ebb074p-16, -0x1.cf9ec053182a4p-15,
    0x1.66d5f0c925ac2p-13, -0x1.196d0a68413b9p-11, 0x1.c26130248cb31p-10, -0x1.7418eca7cbbebp-8,
    0x1.44c8ab1f61233p-6,  -0x1.3ba004f00621ap-4,  0x1.94699894c1f4dp-2,  0x1.d8773039049e7p-1};
// psi(y) in [4, 10]
inline constexpr double digamma_middle[] = {
    -0x1.5b516edf47d68p-33, 0x1.82e0f7a1e7a22p-32, 0x1.0a71c123d6006p-32,  -0x1.eeb24dce451b2p-32,
    -0x1.277b4f79b36d8p-29, 0x1.43b61b2a0bc57p-28, -0x1.75cc0094fe7c7p-28, 0x1.cc240ef0576d9p-27,
    -0x1.46f1b6ec4ce02p-25, 0x1.7fc5691aff52ap-24, -0x1.bbc8b6cbedd09p-23, 0x1.07c4d929d7112p-21,
    -0x1.3af2b75b3debfp-20, 0x1.788766e310835p-19, -0x1.c41f87a8ba9d4p-18, 0x1.10f80ff6d599cp-16,
    -0x1.4bd503f4f8415p-15, 0x1.96cc8738c8e2p-14,  -0x1.f818493093509p-13, 0x1.3cbf2d9985ccap-11,
    -0x1.95a315323adffp-10, 0x1.0aae3e9fbb30cp-8,  -0x1.6c98b863edd27p-7,  0x1.095ab96c4c3ep-5,
    -0x1.b1b6b39b3937bp-4,  0x1.d7b0d76586b8dp-2,  0x1.df6ecb4fb5827p+0};

template <Real D>
D digamma_double(D x) {
  const D one(1);
  const mask_t<D> mirror = x <= D(0);
  const D y = select(mirror, one - x, x), lost = select(mirror, (one - y) - x, D(0));
  const mask_t<D> small = y < one, near = y < D(2);
  const D inverse = one / y, u = inverse * inverse;
  // psi(y) = psi(y + 1) - 1/y. Near the zero of psi, which is stored as two parts, the result is a
  // product with the distance to the zero.
  const D z = select(small, y + one, y), p = fit(z, 1, 2, digamma_root);
  const D root = fma(z - D(0x1.762d86356be3fp+0), p, p * D(-0x1.b86a722197829p-54));
  const Sum<D> whole = plus(Sum<D>{-inverse, fma(inverse, y, -one) * inverse}, root);
  const D series = horner(u, -0x1.5e8d2a3f8605dp-2, 0x1.4f0d1a53990c9p-4, -0x1.5960ff9cc6953p-6,
                          0x1.f07b27dd1f1bbp-8, -0x1.111110726a867p-8, 0x1.04104103de160p-8,
                          -0x1.11111111110e1p-7, 0x1.5555555555555p-4);
  const Sum<D> beyond = plus(log_in_two(y), -fma(series, u, D(0.5) * inverse));
  const auto middle = choose(y < D(4), fit_sum(y, 2, 4, digamma_low, 0x1.8231cf61aa23cp-58),
                             fit_sum(y, 4, 10, digamma_middle, -0x1.1b5cd592799d4p-54));
  const Sum<D> value =
      choose(near, choose(small, whole, Sum<D>{root, D(0)}), choose(y < D(10), middle, beyond));
  // psi(x) = psi(1 - x) - pi / tan(pi x), and psi'(y) is about 1/y + 1/2 y^2 + 1/6 y^3.
  const D f = x - round_even(x),
          slope = inverse * fma(inverse, fma(inverse, D(1.0 / 6), D(0.5)), one);
  const Sum<D> full = plus(value, minus(pi_cotangent(f)));
  const D mirrored = total(Sum<D>{full.hi, fma(lost, slope, full.lo)});
  return select(mirror, select(f == D(0), not_a_number<D>(), mirrored), total(value));
}

template <class R, class F>
R through_double(R x, F f) {
  if constexpr (single<R>)
    return convert<float>(f(convert<double>(x)));
  else
    return f(x);
}

}  // namespace detail

// An odd polynomial; for larger arguments 1 - erfc. For a float, 2 to the power of a polynomial
// gives erfc with enough digits.
template <Real R>
R erf(R x) {
  using namespace detail;
  const R a = abs(x);
  const R small = fma(a, erf_small(a * a), a);
  if constexpr (single<R>) {
    // log2 of erfc. The last coefficient is added after the integer part is split off.
    const R c = minimum(a, R(3.95f));
    const R l = horner(c, 0x1.2bdc98p-12, -0x1.21d62cp-8, 0x1.07bbacp-5, -0x1.339e3cp-3,
                       -0x1.d6823cp-1, -0x1.a0877ep+0);
    const R shifter = rounder<R>(bias<R>), t = fma(c, l, shifter);
    const R r = fma(c, l, shifter - t) - R(0x1.f7992ep-13f);
    const R e = horner(r, 0x1.44402p-13, 0x1.5f48eep-10, 0x1.3b2a1cp-7, 0x1.c6aeccp-5, 0x1.ebfbep-3,
                       0x1.62e43p-1, 1.0);
    return copysign(select(a < R(1.0f), small, fma(-e, power_of_two(t), R(1))), x);
  } else {
    return copysign(select(a < R(1), small, R(1) - erfc_large(a)), x);
  }
}

template <Real R>
R erfc(R x) {
  using namespace detail;
  const R one(1), e = erfc_large(abs(x));
  R low;
  if constexpr (single<R>)
    low = one - erf(x);
  else
    low = select(x > R(-1), one - fma(x, erf_small(x * x), x), R(2) - e);
  return select(x >= R(scalar_t<R>(0.25)), e, low);
}

// float is computed in double. For a < 1: near - log a; up to 10: near + the logarithm of the
// product of the recurrence; beyond: Stirling. Negative arguments use reflection, so near the zeros
// there only the absolute error is small.
template <Real R>
R lgamma(R x) {
  return detail::through_double(x, [](auto d) { return detail::lgamma_double(d); });
}

// NaN for 0, -1, -2, ... float is computed in double.
template <Real R>
R digamma(R x) {
  return detail::through_double(x, [](auto d) { return detail::digamma_double(d); });
}

}  // namespace weft::math
