// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/scalar/number/complex.h: complex arithmetic over a real number type; the elementary
// functions of complex numbers are in core/scalar/math/complex.h.
#pragma once
#include "core/scalar/number/any.h"

namespace weft::num {

// R is float, double, Ir<float> or Ir<double>.
template <Real R>
struct Cx {
  R re = R(0), im = R(0);
  Cx() = default;
  Cx(R re, R im = R(0)) : re(re), im(im) {}
  template <Float T>
    requires(is_ir<R> && std::same_as<T, scalar_t<R>>)
  Cx(Cx<T> c) : re(c.re), im(c.im) {}

  friend Cx operator+(Cx a, Cx b) { return {a.re + b.re, a.im + b.im}; }
  friend Cx operator-(Cx a, Cx b) { return {a.re - b.re, a.im - b.im}; }
  friend Cx operator-(Cx a) { return {-a.re, -a.im}; }
  friend Cx operator*(Cx a, Cx b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
  friend Cx operator/(Cx a, Cx b) { return divide(a, b); }
  friend mask_t<R> operator==(Cx a, Cx b) { return both(a.re == b.re, a.im == b.im); }
  friend mask_t<R> operator!=(Cx a, Cx b) { return either(a.re != b.re, a.im != b.im); }
};

namespace detail {
template <class R>
struct Traits<Cx<R>> {
  using scalar = Cx<scalar_t<R>>;
  static constexpr bool is_ir = num::is_ir<R>;
  template <class U>
  using rebind = num::rebind<R, U>;
};
}  // namespace detail

template <Real R>
Cx<R> add(Cx<R> a, Cx<R> b) {
  return a + b;
}
template <Real R>
Cx<R> sub(Cx<R> a, Cx<R> b) {
  return a - b;
}
template <Real R>
Cx<R> mul(Cx<R> a, Cx<R> b) {
  return a * b;
}
template <Real R>
Cx<R> div(Cx<R> a, Cx<R> b) {
  return a / b;
}
template <Real R>
Cx<R> neg(Cx<R> a) {
  return -a;
}
template <Real R>
Cx<R> conj(Cx<R> a) {
  return {a.re, -a.im};
}
template <Real R>
Cx<R> select(mask_t<R> m, Cx<R> a, Cx<R> b) {
  return {select(m, a.re, b.re), select(m, a.im, b.im)};
}
template <Real R>
mask_t<R> is_nan(Cx<R> a) {
  return either(is_nan(a.re), is_nan(a.im));
}
template <Real R>
mask_t<R> is_finite(Cx<R> a) {
  return both(is_finite(a.re), is_finite(a.im));
}

// Smith's method (Comm. ACM 5, 1962) divides by the larger part of the divisor. Divisors near the
// ends of the range are scaled first. x/0 divides both parts by 0. Infinities follow C99's annex G:
// finite/infinite is 0. In infinite/finite, where both parts would be NaN, infinite parts count as
// 1 and finite parts as 0.
template <Real R>
Cx<R> divide(Cx<R> a, Cx<R> b) {
  using T = scalar_t<R>;
  constexpr bool f = sizeof(T) == 4;
  const R inf(std::numeric_limits<T>::infinity()), zero(0), one(1);
  const mask_t<R> swap = abs(b.re) < abs(b.im);
  const R c = select(swap, b.im, b.re), d = select(swap, b.re, b.im), size = abs(c);
  const R large(f ? T(0x1p-10) : T(0x1p-60)), small(f ? T(0x1p60) : T(0x1p100));
  const mask_t<R> tiny = size < R(f ? T(0x1p-100) : T(0x1p-960));
  const R scale = select(size > R(f ? T(0x1p120) : T(0x1p1000)), large, select(tiny, small, one));
  // For a tiny divisor, scaling a large dividend would overflow, so the quotient is scaled instead.
  const mask_t<R> later = both(tiny, maximum(abs(a.re), abs(a.im)) > one);
  const R before = select(later, one, scale), after = select(later, small, one);
  const mask_t<R> endless = both(either(size == inf, abs(d) == inf), is_finite(a));
  const R x = a.re * before, y = a.im * before, p = c * scale, q = d * scale;
  const R r = select(either(p == zero, endless), zero, q / p);
  const auto top = [&](R u, R v, R r) {
    return Cx<R>(select(swap, fma(u, r, v), fma(v, r, u)),
                 select(swap, fma(v, r, -u), fma(-u, r, v)));
  };
  const mask_t<R> by_zero = both(p == zero, q == zero), inf_x = abs(x) == inf,
                  inf_y = abs(y) == inf;
  const Cx<R> t = select(by_zero, Cx<R>(x, y), top(x, y, r));
  const mask_t<R> lost =
      both(both(is_nan(t.re), is_nan(t.im)), both(either(inf_x, inf_y), is_finite(b)));
  // If the quotient of the divisor's parts underflows, its sign still matters for an infinite
  // dividend.
  const R least(std::numeric_limits<T>::min());
  const R sign_of_r = select(both(r == zero, q != zero), copysign(least, r), r);
  const Cx<R> boxed =
      top(copysign(select(inf_x, one, zero), x), copysign(select(inf_y, one, zero), y), sign_of_r);
  const R re = select(lost, boxed.re * inf, t.re), im = select(lost, boxed.im * inf, t.im);
  // With r = 0, q*r would be NaN if both parts of the divisor are infinite, or one is NaN.
  const R bottom = select(endless, copysign(inf, p), select(by_zero, p, fma(q, r, p)));
  return {re / bottom * after, im / bottom * after};
}

// |a| without intermediate overflow or underflow: scaled by a power of two.
template <Real R>
R abs(Cx<R> a) {
  using T = scalar_t<R>;
  const R x = maximum(abs(a.re), abs(a.im)), y = minimum(abs(a.re), abs(a.im));
  constexpr bool f = sizeof(T) == 4;
  const mask_t<R> over = x > R(f ? T(0x1p60) : T(0x1p500)),
                  under = x < R(f ? T(0x1p-60) : T(0x1p-500));
  const R up(f ? T(0x1p100) : T(0x1p600)), down(f ? T(0x1p-100) : T(0x1p-600));
  const R scale = select(over, down, select(under, up, R(1))),
          back = select(over, up, select(under, down, R(1)));
  const R u = x * scale, v = y * scale;
  const R length = sqrt(fma(u, u, v * v)) * back;
  const R inf(std::numeric_limits<T>::infinity());
  return select(either(abs(a.re) == inf, abs(a.im) == inf), inf, length);
}

}  // namespace weft::num
