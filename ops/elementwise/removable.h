// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/elementwise/removable.h: quotients 0 / 0 that have a limit. Near that point they are computed
// by their series, so that all derivatives are right. Derivatives of the quotient would be NaN or
// lose all digits there. Not public.
#pragma once
#include "ops/kit/kit.h"
#include "weft/lax/compare.h"
#include "weft/lax/elementary.h"
#include "weft/lax/elementwise.h"

namespace weft::ir {

// Returns near(x) where |x| < radius, and far(x) elsewhere. Each function gets a harmless number
// where the result of the other is selected.
template <class F, class G>
Array by_radius(const Array& x, double radius, const F& near, const G& far) {
  const auto all = [&](double v) { return broadcast_like(like(x, v), x.type()); };
  const Array close = lax::lt(lax::abs(x), like(lax::abs(x), radius));
  return lax::select(close, near(lax::select(close, x, all(0))),
                     far(lax::select(close, all(2 * radius), x)));
}

// The sum of c[k] x^k.
template <class C>
Array power_series(const Array& x, const C& c, int terms) {
  Array sum = broadcast_like(like(x, c(terms - 1)), x.type());
  for (int k = terms - 2; k >= 0; --k) sum = lax::add(lax::mul(sum, x), like(x, c(k)));
  return sum;
}

// sin(x) / x, 1 at 0.
inline Array sin_over(const Array& x) {
  return by_radius(
      x, 0.785,
      [](const Array& v) {
        const Array square = lax::square(v), one = broadcast_like(like(v, 1), v.type());
        Array sum = one;
        for (int k = 8; k > 0; --k)
          sum = lax::sub(one, lax::mul(lax::div(square, like(v, 2. * k * (2. * k + 1))), sum));
        return sum;
      },
      [](const Array& v) { return lax::div(lax::sin(v), v); });
}

// log(x) / (x - 1), 1 at 1. Near 1 it is 2 artanh(s) / (x - 1) with s = (x - 1) / (x + 1).
inline Array log_over(const Array& x) {
  const Array w = lax::sub(x, like(x, 1));
  return by_radius(
      w, 0.25,
      [](const Array& v) {
        const Array two = lax::add(v, like(v, 2)), s = lax::div(v, two);
        const auto c = [](int k) { return 2. / (2. * k + 1); };
        return lax::div(power_series(lax::square(s), c, 11), two);
      },
      [&](const Array& v) {
        const Array close = lax::lt(lax::abs(w), like(w, 0.25));
        return lax::div(lax::log(lax::select(close, lax::add(v, like(v, 1)), x)), v);
      });
}

// The derivative of (e^x - 1) / x.
inline Array expm1_over_slope(const Array& x) {
  return by_radius(
      x, 0.5,
      [](const Array& v) {
        const auto c = [](int k) { return (k + 1.) / std::tgamma(k + 3.); };
        return power_series(v, c, 14);
      },
      [](const Array& v) {
        return lax::div(lax::sub(lax::exp(v), lax::div(lax::expm1(v), v)), v);
      });
}

}  // namespace weft::ir
