// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/special/incomplete.cpp: igamma, igammac, igamma_grad_a, random_gamma_grad,
// regularized_incomplete_beta, expn.
//
// Sums and continued fractions of DLMF 8.11.4, 8.9.2, 8.17.22 and 8.19.8; the fractions by the
// method of Lentz, Thompson and Barnett. Near x = a both of igamma need a number of terms that
// grows with the root of a: large ones are left to the expansion of DLMF 8.12.7, which is uniform
// there.
#include "weft/ops/special/incomplete.h"

#include <cmath>

#include "weft/ops/special/number.h"

namespace weft {
namespace {

using namespace special;
constexpr double least = 1e-290;  // stands for a zero of the fractions
constexpr double most_terms = 1e5;

// log(1 + m) - m for |m| <= 1/2, by the series of 2 artanh(m / (2 + m)).
template <class R>
R log1p_less(const R& m) {
  const R r = m / (m + R(2)), s = r * r;
  R sum(1.0 / 37);
  for (int k = 35; k >= 3; k -= 2) sum = sum * s + R(1.0 / k);
  return R(2) * r * s * sum - r * m;
}

// What Stirling's formula adds to (x - 1/2) log x - x + log(2 pi) / 2 for log Gamma(x), x >= 10.
template <class R>
R stirling_rest(const R& x) {
  const R i = R(1) / x, u = i * i;
  R rest(-691.0 / 360360);
  for (double c : {1.0 / 1188, -1.0 / 1680, 1.0 / 1260, -1.0 / 360, 1.0 / 12})
    rest = rest * u + R(c);
  return rest * i;
}

// x^a e^-x / Gamma(a). Near x = a > 10 what cancels in the logarithm is left out by Stirling.
template <class R>
R gamma_factor(const R& a, const R& x) {
  const auto close = both(a > R(10), abs(x - a) < R(0.5) * a);
  const R plain = a * log(x) - x - lgamma(a);
  const R b = select(close, a, R(11)), m = select(close, (x - a) / a, R(0));
  const R near = b * log1p_less(m) - stirling_rest(b);
  // Of the largest numbers, parts of the logarithm are infinite.
  const auto nothing = either(a > R(1e300), x > R(1e300));
  return select(close, exp(near) * sqrt(b / R(2 * pi)), select(nothing, R(0), exp(plain)));
}

// The sum of x^k / ((a + 1) … (a + k)), and its derivative by a.
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
  // (a + k, term, sum, derivative of the term, its sum)
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

template <class R>
R away_from_zero(const R& x) {
  return select(abs(x) < R(least), R(least), x);
}

// Q(a, x) Gamma(a) / (x^a e^-x) for x >= 1, x > a, and its derivative by a.
template <class R>
std::array<R, 2> gamma_fraction(double rounding, const R& a, const R& x, bool slope) {
  const R b0 = x + R(1) - a;
  const R d0 = R(1) / away_from_zero(b0);
  if (!slope) {
    // (k, b, c, d, h, what h was last multiplied by)
    const auto s = iterate(
        std::array<R, 6>{R(0), b0, R(1 / least), d0, d0, R(2)},
        [&](const auto& v) {
          return both(abs(v[5] - R(1)) > R(2 * rounding), v[0] < R(most_terms));
        },
        [&](const auto& v) {
          const R k = v[0] + R(1), n = k * (a - k), b = v[1] + R(2);
          const R d = R(1) / away_from_zero(n * v[3] + b), c = away_from_zero(b + n / v[2]);
          return std::array<R, 6>{k, b, c, d, v[4] * (c * d), c * d};
        });
    return {s[4], R(0)};
  }
  // (k, b, c, d, h, c', d', h', change of h, change of h'); the derivative of each b is -1, that of
  // numerator k is k.
  const auto s = iterate(
      std::array<R, 10>{R(0), b0, R(1 / least), d0, d0, R(0), d0 * d0, d0 * d0, R(1), R(1)},
      [&](const auto& v) {
        const auto moves = either(abs(v[8]) > abs(v[4]) * R(2 * rounding),
                                  abs(v[9]) > abs(v[7]) * R(2 * rounding));
        return both(moves, v[0] < R(most_terms));
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

// ---- the expansion for large a and x = (1 + m) a near a: with h^2 / 2 = m - log(1 + m) it is
// Q = erfc(h (a/2)^1/2) / 2 + e^(-a h^2 / 2) (2 pi a)^-1/2 sum C_k(h) a^-k.

constexpr double large_a = 0x1p14, near_a = 0.3;
// Terms of the series of C_k in powers of h: |h| < 0.34, they shrink by a tenth, and a^-k.
constexpr std::array<int, 4> expansion_terms = {16, 12, 8, 4};
constexpr int all_terms = 24;
using Expansion = std::array<std::array<double, all_terms>, expansion_terms.size()>;

// m = sum of alpha_n h^n by m m' = h (1 + m); C_0 = 1/m - 1/h, C_k = C_(k-1)' / h + (-1)^k g_k / m,
// where g_k are the numbers of Stirling's series of the gamma function.
constexpr Expansion expansion_of_gamma() {
  std::array<double, all_terms + 3> alpha{}, inverse{};  // inverse: of m / h
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
  // C_k(h), its derivative.
  std::array<R, 2> coefficient(size_t k) const {
    R sum(0), slope(0);
    for (int n = expansion_terms[k] - 1; n >= 0; --n) {
      slope = slope * h + sum;
      sum = sum * h + R(expansion[k][static_cast<size_t>(n)]);
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
// P or Q.
template <class R>
R gamma_near(const NearA<R>& n, bool upper) {
  R sum(0);
  for (size_t k = expansion.size(); k-- > 0;) sum = sum / n.a + n.coefficient(k)[0];
  const R change = exp(n.a * log1p_less(n.m)) / sqrt(R(2 * pi) * n.a) * sum;
  const R z = n.h * sqrt(n.a * R(0.5)), half(0.5);
  return upper ? half * erfc(z) + change : half * erfc(-z) - change;
}
// The derivative of P by a over x^a e^-x / Gamma(a), in which no exponential is left.
template <class R>
R gamma_near_slope(const NearA<R>& n) {
  const R i = R(1) / n.a, first = n.coefficient(0)[0];
  const R ratio = R(1) / (R(1) + n.h * first);  // m / h, whose share of -1/a is that of h
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

// P or Q: what converges fast is computed, the other is one less.
template <class R>
R incomplete_gamma(double rounding, const R& a, const R& x, bool upper) {
  const auto wrong = either(either(is_nan(a), is_nan(x)),
                            either(either(x < R(0), a < R(0)), both(a == R(0), x == R(0))));
  // As in JAX there is nothing at a = inf between the ends of x.
  const auto beyond = both(a == R(inf), both(x > R(0), x < R(inf)));
  const auto at_end = either(x == R(inf), either(x == R(0), either(a == R(0), a == R(inf))));
  const auto off = either(wrong, at_end);
  const R p = select(off, R(1), a), z = select(off, R(1), x);
  const auto large = is_near(p, z);
  const auto by_fraction = both(no(large), both(z >= R(1), z > p));
  const R factor = gamma_factor(p, z);
  // A lane that does not need one of the two gets arguments for which it ends at once.
  const R sum =
      gamma_series(rounding, p, select(either(large, by_fraction), R(0), z), false)[0] * factor / p;
  const R fraction = gamma_fraction(rounding, select(by_fraction, p, R(1)),
                                    select(by_fraction, z, R(2)), false)[0] *
                     factor;
  // A factor of 0 beside a sum without bound is 0.
  const R low = minimum(select(factor == R(0), R(0), sum), R(1)),
          high = minimum(select(factor == R(0), R(0), fraction), R(1));
  const R small =
      upper ? select(by_fraction, high, R(1) - low) : select(by_fraction, R(1) - high, low);
  const R value = select(large, gamma_near(near(p, z), upper), small);
  const auto full = either(x == R(inf), a == R(0));  // P = 1
  const R end = upper ? select(full, R(0), R(1)) : select(full, R(1), R(0));
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
  const R factor = gamma_factor(p, z);
  const R value = of_sample ? -(both_sides * z) : select(factor == R(0), R(0), both_sides * factor);
  return select(wrong, R(nan), select(at_end, R(0), value));
}

// ---- beta

// The fraction for x < (a + 1) / (a + b + 2).
template <class R>
R beta_fraction(double rounding, const R& a, const R& b, const R& x) {
  const R d0 = R(1) / away_from_zero(R(1) - (a + b) * x / (a + R(1)));
  // (m, c, d, h, last factor); a trip does two steps.
  const auto s = iterate(
      std::array<R, 5>{R(0), R(1), d0, d0, R(2)},
      [&](const auto& v) { return both(abs(v[4] - R(1)) > R(2 * rounding), v[0] < R(most_terms)); },
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

// log(Gamma(q) / Gamma(p + q)): for large q by Stirling's formula, of which the largest terms are
// taken away from each other beforehand.
template <class R>
R log_gamma_quotient(const R& p, const R& q) {
  const auto large = q >= R(10);
  const R b = select(large, q, R(10)), sum = p + b;
  const R far =
      stirling_rest(b) - stirling_rest(sum) - (b - R(0.5)) * log1p(p / b) - p * (log(sum) - R(1));
  return select(large, far, lgamma(q) - lgamma(p + q));
}

// z^p (1 - z)^q / B(p, q) for p, q >= 10: the powers and the beta function nearly cancel. With t =
// q z - p (1 - z), which is 0 at the mean, they are p (log(1 + u) - u) at u = t / p and the like.
template <class R>
R factor_of_large(const R& p, const R& q, const R& z) {
  const R n = p + q, t = q * z - p * (R(1) - z);
  const auto part = [](const R& a, const R& u) {
    const auto close = abs(u) < R(0.5);
    return a * select(close, log1p_less(select(close, u, R(0))), log1p(u) - u);
  };
  const R rest = stirling_rest(n) - stirling_rest(p) - stirling_rest(q);
  return exp(part(p, t / p) + part(q, -(t / q)) + rest) * sqrt(p / n * q / R(2 * pi));
}

template <class R>
R incomplete_beta(double rounding, const R& a, const R& b, const R& x) {
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
  const R p = select(direct, p0, q0), q = select(direct, q0, p0);
  const R z = select(direct, z0, R(1) - z0);
  const R log_z = select(direct, log(z0), log1p(-z0)),
          log_rest = select(direct, log1p(-z0), log(z0));
  const R tail = log_gamma_quotient(p, q);
  const R apart = select(p < R(1e-307), exp(q * log_rest - tail),
                         exp(p * log_z + q * log_rest - (lgamma(p) + tail)) / p);
  const auto many = both(both(p >= R(10), q >= R(10)), p + q < R(1e300));
  const R factor =
      select(many, factor_of_large(select(many, p, R(10)), select(many, q, R(10)), z) / p, apart);
  const R value = beta_fraction(rounding, p, q, z) * factor;
  const R r = select(direct, value, R(1) - value);
  const R end = select(is_zero, R(0), select(is_one, R(1), select(x_zero, R(0), R(1))));
  return select(wrong, R(nan), select(off, end, r));
}

// ---- the exponential integral E_n, for which x^(n - 1) Gamma(1 - n, x) is another name

template <class R>
R exponential_integral(double rounding, const R& n, const R& x) {
  const auto wrong =
      either(either(is_nan(n), is_nan(x)), either(either(n < R(0), no(is_whole(n))), x < R(0)));
  const auto vanishes = either(n == R(inf), x == R(inf)), at_zero = x == R(0), zeroth = n == R(0);
  const auto off = either(either(wrong, vanishes), either(at_zero, zeroth));
  const R m = select(off, R(1), n), z = select(off, R(2), x);
  const auto far = z > R(1);
  const R fraction =
      gamma_fraction(rounding, select(far, R(1) - m, R(0)), select(far, z, R(2)), false)[0];
  // (k, (-x)^k / k!, the sum of that over k - n + 1, but for the term in which this is 0)
  const R y = select(far, R(0), z);
  const auto s = iterate(
      std::array<R, 3>{R(0), R(1), select(m == R(1), R(0), R(1) / (R(1) - m))},
      [&](const auto& v) { return abs(v[1]) > abs(v[2]) * R(rounding); },
      [&](const auto& v) {
        const R k = v[0] + R(1), t = -(v[1] * (y / k)), d = k + R(1) - m;
        return std::array<R, 3>{k, t, v[2] + select(d == R(0), R(0), t / d)};
      });
  const R odd = select(is_whole(R(0.5) * m), R(-1), R(1));
  const R first =
      odd * pow(y, m - R(1)) * exp(-lgamma(m)) * (digamma(m) - log(select(far, R(1), z)));
  const R value = select(far, exp(-z) * fraction, first - s[2]);
  const R end = select(at_zero, select(n < R(2), R(inf), R(1) / (n - R(1))),
                       select(vanishes, R(0), exp(-x) / x));
  return select(wrong, R(nan), select(off, end, value));
}

// ---- the ops

// x^(a - 1) rest(x), where `log_rest` is a logarithm: the exponential of a sum, and at x = 0 the
// power itself, in whose logarithm 0 times infinity would stand.
Array power_times(const Array& a, const Array& x, const Array& log_rest) {
  using namespace lax;
  const Type t = log_rest.type();
  const Array less = sub(a, like(a, 1)), end = broadcast_like(eq(x, like(x, 0)), t);
  const Array one = broadcast_like(like(x, 1), t), wide = broadcast_like(x, t);
  const Array inside = exp(add(mul(less, log(select(end, one, wide))), log_rest));
  // In range where it counts: for a <= 3, beyond which two derivatives are 0.
  const Array scale = exp(min(log_rest, like(log_rest, 80)));
  // A power of exponent 0 is 1, and so are its derivatives 0, where 0 times 1 / 0 would be NaN.
  const Array power = broadcast_like(less, t), flat = eq(power, like(power, 0));
  const Array there =
      mul(select(flat, one, pow(select(end, wide, one), select(flat, one, power))), scale);
  return select(end, there, inside);
}
Array gamma_density(const Array& a, const Array& x) {
  using namespace lax;
  return power_times(a, x, neg(add(x, lgamma(a))));
}
// Few, as each program is long: one a shape, a scalar beside a full shape, both wide dtypes.
std::vector<Sample<None>> samples_of(size_t n, double lo, double hi) {
  std::vector<Sample<None>> s;
  for (const Type& t : {Type(F64, {24}), Type(F32, {5})}) s.push_back({Types(n, t), {}, lo, hi});
  s.back().in[0] = Type(F32, {});
  return s;
}
// Orders 0 to 4, and numbers about 1, where one way of expn ends and the other begins.
Arrays whole_orders(const Type& t, uint64_t seed) {
  const Type wide(F64, t.shape());
  const Fresh n = fresh_array(wide), x = fresh_array(wide);
  for (int64_t i = 0; i < t.elements(); ++i) {
    const auto k = static_cast<double>(seed % 7) + static_cast<double>(i);
    static_cast<double*>(n.data)[i] = std::fmod(k, 5);
    static_cast<double*>(x.data)[i] = 0.3 + std::fmod(0.37 * k, 3);
  }
  return {base::convert(n.array, t.dtype()), base::convert(x.array, t.dtype())};
}
std::vector<Sample<None>> gamma_samples() { return samples_of(2, 0.3, 4); }

const Primitive<None>& igamma_grad_a_op = define<None>([] {
  auto d = looped<2>("igamma_grad_a", "The derivative of igamma by a.",
                     [](double e, auto a, auto x) { return gamma_slope(e, a, x, false); });
  d.samples = gamma_samples;
  d.rejects = [] { return std::vector{integers_refused(2)}; };
  return d;
}());

const Primitive<None>& random_gamma_grad_op = define<None>([] {
  auto d = looped<2>("random_gamma_grad",
                     "The derivative by a of a sample x of the gamma distribution of a.",
                     [](double e, auto a, auto x) { return gamma_slope(e, a, x, true); });
  d.samples = gamma_samples;
  d.rejects = [] { return std::vector{integers_refused(2)}; };
  return d;
}());

Def<None> gamma_def(const char* name, const char* doc, bool upper) {
  auto d = looped<2>(
      name, doc, [upper](double e, auto a, auto x) { return incomplete_gamma(e, a, x, upper); });
  const auto signed_by = [upper](const Array& t) { return upper ? lax::neg(t) : t; };
  d.jvp = binary_jvp(
      [signed_by](const Array& da, const Array& a, const Array& x, const Array&) {
        return signed_by(lax::mul(da, igamma_grad_a_op({a, x})));
      },
      [signed_by](const Array& dx, const Array& a, const Array& x, const Array&) {
        return signed_by(lax::mul(dx, gamma_density(a, x)));
      });
  d.samples = gamma_samples;
  d.rejects = [] { return std::vector{integers_refused(2)}; };
  return d;
}
const Primitive<None>& igamma_op = define<None>(
    gamma_def("igamma", "The regularised lower incomplete gamma function P(a, x).", false));
const Primitive<None>& igammac_op = define<None>(
    gamma_def("igammac", "The regularised upper incomplete gamma function Q(a, x).", true));

const Primitive<None>& betainc_op = define<None>([] {
  auto d = looped<3>("regularized_incomplete_beta",
                     "The regularised incomplete beta function of a, b and x.",
                     [](double e, auto a, auto b, auto x) { return incomplete_beta(e, a, b, x); });
  d.jvp = [](const JvpArgs<None>& j) {
    using namespace lax;
    if (!j.dx[0].empty_handle() || !j.dx[1].empty_handle())
      throw DifferentiationError(
          "betainc: there is a derivative by x alone, none by a or b, as in JAX");
    const Array &a = j.x[0], &b = j.x[1], &x = j.x[2];
    const Array log_beta = sub(add(lgamma(a), lgamma(b)), lgamma(add(a, b)));
    // In the half of each end, the other power has a logarithm.
    const Type t = j.out[0].type();
    const Array half = broadcast_like(lt(x, like(x, 0.5)), t), z = broadcast_like(x, t);
    const Array middle = broadcast_like(like(x, 0.5), t),
                rest = sub(broadcast_like(like(x, 1), t), z);
    const auto side = [&](const Array& p, const Array& v, const Array& q) {
      return power_times(p, v, sub(mul(sub(q, like(q, 1)), log1p(neg(v))), log_beta));
    };
    const Array slope =
        select(half, side(a, select(half, z, middle), b), side(b, select(half, middle, rest), a));
    return Arrays{mul(j.dx[2], slope)};
  };
  d.samples = [] { return samples_of(3, 0.1, 0.9); };
  d.rejects = [] { return std::vector{integers_refused(3)}; };
  return d;
}());

const Primitive<None>& expn_op = define<None>([] {
  auto d =
      looped<2>("expn", "The exponential integral E_n(x), of e^(-x t) / t^n from t = 1 to inf.",
                [](double e, auto n, auto x) { return exponential_integral(e, n, x); });
  d.jvp = [](const JvpArgs<None>& j) {
    using namespace lax;
    if (!j.dx[0].empty_handle())
      throw DifferentiationError(
          "expn: there is a derivative by x alone, none by the order, as in JAX");
    const Array &n = j.x[0], &x = j.x[1];
    // Below E_0 = e^-x / x there is E_-1 = e^-x (1 + x) / x^2.
    const Type t = j.out[0].type();
    const Array m = broadcast_like(n, t), one = broadcast_like(like(n, 1), t);
    const Array zeroth = eq(m, like(m, 0));
    const Array inverse = div(one, select(zeroth, broadcast_like(x, t), one));
    const Array last = mul(exp(neg(x)), add(inverse, square(inverse)));
    const Array next = expn(sub(select(zeroth, one, m), one), x);
    const Array slope = select(zeroth, broadcast_like(last, t), next);
    return Arrays{neg(mul(j.dx[1], slope))};
  };
  d.samples = [] {
    std::vector<Sample<None>> s;
    for (const Type& t : {Type(F64, {12}), Type(F32, {2, 3}), Type(F32, {0})})
      s.push_back({{t, t}, {}, 0.3, 4, [t](uint64_t seed) { return whole_orders(t, seed); }});
    return s;
  };
  d.rejects = [] { return std::vector{integers_refused(2)}; };
  return d;
}());

}  // namespace

namespace lax {
Array igamma(const Arg& a, const Arg& x) {
  const Source s(a.at());
  return igamma_op({a, x});
}
Array igammac(const Arg& a, const Arg& x) {
  const Source s(a.at());
  return igammac_op({a, x});
}
Array igamma_grad_a(const Arg& a, const Arg& x) {
  const Source s(a.at());
  return igamma_grad_a_op({a, x});
}
Array random_gamma_grad(const Arg& a, const Arg& x) {
  const Source s(a.at());
  return random_gamma_grad_op({a, x});
}
Array expn(const Arg& n, const Arg& x) {
  const Source s(n.at());
  return expn_op({n, x});
}
Array betainc(const Arg& a, const Arg& b, const Arg& x) {
  const Source s(a.at());
  return betainc_op({a, b, x});
}
}  // namespace lax

}  // namespace weft
