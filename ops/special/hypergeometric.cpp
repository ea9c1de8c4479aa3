// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/special/hypergeometric.cpp: hyp1f1, hyp1f1_grad_a, hyp1f1_grad_b, hyp2f1, hyp2f1_grad_a,
// hyp2f1_grad_c.
//
// All are series, transformed by DLMF 13.2.39 and 15.8.1 so that for positive parameters their
// terms have one sign. For large x the series of DLMF 13.7.1 is used, and near x = 1 those of
// 15.8.4 and 15.8.10.
#include "weft/lax/hypergeometric.h"

#include "ops/special/number.h"

namespace weft {
namespace {

using namespace special;
constexpr double max_terms = 1e5;

// True if a series with this parameter in the numerator is finite.
template <class R>
Mask<R> ends(const R& a) {
  return both(a <= R(0), is_whole(a));
}
template <class R>
R gamma_sign(const R& x) {
  const R half = R(0.5) * floor(x);
  return select(both(x < R(0), no(is_whole(half))), R(-1), R(1));
}
// Gamma(a) Gamma(b) / (Gamma(c) Gamma(d)), which is 0 at poles of Gamma(c) and Gamma(d).
template <class R>
R gamma_quotient(const R& a, const R& b, const R& c, const R& d) {
  return gamma_sign(a) * gamma_sign(b) * gamma_sign(c) * gamma_sign(d) *
         exp((lgamma(a) - lgamma(c)) + (lgamma(b) - lgamma(d)));
}

// Sums terms from 1 on, where each is the previous one times top(k) x / bottom(k). It ends when
// terms shrink and no longer change the sum.
template <class R, class F, class G>
R series(double rounding, const R& x, F top, G bottom) {
  const auto s = iterate(
      std::array<R, 3>{R(0), R(1), R(1)},  // (k, term, sum)
      [&](const auto& v) {
        const auto grows = abs(top(v[0]) * x) >= abs(bottom(v[0]));
        const auto counts = either(abs(v[1]) > abs(v[2]) * R(rounding),
                                   both(grows, both(v[1] != R(0), abs(v[1]) < R(inf))));
        return both(counts, v[0] < R(max_terms));
      },
      [&](const auto& v) {
        const R t = v[1] * (top(v[0]) / bottom(v[0]) * x);
        return std::array<R, 3>{v[0] + R(1), t, v[2] + t};
      });
  return s[2];
}
// Returns the sum and its derivative. top and bottom return their value and its derivative.
template <class R, class F, class G>
std::array<R, 2> dual_series(double rounding, const R& x, F top, G bottom) {
  const auto s = iterate(
      std::array<R, 5>{R(0), R(1), R(1), R(0), R(0)},  // (k, term, sum, the derivatives of both)
      [&](const auto& v) {
        const auto grows = abs(top(v[0])[0] * x) >= abs(bottom(v[0])[0]);
        const auto more = both(grows, both(either(v[1] != R(0), v[3] != R(0)),
                                           both(abs(v[1]) < R(inf), abs(v[3]) < R(inf))));
        const auto counts =
            either(abs(v[1]) > abs(v[2]) * R(rounding), abs(v[3]) > abs(v[4]) * R(rounding));
        return both(either(counts, more), v[0] < R(max_terms));
      },
      [&](const auto& v) {
        const auto n = top(v[0]), d = bottom(v[0]);
        const R q = x / d[0], t = v[1] * n[0] * q;
        const R dt = (v[3] * n[0] + v[1] * n[1]) * q - t * (d[1] / d[0]);
        return std::array<R, 5>{v[0] + R(1), t, v[2] + t, dt, v[4] + dt};
      });
  return {s[2], s[4]};
}

// ---- Kummer's function

template <class R>
R kummer(double rounding, const R& a, const R& b, const R& x) {
  const auto one = a == R(0), exponential = a == b, pole = b == R(0);
  const auto wrong = either(is_nan(a), either(is_nan(b), is_nan(x)));
  const auto off = either(wrong, either(one, either(exponential, pole)));
  const auto below = both(x < R(0), no(ends(a)));
  const R q = select(off, R(2), b), p = select(off, R(1), select(below, b - a, a));
  const R z = select(off, R(1), select(below, -x, x));
  const auto far = both(both(z > R(100), no(ends(p))),
                        (abs(R(1) - p) + R(1)) * (abs(q - p) + R(1)) < R(0.5) * z);
  const R near = series(
      rounding, select(far, R(0), z), [&](const R& k) { return p + k; },
      [&](const R& k) { return (q + k) * (R(1) + k); });
  const R tail = series(
      rounding, R(1) / select(far, z, R(inf)),
      [&](const R& k) { return (q - p + k) * (R(1) - p + k); },
      [&](const R& k) { return R(1) + k; });
  // e^z is applied as two roots, because it overflows before the product does.
  const R half = select(below, R(1), exp(R(0.5) * z));
  const R beyond = half * (gamma_quotient(q, R(1), p, R(1)) * pow(z, p - q) * tail) * half;
  const R value = select(far, beyond, select(below, exp(-z) * near, near));
  const R end = select(one, R(1), select(exponential, exp(x), R(inf)));
  return select(wrong, R(nan), select(off, end, value));
}
// The derivative with respect to b (by_b) or a.
template <class R>
R kummer_slope(double rounding, const R& a, const R& b, const R& x, bool by_b) {
  const auto below = x < R(0);
  const R p = select(below, b - a, a),
          dp = by_b ? select(below, R(1), R(0)) : select(below, R(-1), R(1));
  const R db = by_b ? R(1) : R(0);
  const auto s = dual_series(
      rounding, abs(x), [&](const R& k) { return std::array<R, 2>{p + k, dp}; },
      [&](const R& k) { return std::array<R, 2>{(b + k) * (R(1) + k), db * (R(1) + k)}; });
  return select(below, exp(x) * s[1], s[1]);
}

// ---- Gauss's function

template <class R>
R gauss_series(double rounding, const R& a, const R& b, const R& c, const R& x) {
  return series(
      rounding, x, [&](const R& k) { return (a + k) * (b + k); },
      [&](const R& k) { return (c + k) * (R(1) + k); });
}

// F(a, b; a + b + d; 1 - s) for small s and whole d = m >= 0 (DLMF 15.8.10).
template <class R>
R gauss_whole(double rounding, const R& a, const R& b, const R& m, const R& s) {
  const R c = a + b + m;
  // (k, term, sum) for the terms below m.
  const auto low = iterate(
      std::array<R, 3>{R(0), R(1), select(m > R(0), R(1), R(0))},
      [&](const auto& v) { return v[0] + R(1) < m; },
      [&](const auto& v) {
        const R& k = v[0];
        const R t = v[1] * ((a + k) * (b + k) / ((k + R(1)) * (k + R(1) - m)) * s);
        return std::array<R, 3>{k + R(1), t, v[2] + t};
      });
  // (k, factor, sum, digammas, term)
  const R log_s = log(s);
  const R digammas = digamma(a + m) + digamma(b + m) - digamma(R(1)) - digamma(m + R(1));
  const auto high = iterate(
      std::array<R, 5>{R(0), R(1), log_s + digammas, digammas, R(inf)},
      [&](const auto& v) { return both(abs(v[4]) > abs(v[2]) * R(rounding), v[0] < R(max_terms)); },
      [&](const auto& v) {
        const R& k = v[0];
        const R p = a + m + k, q = b + m + k, i = k + R(1), j = k + m + R(1);
        const R f = v[1] * (p * q / (i * j) * s);
        const R sum = v[3] + R(1) / p + R(1) / q - R(1) / i - R(1) / j;
        const R t = f * (log_s + sum);
        return std::array<R, 5>{i, f, v[2] + t, sum, t};
      });
  const R odd = select(is_whole(R(0.5) * m), R(1), R(-1));
  const R first =
      select(m > R(0), gamma_quotient(maximum(m, R(1)), c, a + m, b + m) * low[2], R(0));
  return first - odd * pow(s, m) * gamma_quotient(c, R(1), a, b) * exp(-lgamma(m + R(1))) * high[2];
}

// F(a, b; c; x) for 1/2 <= x < 1, s = 1 - x, d = c - a - b > -1.
template <class R>
R gauss_near_one(double rounding, const R& a, const R& b, const R& c, const R& s) {
  const R d = c - a - b, m = floor(d + R(0.5)), off = abs(d - m);
  const auto whole = off<R(1e-13), apart = off> R(0.01);
  const R first =
      gauss_series(rounding, a, b, R(1) - select(apart, d, R(0.5)), select(apart, s, R(0)));
  const R second =
      gauss_series(rounding, c - a, c - b, R(1) + select(apart, d, R(0.5)), select(apart, s, R(0)));
  const R two =
      gamma_quotient(c, d, c - a, c - b) * first + pow(s, d) * gamma_quotient(c, -d, a, b) * second;
  const R logarithmic = gauss_whole(rounding, select(whole, a, R(1)), select(whole, b, R(1)),
                                    select(whole, m, R(0)), select(whole, s, R(0.1)));
  const R slow = gauss_series(rounding, a, b, c, select(either(whole, apart), R(0), R(1) - s));
  return select(whole, logarithmic, select(apart, two, slow));
}

template <class R>
R gauss(double rounding, const R& a, const R& b, const R& c, const R& x) {
  const auto wrong = either(either(is_nan(a), is_nan(b)), either(is_nan(c), is_nan(x)));
  const auto one = either(x == R(0), both(either(a == R(0), b == R(0)), c != R(0)));
  const auto polynomial = either(ends(a), ends(b));
  const auto at_one = both(x == R(1), no(polynomial));
  const auto pole = either(ends(c), both(no(polynomial), x > R(1)));
  const auto off = either(either(wrong, one), either(pole, at_one));
  const R c0 = select(off, R(2), c), a0 = select(off, R(1), a), x0 = select(off, R(0.25), x);
  const R b0 = select(off, R(1), b);
  // Transforms x to 0 <= z < 1 by x / (x - 1), and then the parameters to c - a - b > -1.
  const auto free = no(both(no(off), polynomial));
  const auto below = both(free, x0 < R(-0.5));
  const R b1 = select(below, c0 - b0, b0), z = select(below, x0 / (x0 - R(1)), x0);
  const R s = select(below, R(1) / (R(1) - x0), R(1) - x0), d = c0 - a0 - b1;
  const auto turned = both(free, d <= R(-1));
  const R p = select(turned, c0 - a0, a0), q = select(turned, c0 - b1, b1);
  const auto near = both(both(free, z > R(0.9)), no(either(ends(p), ends(q))));
  const R direct = gauss_series(rounding, p, q, c0, select(near, R(0), z));
  const R close = gauss_near_one(rounding, select(near, p, R(0.5)), select(near, q, R(0.5)),
                                 select(near, c0, R(1.5)), select(near, s, R(0.1)));
  const R value = select(near, close, direct) * select(turned, pow(s, d), R(1)) *
                  select(below, pow(s, a0), R(1));
  const R excess = c - a - b;
  const R limit = select(excess > R(0), gamma_quotient(c, excess, c - a, c - b), R(inf));
  const R end = select(one, R(1), select(pole, R(inf), limit));
  return select(wrong, R(nan), select(off, end, value));
}
// The derivative with respect to c (by_c) or a.
template <class R>
R gauss_slope(double rounding, const R& a, const R& b, const R& c, const R& x, bool by_c) {
  const auto below = x < R(-0.5);
  const R q = select(below, c - b, b), z = select(below, x / (x - R(1)), x);
  const R da = by_c ? R(0) : R(1), dc = by_c ? R(1) : R(0), dq = select(below, dc, R(0));
  const auto s = dual_series(
      rounding, z,
      [&](const R& k) { return std::array<R, 2>{(a + k) * (q + k), da * (q + k) + dq * (a + k)}; },
      [&](const R& k) { return std::array<R, 2>{(c + k) * (R(1) + k), dc * (R(1) + k)}; });
  const R l = log1p(-select(below, x, R(0)));
  return select(below, exp(-a * l) * (s[1] - da * l * s[0]), s[1]);
}

// ---- the ops

// There are few samples because each program is long.
std::vector<Sample<None>> samples_of(size_t n) {
  std::vector<Sample<None>> s;
  for (const Type& t : {Type(F64, {9}), Type(F32, {2, 2}), Type(F64, {0})})
    s.push_back({Types(n, t), {}, 0.2, 0.8});
  s[1].in[0] = Type(F32, {});
  return s;
}
template <int n, class F>
Def<None> hypergeometric(const char* name, const char* doc, F f) {
  auto d = looped<n>(name, doc, f);
  d.samples = [] { return samples_of(n); };
  d.rejects = [] { return std::vector{integers_refused(n)}; };
  return d;
}
const Primitive<None>& hyp1f1_grad_a_op = define<None>(hypergeometric<3>(
    "hyp1f1_grad_a", "Computes the derivative of hyp1f1 with respect to a.",
    [](double e, auto a, auto b, auto x) { return kummer_slope(e, a, b, x, false); }));
const Primitive<None>& hyp1f1_grad_b_op = define<None>(hypergeometric<3>(
    "hyp1f1_grad_b", "Computes the derivative of hyp1f1 with respect to b.",
    [](double e, auto a, auto b, auto x) { return kummer_slope(e, a, b, x, true); }));
const Primitive<None>& hyp2f1_grad_a_op = define<None>(hypergeometric<4>(
    "hyp2f1_grad_a", "Computes the derivative of hyp2f1 with respect to a.",
    [](double e, auto a, auto b, auto c, auto x) { return gauss_slope(e, a, b, c, x, false); }));
const Primitive<None>& hyp2f1_grad_c_op = define<None>(hypergeometric<4>(
    "hyp2f1_grad_c", "Computes the derivative of hyp2f1 with respect to c.",
    [](double e, auto a, auto b, auto c, auto x) { return gauss_slope(e, a, b, c, x, true); }));

// Sums the tangents times the slopes over the operands that have a tangent.
template <class F>
Arrays total(const JvpArgs<None>& j, F slope) {
  Array sum;
  for (size_t k = 0; k < j.x.size(); ++k) {
    if (j.dx[k].empty_handle()) continue;
    const Array part = broadcast_like(lax::mul(j.dx[k], slope(k)), j.out[0].type());
    sum = sum.empty_handle() ? part : lax::add(sum, part);
  }
  return {sum};
}
Array more(const Array& x) { return lax::add(x, like(x, 1)); }

const Primitive<None>& hyp1f1_op = define<None>([] {
  auto d = hypergeometric<3>("hyp1f1", "Computes Kummer's hypergeometric function M(a, b, x).",
                             [](double e, auto a, auto b, auto x) { return kummer(e, a, b, x); });
  d.jvp = [](const JvpArgs<None>& j) {
    return total(j, [&](size_t k) {
      const Array &a = j.x[0], &b = j.x[1], &x = j.x[2];
      if (k == 0) return hyp1f1_grad_a_op({a, b, x});
      if (k == 1) return hyp1f1_grad_b_op({a, b, x});
      return lax::mul(lax::div(a, b), lax::hyp1f1(more(a), more(b), x));
    });
  };
  return d;
}());
const Primitive<None>& hyp2f1_op = define<None>([] {
  auto d = hypergeometric<4>(
      "hyp2f1", "Computes Gauss's hypergeometric function F(a, b; c; x).",
      [](double e, auto a, auto b, auto c, auto x) { return gauss(e, a, b, c, x); });
  d.jvp = [](const JvpArgs<None>& j) {
    return total(j, [&](size_t k) {
      const Array &a = j.x[0], &b = j.x[1], &c = j.x[2], &x = j.x[3];
      if (k == 0) return hyp2f1_grad_a_op({a, b, c, x});
      if (k == 1) return hyp2f1_grad_a_op({b, a, c, x});
      if (k == 2) return hyp2f1_grad_c_op({a, b, c, x});
      return lax::mul(lax::div(lax::mul(a, b), c), lax::hyp2f1(more(a), more(b), more(c), x));
    });
  };
  return d;
}());

}  // namespace

namespace lax {
Array hyp1f1(const Arg& a, const Arg& b, const Arg& x) {
  const SourceScope s(a.at());
  return hyp1f1_op({a, b, x});
}
Array hyp2f1(const Arg& a, const Arg& b, const Arg& c, const Arg& x) {
  const SourceScope s(a.at());
  return hyp2f1_op({a, b, c, x});
}
Array hyp1f1_grad_a(const Arg& a, const Arg& b, const Arg& x) {
  const SourceScope s(a.at());
  return hyp1f1_grad_a_op({a, b, x});
}
Array hyp1f1_grad_b(const Arg& a, const Arg& b, const Arg& x) {
  const SourceScope s(a.at());
  return hyp1f1_grad_b_op({a, b, x});
}
Array hyp2f1_grad_a(const Arg& a, const Arg& b, const Arg& c, const Arg& x) {
  const SourceScope s(a.at());
  return hyp2f1_grad_a_op({a, b, c, x});
}
Array hyp2f1_grad_c(const Arg& a, const Arg& b, const Arg& c, const Arg& x) {
  const SourceScope s(a.at());
  return hyp2f1_grad_c_op({a, b, c, x});
}
}  // namespace lax

}  // namespace weft
