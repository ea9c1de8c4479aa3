// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/special/gamma_parts.h: parts of the gamma function for numbers R, arranged so that large
// logarithms do not cancel. Not public.
#pragma once
#include <initializer_list>

#include "ops/special/number.h"

namespace weft::special {

constexpr double least = 1e-290;  // replaces a zero in the fractions
constexpr double max_terms = 1e5;

template <class R>
R away_from_zero(const R& x) {
  return select(abs(x) < R(least), R(least), x);
}

// log(1 + m) - m for |m| <= 1/2, by the series of 2 artanh(m / (2 + m)).
template <class R>
R log1p_less(const R& m) {
  const R r = m / (m + R(2)), s = r * r;
  R sum(1.0 / 37);
  for (int k = 35; k >= 3; k -= 2) sum = sum * s + R(1.0 / k);
  return R(2) * r * s * sum - r * m;
}

// The term that Stirling's formula adds to (x - 1/2) log x - x + log(2 pi) / 2 for log Gamma(x), x
// >= 10.
template <class R>
R stirling_rest(const R& x) {
  const R i = R(1) / x, u = i * i;
  R rest(-691.0 / 360360);
  for (double c : {1.0 / 1188, -1.0 / 1680, 1.0 / 1260, -1.0 / 360, 1.0 / 12})
    rest = rest * u + R(c);
  return rest * i;
}

// x log(x / m) + m - x for x > 0, m >= 0. Near x = m a series is used, from which the cancelling
// terms are left out.
template <class R>
R deviance(const R& x, const R& m) {
  const R u = (m - x) / x;
  const auto close = abs(u) < R(0.5);
  // The quotient of very different numbers may be out of range.
  const auto tiny = m < R(1e-200);
  const R ratio = m * select(tiny, R(0x1p300), R(1)) / x;
  const R l = log(select(close, R(1), ratio)) - select(tiny, R(300 * ln_2), R(0));
  return x * select(close, -log1p_less(select(close, u, R(0))), u - l);
}

// Gamma(1 + a) for 0 <= a < 20. The recurrence, whose differences are exact, reduces it to [1, 2).
template <class R>
R gamma_of_one_more(const R& a) {
  R y = a, product(1);
  for (int k = 0; k < 18; ++k) {
    const auto step = y >= R(2);
    product = select(step, product * y, product);
    y = select(step, y - R(1), y);
  }
  return product * exp(lgamma(R(1) + y));
}

// log Gamma(1 + a) for 0 <= a <= 1/4, accurate for small a. It is the sum of zeta(k) (-a)^k / k,
// where the first terms of all zeta(k) sum to a logarithm.
template <class R>
R lgamma_of_one_more(const R& a) {
  constexpr double zeta_less_one[] = {
      0.6449340668482264,    0.2020569031595943,    0.08232323371113819,   0.03692775514336993,
      0.01734306198444914,   0.008349277381922827,  0.00407735619794434,   0.0020083928260822143,
      0.0009945751278180853, 0.0004941886041194645, 0.0002460865533080483, 0.00012271334757848915,
      6.124813505870483e-05, 3.058823630702049e-05, 1.528225940865187e-05, 7.637197637899763e-06,
      3.81729326499984e-06,  1.908212716553939e-06};
  R sum(0);
  for (int k = 19; k >= 2; --k) sum = R(zeta_less_one[k - 2] / k) - sum * a;
  return a * (R(1 - euler_gamma) + a * sum) - log1p(a);
}

// log(1 - e^l) for l < 0.
template <class R>
R log_of_rest(const R& l) {
  const auto small = l < R(-0.7);
  return select(small, log1p(-exp(l)), log(-expm1(select(small, R(-1), l))));
}

// The tail that an incomplete function returns, and its form.
struct Wanted {
  bool upper = false, logarithm = false;
};

}  // namespace weft::special
