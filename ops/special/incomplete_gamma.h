// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/special/incomplete_gamma.h: the incomplete gamma functions for numbers R, their logarithms,
// and their derivatives with respect to the parameter. Not public.
//
// They use the sums and continued fractions of DLMF 8.11.4 and 8.9.2; the fractions by the method
// of Lentz, Thompson and Barnett. Near x = a the number of terms of both grows with the root of a.
// For large a the expansion of DLMF 8.12.7, which is uniform there, is used instead. For a small
// parameter and x < 1 the upper function is computed directly, because 1 minus the lower one has no
// accurate digits.
#pragma once
#include <cmath>

#include "ops/special/gamma_parts.h"

namespace weft::special {

// x^a e^-x / Gamma(a + 1). For a > 10 the gamma function and the power nearly cancel.
template <class R>
R gamma_factor(const R& a, const R& x) {
  const auto large = a >= R(10);
  const R b = select(large, a, R(11)), y = select(large, x, R(11));
  const R far = exp(-(deviance(b, y) + stirling_rest(b))) / sqrt(R(2 * pi) * b);
  // The result is 0 for z above 2000, as it is at 2000.
  const R s = select(large, R(1), a), z = minimum(select(large, R(1), x), R(2000));
  const R half = exp(R(-0.5) * z);
  return select(large, far, pow(z, s) * half * half / gamma_of_one_more(s));
}
// The logarithm of gamma_factor.
template <class R>
R log_gamma_factor(const R& a, const R& x) {
  const auto large = a >= R(10);
  const R b = select(large, a, R(11)), y = select(large, x, R(11));
  const R far = -(deviance(b, y) + stirling_rest(b)) - R(0.5) * (log(b) + R(1.8378770664093454836));
  const R s = select(large, R(1), a), z = select(large, R(1), x);
  return select(large, far, s * log(z) - z - lgamma(R(1) + s));
}
// The logarithm of the density x^(a - 1) e^-x / Gamma(a) for x > 0.
template <class R>
R log_gamma_density(const R& a, const R& x) {
  const auto large = a >= R(10);
  const R b = select(large, a, R(11)), y = select(large, x, R(11));
  const R far =
      -(deviance(b, y) + stirling_rest(b)) + R(0.5) * (log(b) - R(1.8378770664093454836)) - log(y);
  const R s = select(large, R(1), a), z = select(large, R(1), x);
  return select(large, far, (s - R(1)) * log(z) - z - lgamma(s));
}

// The sum of x^k / ((a + 1) … (a + k)), and its derivative with respect to a.
template <class R>
std::array<R, 2> gamma_series(double rounding, const R& a, const R& x, bool slope) {
  if (!slope) {
    const auto s = iterate(
        std::array<R, 3>{a, R(1), R(1)}, [&](const auto& v) { return v[1] > v[2] * R(rounding); },
        [&](const auto& v) {
          const R r = v[0] + R(1), c = v[1] * (x / r);
          return std::array<R, 3>{r, c, v[2] + c};
        });
    return {s[2], R(0)};
  }
  // (a + k, term, sum, derivative of the term, sum of the derivatives)
  const auto s = iterate(
      std::array<R, 5>{a, R(1), R(1), R(0), R(0)},
      [&](const auto& v) {
        return either(v[1] > v[2] * R(rounding), abs(v[3]) > abs(v[4]) * R(rounding));
      },
      [&](const auto& v) {
        const R r = v[0] + R(1), q = x / r, c = v[1] * q, dc = q * (v[3] - v[1] / r);
        return std::array<R, 5>{r, c, v[2] + c, dc, v[4] + dc};
      });
  return {s[2], s[4]};
}

// Q(a, x) Gamma(a) / (x^a e^-x) for x >= 1, x > a, and its derivative with respect to a.
template <class R>
std::array<R, 2> gamma_fraction(double rounding, const R& a, const R& x, bool slope) {
  const R b0 = x + R(1) - a;
  const R d0 = R(1) / away_from_zero(b0);
  if (!slope) {
    // (k, b, c, d, h, last factor of h)
    const auto s = iterate(
        std::array<R, 6>{R(0), b0, R(1 / least), d0, d0, R(2)},
        [&](const auto& v) {
          return both(abs(v[5] - R(1)) > R(2 * rounding), v[0] < R(max_terms));
        },
        [&](const auto& v) {
          const R k = v[0] + R(1), n = k * (a - k), b = v[1] + R(2);
          const R d = R(1) / away_from_zero(n * v[3] + b), c = away_from_zero(b + n / v[2]);
          return std::array<R, 6>{k, b, c, d, v[4] * (c * d), c * d};
        });
    return {s[4], R(0)};
  }
  // (k, b, c, d, h, c', d', h', change of h, change of h'). The derivative of each b is -1, and
  // that of numerator k is k.
  const auto s = iterate(
      std::array<R, 10>{R(0), b0, R(1 / least), d0, d0, R(0), d0 * d0, d0 * d0, R(1), R(1)},
      [&](const auto& v) {
        const auto moves = either(abs(v[8]) > abs(v[4]) * R(2 * rounding),
                                  abs(v[9]) > abs(v[7]) * R(2 * rounding));
        return both(moves, v[0] < R(max_terms));
      },
      [&](const auto& v) {
        const R k = v[0] + R(1), n = k * (a - k), b = v[1] + R(2);
        const R d = R(1) / away_from_zero(n * v[3] + b), c = away_from_zero(b + n / v[2]);
        const R dd = -(d * d * (k * v[3] + n * v[6] - R(1)));
        const R dc = k / v[2] - n / v[2] * (v[5] / v[2]) - R(1);
        const R h = v[4] * (c * d), dh = v[7] * (c * d) + v[4] * (dc * d + c * dd);
        return std::array<R, 10>{k, b, c, d, h, dc, dd, dh, h - v[4], dh - v[7]};
      });
  return {s[4], s[7]};
}

// ---- the expansion for large a and x = (1 + m) a near a.
// With h^2 / 2 = m - log(1 + m) it is
//   Q = erfc(h (a/2)^1/2) / 2 + e^(-a h^2 / 2) (2 pi a)^-1/2 sum C_k(h) a^-k.
constexpr double large_a = 0x1p14, near_a = 0.3;
// The number of terms of the series of C_k in powers of h. |h| < 0.34, so each term is about a
// tenth of the previous one. C_k is also multiplied by a^-k.
constexpr std::array<int, 4> expansion_terms = {16, 12, 8, 4};
constexpr int all_terms = 24;
using Expansion = std::array<std::array<double, all_terms>, expansion_terms.size()>;

// m is the sum of alpha_n h^n, from m m' = h (1 + m). C_0 = 1/m - 1/h and C_k = C_(k-1)' / h +
// (-1)^k g_k / m, where g_k are the numbers of Stirling's series of the gamma function.
constexpr Expansion expansion_of_gamma() {
  std::array<double, all_terms + 3> alpha{}, inverse{};  // inverse: the series of h / m
  alpha[1] = inverse[0] = 1;
  for (size_t n = 2; n < alpha.size(); ++n) {
    double sum = 0;
    for (size_t i = 2; i < n; ++i) sum += alpha[i] * alpha[n + 1 - i];
    alpha[n] = alpha[n - 1] / static_cast<double>(n + 1) - sum / 2;
  }
  for (size_t n = 1; n + 1 < alpha.size(); ++n)
    for (size_t i = 1; i <= n; ++i) inverse[n] -= alpha[i + 1] * inverse[n - i];
  constexpr std::array<double, 4> stirling = {1, 1.0 / 12, 1.0 / 288, -139.0 / 51840};
  Expansion c{};
  for (size_t n = 0; n < all_terms; ++n) c[0][n] = inverse[n + 1];
  for (size_t k = 1; k < c.size(); ++k)
    for (size_t n = 0; n + 2 < all_terms; ++n)
      c[k][n] = static_cast<double>(n + 2) * c[k - 1][n + 2] +
                (k % 2 ? -stirling[k] : stirling[k]) * c[0][n];
  return c;
}
constexpr Expansion expansion = expansion_of_gamma();

template <class R>
struct NearA {
  R a, m, h;
  // C_k(h) and its derivative.
  std::array<R, 2> coefficient(size_t k) const {
    R sum(0), slope(0);
    for (int n = expansion_terms[k] - 1; n >= 0; --n) {
      slope = slope * h + sum;
      sum = sum * h + R(expansion[k][n]);
    }
    return {sum, slope};
  }
};
template <class R>
Mask<R> is_near(const R& a, const R& x) {
  return both(a > R(large_a), abs(x - a) < R(near_a) * a);
}
template <class R>
NearA<R> near(const R& a, const R& x) {
  const R m = (x - a) / a, size = sqrt(R(-2) * log1p_less(m));
  return {a, m, select(m < R(0), -size, size)};
}
// Returns P or Q.
template <class R>
R gamma_near(const NearA<R>& n, bool upper) {
  R sum(0);
  for (size_t k = expansion.size(); k-- > 0;) sum = sum / n.a + n.coefficient(k)[0];
  const R change = exp(n.a * log1p_less(n.m)) / sqrt(R(2 * pi) * n.a) * sum;
  const R z = n.h * sqrt(n.a * R(0.5)), half(0.5);
  return upper ? half * erfc(z) + change : half * erfc(-z) - change;
}
// The logarithm of P or Q.
template <class R>
R log_gamma_near(const NearA<R>& n, bool upper) {
  R sum(0);
  for (size_t k = expansion.size(); k-- > 0;) sum = sum / n.a + n.coefficient(k)[0];
  const R square = -(n.a * log1p_less(n.m)), change = sum / sqrt(R(2 * pi) * n.a);
  const auto above = n.m > R(0);
  const R tail = R(0.5) * erfcx(sqrt(square)) + select(above, change, -change);
  // l is the logarithm of the smaller tail, on the side of x.
  const R l = log(tail) - square, rest = log_of_rest(minimum(l, R(-1e-300)));
  return upper ? select(above, l, rest) : select(above, rest, l);
}
// The derivative of P with respect to a, divided by x^a e^-x / Gamma(a). It contains no
// exponential.
template <class R>
R gamma_near_slope(const NearA<R>& n) {
  const R i = R(1) / n.a, first = n.coefficient(0)[0];
  // m / h, whose product with -1/a is the derivative of h
  const R ratio = R(1) / (R(1) + n.h * first);
  R sum(0), slope(0);
  for (size_t k = expansion.size(); k-- > 0;) {
    const std::array<R, 2> c = n.coefficient(k);
    sum = sum * i + c[0];
    slope = slope * i - (c[1] * ratio + R(static_cast<double>(k)) * c[0]) * i;
  }
  const R gamma = R(1) + i * (R(1.0 / 12) + i * (R(1.0 / 288) - i * R(139.0 / 51840)));
  const R of_erfc = (ratio - R(0.5) * n.h) * i;
  return -gamma * (of_erfc + i * (sum * (log1p(n.m) - R(0.5) * i) + slope));
}

// The upper function for a <= 1/4 and x < 1: 1 - e^l (1 + a sum), where l = a log x - log Gamma(1 +
// a). The sum is over (-x)^k / ((a + k) k!).
template <class R>
struct SmallParameter {
  R l, sum;
  R upper() const { return -expm1(l) - exp(l) * sum; }
  R log_lower() const { return l + log1p(sum); }
  R log_upper() const {
    const R lower = log_lower();
    const auto much = lower < R(-0.7);
    return select(much, log_of_rest(select(much, lower, R(-1))), log(upper()));
  }
};
template <class R>
SmallParameter<R> of_small_parameter(const R& a, const R& x) {
  // The number of terms that x = 1 needs.
  R sum(0), term(1);
  for (int k = 1; k <= 18; ++k) {
    term = -(term * x * R(1.0 / k));
    sum = sum + term / (a + R(k));
  }
  return {a * log(x) - lgamma_of_one_more(a), a * sum};
}

// Returns P or Q. The one that converges quickly is computed, and the other is 1 minus it.
template <class R>
R incomplete_gamma(double rounding, const R& a, const R& x, Wanted w) {
  const auto wrong = either(either(is_nan(a), is_nan(x)),
                            either(either(x < R(0), a < R(0)), both(a == R(0), x == R(0))));
  // As in JAX, the result is NaN at a = inf for 0 < x < inf.
  const auto beyond = both(a == R(inf), both(x > R(0), x < R(inf)));
  const auto at_end = either(x == R(inf), either(x == R(0), either(a == R(0), a == R(inf))));
  const auto off = either(wrong, at_end);
  const R p = select(off, R(1), a), z = select(off, R(1), x);
  const auto large = is_near(p, z);
  const auto by_fraction = both(no(large), both(z >= R(1), z > p));
  const auto small = both(p < R(0.25), z < R(1));
  // A lane that does not need one of these gets arguments for which its loop ends immediately.
  auto other = either(large, by_fraction);
  if (w.upper || w.logarithm) other = either(other, small);
  const R sum = gamma_series(rounding, p, select(other, R(0), z), false)[0];
  const R fraction = p * gamma_fraction(rounding, select(by_fraction, p, R(1)),
                                        select(by_fraction, z, R(2)), false)[0];
  // These cases are rare, so lanes that need neither do not compute them.
  const bool small_too = w.upper || w.logarithm;
  const R rare = where_needed<R>(small_too ? either(large, small) : large, [&] {
    const NearA<R> n = near(p, z);
    const R of_large = w.logarithm ? log_gamma_near(n, w.upper) : gamma_near(n, w.upper);
    if (!small_too) return of_large;
    const SmallParameter<R> s = of_small_parameter(minimum(p, R(0.25)), minimum(z, R(1)));
    return select(large, of_large,
                  w.upper ? (w.logarithm ? s.log_upper() : s.upper()) : s.log_lower());
  });
  const auto choose = [&](const R& of_fraction, const R& of_sum) {
    const R usual = select(by_fraction, of_fraction, of_sum);
    return select(small_too ? either(large, small) : large, rare, usual);
  };
  R value;
  if (w.logarithm) {
    const R factor = log_gamma_factor(p, z);
    const R low = factor + log(sum), high = factor + log(fraction);
    value = w.upper ? choose(high, log_of_rest(low)) : choose(log_of_rest(high), low);
  } else {
    const R factor = gamma_factor(p, z);
    // The product of a factor 0 and an unbounded sum is 0.
    const R low = minimum(select(factor == R(0), R(0), sum * factor), R(1)),
            high = minimum(select(factor == R(0), R(0), fraction * factor), R(1));
    value = w.upper ? choose(high, R(1) - low) : choose(R(1) - high, low);
  }
  const auto full = either(x == R(inf), a == R(0));  // P = 1
  const R one(w.logarithm ? 0 : 1), none(w.logarithm ? -inf : 0);
  const R end = w.upper ? select(full, none, one) : select(full, one, none);
  return select(either(wrong, beyond), R(nan), select(at_end, end, value));
}

template <class R>
R gamma_slope(double rounding, const R& a, const R& x, bool of_sample) {
  const auto wrong = either(either(is_nan(a), is_nan(x)), either(x < R(0), a <= R(0)));
  const auto at_end = either(either(x == R(0), x == R(inf)), a == R(inf));
  const auto off = either(wrong, at_end);
  const R p = select(off, R(1), a), z = select(off, R(1), x);
  const auto large = is_near(p, z);
  const auto by_fraction = both(no(large), both(z > R(1), z > p));
  const auto s = gamma_series(rounding, p, select(either(large, by_fraction), R(0), z), true);
  const auto f =
      gamma_fraction(rounding, select(by_fraction, p, R(1)), select(by_fraction, z, R(2)), true);
  const R l = log(z);
  const R below = (s[1] + s[0] * (l - digamma(p + R(1)))) / p;
  const R above = -(f[1] + f[0] * (l - digamma(p)));
  const R both_sides =
      select(large, gamma_near_slope(near(p, z)), select(by_fraction, above, below));
  const R factor = gamma_factor(p, z) * p;
  const R value = of_sample ? -(both_sides * z) : select(factor == R(0), R(0), both_sides * factor);
  return select(wrong, R(nan), select(at_end, R(0), value));
}

}  // namespace weft::special
