// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/scalar/math/pow.h: x^y with the special cases of C99 (annex F.9.4.4).
#pragma once
#include "core/scalar/math/exp_log.h"

namespace weft::math {
namespace detail {

// |x|^y for float, computed in double: log2 accurate to 2^-35 and 2^r accurate to 2^-28 leave one
// rounding. A float is never subnormal in double, and its power stays in the range of double until
// the last conversion.
template <Real R>
R pow_magnitude_single(R x, R y) {
  const auto a = convert<double>(abs(x));
  using D = std::remove_const_t<decltype(a)>;
  const Normal<D> n = normal_parts(D(a));
  const D l = fma(n.f,
                  horner(n.f, 0x1.3ce961f9813afp-4, -0x1.248c48372c12bp-3, 0x1.2873e655dab10p-3,
                         -0x1.252ecf4fadc99p-3, 0x1.4528aee236327p-3, -0x1.71417141cfe2fp-3,
                         0x1.a63f4c0a14bf8p-3, -0x1.ec72b5e5dde71p-3, 0x1.277651df0fec9p-2,
                         -0x1.715470966b328p-2, 0x1.ec709ebbe3dfbp-2, -0x1.715476565e212p-1,
                         0x1.71547652a1e05p+0),
                  n.e);
  const D inf = infinity<D>();
  const D full = select(both(a > D(0), a < inf), l, select(a == D(0), -inf, D(a)));
  const D e = minimum(maximum(convert<double>(y) * full, D(-160)), D(160));
  const D shifter = rounder<D>(bias<D>);
  const D t = e + shifter, r = e - (t - shifter);
  const D p = horner(r, 0x1.44401fae30efep-13, 0x1.5f48ee5d03a91p-10, 0x1.3b2a1b516ca7fp-7,
                     0x1.c6aecc0a7de9fp-5, 0x1.ebfbe0460cc0bp-3, 0x1.62e430d07986cp-1, 1.0);
  return convert<float>(p * power_of_two(t));
}

// log a for a positive normal a, accurate to about 2^-65, as a sum: 2 atanh(s) with s = (m - 1)/(m
// + 1) in two parts.
template <Real R>
Sum<R> log_sum(Normal<R> n) {
  const Sum<R> d = fast_two_sum(R(2), n.f);
  const R inverse = R(1) / d.hi;
  const R s = n.f * inverse;
  const R s_low = fma(-s, d.lo, fma(-s, d.hi, n.f)) * inverse;
  const R z = s * s, z_low = fma(s, s, -z) + R(2) * s * s_low;
  // 2/3 + z rest(z), times z, times s.
  const R rest = z * horner(z, 0x1.0e4357a62cc52p-3, 0x1.0f7fd935dd679p-3, 0x1.3b1eeca566918p-3,
                            0x1.745ce9e0a7ca6p-3, 0x1.c71c722d6c04ap-3, 0x1.2492492457d3cp-2,
                            0x1.9999999999b30p-2);
  const Sum<R> t = fast_two_sum(R(0x1.5555555555555p-1), rest);
  const R t_low = t.lo + R(0x1.5555555555555p-55);
  const R u = z * t.hi, u_low = fma(z, t.hi, -u) + fma(z, t_low, z_low * t.hi);
  const R v = s * u, v_low = fma(s, u, -v) + fma(s, u_low, s_low * u);
  // e ln 2 + 2s + v, largest first; e ln2_hi is represented as 53 bits and a remainder.
  const R k = n.e * ln2_hi<R>(), k_low = fma(n.e, ln2_hi<R>(), -k) + n.e * ln2_lo<R>();
  const Sum<R> a = two_sum(k, s + s);
  const Sum<R> b = two_sum(a.hi, v);
  const R low = ((a.lo + b.lo) + k_low) + fma(R(2), s_low, v_low);
  return fast_two_sum(b.hi, low);
}

template <Real R>
R pow_magnitude_double(R x, R y) {
  const R a = abs(x), inf = infinity<R>();
  const mask_t<R> tiny = a < R(std::numeric_limits<double>::min()), sound = both(a > R(0), a < inf);
  Normal<R> n = normal_parts(select(sound, select(tiny, a * R(0x1p54), a), R(1)));
  n.e = select(tiny, n.e - R(54), n.e);
  const Sum<R> l = log_sum(n);
  const R l_hi = select(sound, l.hi, select(a == R(0), -inf, a)), l_lo = select(sound, l.lo, R(0));
  const R e = y * l_hi, e_low = fma(y, l_hi, -e) + y * l_lo;
  return exp_scaled(e, e_low).value();
}

}  // namespace detail

template <Real R>
R pow(R x, R y) {
  using namespace detail;
  const R one(1), zero(0), half(scalar_t<R>(0.5)), inf = infinity<R>();
  R m;
  if constexpr (single<R>)
    m = pow_magnitude_single(x, y);
  else
    m = pow_magnitude_double(x, y);
  const mask_t<R> whole = floor(y) == y;
  const mask_t<R> odd = both(whole, floor(y * half) != y * half);
  const R with_sign = select(both(odd, sign_bit(x)), -m, m);
  const mask_t<R> undefined = both(both(x < zero, x != -inf), !whole);
  const mask_t<R> unit = either(either(y == zero, x == one), both(abs(x) == one, abs(y) == inf));
  return select(unit, one, select(undefined, not_a_number<R>(), with_sign));
}

}  // namespace weft::math
