// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/special/incomplete_beta.h: the incomplete beta function for numbers R, and logarithms of it
// and of its density. Not public.
//
// It uses the continued fraction of DLMF 8.17.22 by the method of Lentz, Thompson and Barnett. Near
// the mean the number of its terms grows with the root of the smaller parameter. For two large
// parameters an expansion that is uniform there is used instead.
#pragma once
#include "ops/special/gamma_parts.h"

namespace weft::special {

// The continued fraction for x < (a + 1) / (a + b + 2).
template <class R>
R beta_fraction(double rounding, const R& a, const R& b, const R& x) {
  const R d0 = R(1) / away_from_zero(R(1) - (a + b) * x / (a + R(1)));
  // (m, c, d, h, last factor); each trip runs two steps.
  const auto s = iterate(
      std::array<R, 5>{R(0), R(1), d0, d0, R(2)},
      [&](const auto& v) { return both(abs(v[4] - R(1)) > R(2 * rounding), v[0] < R(max_terms)); },
      [&](const auto& v) {
        const R m = v[0] + R(1), t = a + R(2) * m;
        const R even = m * (b - m) * x / ((t - R(1)) * t);
        const R d1 = R(1) / away_from_zero(R(1) + even * v[2]);
        const R c1 = away_from_zero(R(1) + even / v[1]);
        const R odd = -((a + m) * (a + b + m) * x) / (t * (t + R(1)));
        const R d2 = R(1) / away_from_zero(R(1) + odd * d1), c2 = away_from_zero(R(1) + odd / c1);
        return std::array<R, 5>{m, c2, d2, v[3] * (d1 * c1) * (d2 * c2), d2 * c2};
      });
  return s[3];
}

// Parameters p and q of the powers z^p w^q with z + w = 1. t = q z - p w is 0 at the mean.
template <class R>
struct BetaOperands {
  R p, q, z, w, t;
  R n() const { return p + q; }
};

// -(a log(y n / a) + …): the part of the power y^a in the deviance, which is 0 at the mean y = a /
// n. `l` is the logarithm of y n / a; it is used where `close` is false.
template <class R>
R beta_part(const R& a, const R& u, const Mask<R>& close, const R& l) {
  return a * select(close, -log1p_less(select(close, u, R(0))), u - l);
}
// -(p log(z n / p) + q log(w n / q)), which is 0 at the mean and grows with the distance from it.
template <class R>
R beta_deviance(const BetaOperands<R>& x) {
  const auto part = [&](const R& a, const R& y, const R& u) {
    const auto close = abs(u) < R(0.5);
    return beta_part(a, u, close, log(select(close, R(1), y * (x.n() / a))));
  };
  return part(x.p, x.z, x.t / x.p) + part(x.q, x.w, -(x.t / x.q));
}

// The logarithm of z^p w^q / B(p, q). If both parameters are large, Stirling's formula leaves the
// deviance. If hi >= 10 and lo < 10, Gamma(n) / Gamma(hi) is about n^lo.
template <class R>
R log_beta_factor(const BetaOperands<R>& x) {
  const auto turned = x.p < x.q;
  const R lo = select(turned, x.p, x.q), hi = select(turned, x.q, x.p), n = lo + hi;
  const R y = select(turned, x.z, x.w), v = select(turned, x.w, x.z);
  const auto one = hi >= R(10), two = lo >= R(10), low = y < R(0.5);
  const R few = select(two, R(1), lo), large = select(one, hi, R(10)),
          large_n = select(one, n, R(11)), larger = select(two, lo, R(10)),
          upper = select(one, R(1), hi);
  // u for y and w for v. Each logarithm serves both cases.
  const R t = select(turned, x.t, -x.t), u = t / larger, w = -(t / large);
  const auto close_u = abs(u) < R(0.5), close_w = abs(w) < R(0.5);
  const R log_y = log(
              select(both(two, close_u), R(1), y * select(one, select(two, n / larger, n), R(1)))),
          log_v = log(select(two, select(close_w, R(1), v * (n / large)), select(low, R(1), v)));
  const R log_small = select(low, log1p(-select(low, y, R(0))), log_v);  // log v
  const R rest = stirling_rest(large_n) - stirling_rest(large);
  const R log_two = rest - stirling_rest(larger) - beta_part(larger, u, close_u, log_y) -
                    beta_part(large, w, close_w, log_v);
  const R log_one = large * log_small + ((large - R(0.5)) * log1p(few / large) - few + rest);
  const R log_none = upper * log_small + lgamma(R(1) + few + upper) - lgamma(R(1) + upper);
  const R scale = x.p / n * x.q;
  const R l = log(select(two, scale / R(2 * pi), select(one, few, scale)));
  return select(two, log_two + R(0.5) * l,
                few * log_y - lgamma(R(1) + few) + l + select(one, log_one, log_none));
}

// ---- the expansion for large M = p q / n near the mean.
// M t^2 / 2 is the deviance, where t has the sign of u = (z - p / n) n^2 / (p q). The function is
//   erfc(-t (M/2)^1/2) / 2 + e^(-M t^2 / 2) (2 pi M)^-1/2 sum T_k(t) M^-k.
// The derivative of the function is the density. With g = t / u this gives T_0 = (1 - g) / t and
// T_k = (T_(k-1)' - d_k g) / t, where d_k are the numbers of Stirling's series of 1 / B. The terms
// g_k t^k follow from u u' = t (1 + c u - s u^2) with c = (q - p) / n and s = (1 - c^2) / 4 = p q /
// n^2. They are polynomials in c.

constexpr double large_m = 0x1p24, near_mean = 0.3;
constexpr int beta_terms = 8;
// The coefficients of t^k c^j.
using BetaExpansion = std::array<std::array<double, beta_terms>, beta_terms>;
constexpr BetaExpansion expansion_of_beta() {
  using Polynomial = std::array<double, beta_terms>;
  const auto times = [](const Polynomial& a, const Polynomial& b) {
    Polynomial r{};
    for (size_t i = 0; i < a.size(); ++i)
      for (size_t j = 0; i + j < a.size(); ++j) r[i + j] += a[i] * b[j];
    return r;
  };
  BetaExpansion g{}, square{};
  g[0][0] = square[0][0] = 1;
  // g - t g' = g^3 + c t g^2 - s t^2 g
  for (size_t k = 1; k < g.size(); ++k) {
    // The terms that do not contain g_k.
    Polynomial of_square{}, rest{};
    for (size_t i = 1; i < k; ++i) {
      const Polynomial p = times(g[i], g[k - i]), q = times(square[i], g[k - i]);
      for (size_t j = 0; j < p.size(); ++j) {
        of_square[j] += p[j];
        rest[j] += q[j];
      }
    }
    for (size_t j = 0; j < rest.size(); ++j) {
      rest[j] += of_square[j];
      if (j >= 1) rest[j] += square[k - 1][j - 1];
      if (k >= 2) rest[j] -= g[k - 2][j] / 4;
      if (k >= 2 && j >= 2) rest[j] += g[k - 2][j - 2] / 4;
    }
    for (size_t j = 0; j < rest.size(); ++j) {
      g[k][j] = -rest[j] / static_cast<double>(k + 2);
      square[k][j] = of_square[j] + 2 * g[k][j];
    }
  }
  return g;
}
constexpr BetaExpansion beta_expansion = expansion_of_beta();

// The smaller tail, divided by e^-deviance. `above`: z is above the mean, so the smaller tail is
// the upper one.
template <class R>
R beta_tail_near(const R& m, const R& c, const R& deviance, const Mask<R>& above) {
  constexpr size_t n = beta_terms;
  const R cc = c * c;
  std::array<R, n> g;
  for (size_t k = 1; k < n; ++k) {
    // The powers of c are either all odd or all even.
    R sum(beta_expansion[k][k]);
    for (size_t j = k; j >= 2; j -= 2) sum = sum * cc + R(beta_expansion[k][j - 2]);
    g[k] = k % 2 == 1 ? sum * c : sum;
  }
  const R size = sqrt(R(2) * deviance / m), t = select(above, size, -size);
  const R stirling = (R(1) - R(0.25) * (R(1) - cc)) / R(12);  // -d_1
  R first(0), second(0);
  for (size_t k = n - 1; k-- > 0;) first = first * t - g[k + 1];
  for (size_t k = n - 3; k-- > 0;)
    second = second * t + stirling * g[k + 1] - R(static_cast<double>(k + 2)) * g[k + 3];
  const R change = (first + second / m) / sqrt(R(2 * pi) * m);
  return R(0.5) * erfcx(sqrt(deviance)) + select(above, -change, change);
}

// Exchanges the powers for operands a, b, x in (0, 1) unless `direct`, so that the fraction
// converges.
template <class R>
BetaOperands<R> beta_operands(const Mask<R>& direct, const R& a, const R& b, const R& x) {
  // The sum of two of the largest numbers would overflow.
  const auto huge = both(a > R(1e292), b > R(1e292));
  const R p = select(huge, a * R(0x1p-40), a), q = select(huge, b * R(0x1p-40), b);
  const R rest = R(1) - x, t = q * x - p * rest;
  return {select(direct, p, q), select(direct, q, p), select(direct, x, rest),
          select(direct, rest, x), select(direct, t, -t)};
}

// Returns I_x(a, b) or 1 - I_x(a, b).
template <class R>
R incomplete_beta(double rounding, const R& a, const R& b, const R& x, Wanted w) {
  const auto a_zero = either(a == R(0), b == R(inf)), b_zero = either(b == R(0), a == R(inf));
  const auto x_zero = x == R(0), x_one = x == R(1);
  const auto wrong =
      either(either(either(is_nan(a), is_nan(b)), either(is_nan(x), both(a_zero, b_zero))),
             either(either(a < R(0), b < R(0)), either(x<R(0), x> R(1))));
  const auto is_zero = either(both(b_zero, no(x_one)), both(a_zero, x_zero));
  const auto is_one = either(both(a_zero, no(x_zero)), both(b_zero, x_one));
  const auto off = either(either(wrong, either(x_zero, x_one)), either(is_zero, is_one));
  const R p0 = select(off, R(1), a), q0 = select(off, R(1), b), z0 = select(off, R(0.25), x);
  const auto direct = z0 < (p0 + R(1)) / (p0 + q0 + R(2));
  const BetaOperands<R> v = beta_operands(direct, p0, q0, z0);
  const R n = v.n(), m = v.p / n * v.q;
  const auto large = both(m > R(large_m), abs(v.t * (n / v.p) / v.q) < R(near_mean));
  const R fraction = beta_fraction(rounding, select(large, R(1), v.p), select(large, R(1), v.q),
                                   select(large, R(0.25), v.z)) /
                     v.p;
  const auto above = v.t > R(0);
  // This case is rare, so lanes that do not need it do not compute it.
  const R near = where_needed<R>(large, [&] {
    const R far = beta_deviance(v), tail = beta_tail_near(m, (v.q - v.p) / n, far, above);
    return w.logarithm ? log(tail) - far : tail * exp(-far);
  });
  // The computed tail is the lower one of the exchanged operands, except near the mean, where it is
  // the smaller one.
  const auto lower = either(both(large, no(above)), no(large));
  const auto of_x = either(both(lower, direct), both(no(lower), no(direct)));
  const auto wanted = w.upper ? no(of_x) : of_x;
  const auto full = either(is_one, both(x_one, no(is_zero)));
  const R one(w.logarithm ? 0 : 1), none(w.logarithm ? -inf : 0);
  const R end = w.upper ? select(full, none, one) : select(full, one, none);
  R r;
  if (w.logarithm) {
    const R l = select(large, near, log(fraction) + log_beta_factor(v));
    r = select(wanted, l, log_of_rest(minimum(l, R(-1e-300))));
  } else {
    const R value = select(large, near, fraction * exp(log_beta_factor(v)));
    r = select(wanted, value, R(1) - value);
  }
  return select(wrong, R(nan), select(off, end, r));
}

// The logarithm of the density x^(a - 1) (1 - x)^(b - 1) / B(a, b) for 0 < x < 1.
template <class R>
R log_beta_density(const R& a, const R& b, const R& x) {
  const auto direct = x < R(0.5);
  const BetaOperands<R> v = beta_operands(direct, a, b, x);
  return log_beta_factor(v) - (log(x) + log1p(-x));
}

}  // namespace weft::special
