// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/scalar/math/two_parts.h: numbers as a rounded value and its rounding error, for the last
// steps of functions that would otherwise accumulate several roundings; double only. `lo` is a
// correction that is accurate to a few bits.
#pragma once
#include "core/scalar/math/exp_log.h"

namespace weft::math::detail {

template <Real R>
Sum<R> two_product(R a, R b) {
  const R p = a * b;
  return {p, fma(a, b, -p)};
}
template <Real R>
Sum<R> plus(Sum<R> a, R b) {
  const Sum<R> s = two_sum(a.hi, b);
  return {s.hi, s.lo + a.lo};
}
template <Real R>
Sum<R> plus(Sum<R> a, Sum<R> b) {
  const Sum<R> s = two_sum(a.hi, b.hi);
  return {s.hi, s.lo + (a.lo + b.lo)};
}
template <Real R>
Sum<R> times(Sum<R> a, R b) {
  const R p = a.hi * b;
  return {p, fma(a.lo, b, fma(a.hi, b, -p))};
}
template <Real R>
Sum<R> times(Sum<R> a, Sum<R> b) {
  const R p = a.hi * b.hi;
  return {p, fma(a.hi, b.lo, fma(a.lo, b.hi, fma(a.hi, b.hi, -p)))};
}
template <Real R>
Sum<R> minus(Sum<R> a) {
  return {-a.hi, -a.lo};
}
template <Real R>
Sum<R> choose(mask_t<R> m, Sum<R> a, Sum<R> b) {
  return {select(m, a.hi, b.hi), select(m, a.lo, b.lo)};
}
// The sum of both parts; an infinite value has no correction.
template <Real R>
R total(Sum<R> a) {
  return select(is_finite(a.hi), a.hi + a.lo, a.hi);
}
// a / b, where `inverse` is the rounded 1 / b.
template <Real R>
Sum<R> quotient(Sum<R> a, R b, R inverse) {
  const R q = a.hi * inverse;
  return {q, (fma(-q, b, a.hi) + a.lo) * inverse};
}

// The polynomial for [lo, hi] at x without its last coefficient, and x mapped from [lo, hi] to [-1,
// 1].
template <Real D, size_t n>
std::array<D, 2> fit_slope(D x, double lo, double hi, const double (&c)[n]) {
  const D t = fma(x, D(2 / (hi - lo)), D(-(hi + lo) / (hi - lo)));
  D r(c[0]);
  for (size_t k = 1; k + 1 < n; ++k) r = fma(r, t, D(c[k]));
  return {r, t};
}
template <Real D, size_t n>
D fit(D x, double lo, double hi, const double (&c)[n]) {
  const auto [r, t] = fit_slope(x, lo, hi, c);
  return fma(r, t, D(c[n - 1]));
}
// The polynomial as a sum of two parts. `rest` extends the precision of the last coefficient, which
// is the largest term.
template <Real D, size_t n>
Sum<D> fit_sum(D x, double lo, double hi, const double (&c)[n], double rest) {
  const auto [r, t] = fit_slope(x, lo, hi, c);
  const Sum<D> p = two_product(r, t), s = fast_two_sum(D(c[n - 1]), p.hi);
  return {s.hi, s.lo + (p.lo + D(rest))};
}

// log x, accurate to about 2^-58.
template <Real D>
Sum<D> log_in_two(D x) {
  const Normal<D> n = parts(x);
  const D k = n.e * ln2_hi<D>(), rest = fma(n.e, ln2_hi<D>(), -k) + n.e * ln2_lo<D>();
  const Sum<D> a = two_sum(k, n.f), b = fast_two_sum(a.hi, n.f * n.f * log1p_quotient(n.f));
  return {b.hi, (a.lo + b.lo) + rest};
}

// e^(x + tail) = m s 2^-offset. s is a power of two; shifter = rounder(bias + offset), with an
// offset for which s is a normal number. m is accurate to about 2^-56.
template <Real D>
struct Exponential {
  Sum<D> m;
  D s;
};
template <Real D>
Exponential<D> exp_in_two(D x, D tail, D shifter) {
  const D t = fma(x, D(0x1.71547652b82fep+0), shifter), n = t - shifter;
  const D exact = fma(n, -ln2_hi<D>(), x), near = fma(n, -ln2_lo<D>(), exact), r = near + tail;
  const D lost = fma(n, -ln2_lo<D>(), exact - near) + ((near - r) + tail);
  const Sum<D> a = fast_two_sum(D(1), r);
  const Sum<D> b = fast_two_sum(a.hi, fma(r * r, expm1_bend(r), lost));
  return {{b.hi, a.lo + b.lo}, power_of_two(t)};
}

}  // namespace weft::math::detail
