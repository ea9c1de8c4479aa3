// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/accuracy/several.h: the elementwise functions of two and three real numbers: their exact
// values in multiple precision, and the distribution of the operands at which they are tested.
#pragma once
#include <array>
#include <bit>
#include <random>
#include <vector>

#include "tools/accuracy/measure.h"

namespace weft::accuracy {

using Operands = std::array<Multiple, 3>;
using Places = std::array<double, 3>;

// The lower function is e^-x x^a / Gamma(a + 1) times the sum of x^k / ((a + 1) … (a + k)). The
// upper one is 1 minus that, with as many more digits as the difference loses.
inline Multiple incomplete_gamma(const Multiple& a, const Multiple& x, bool upper) {
  const double p = a.to_double(), z = x.to_double();
  const bool lost = upper && z > p;
  const MoreDigits more(lost ? 64 + 1.45 * (z - p - p * std::log(z / p)) : 0);
  Multiple term(1.), sum(1.), r = a;
  const Multiple one(1.);
  for (int k = 1; k < 200000 && term.exponent() > sum.exponent() - Multiple::digits; ++k) {
    r = r + one;
    term = term * x / r;
    sum = sum + term;
  }
  const Multiple low = sum * exp(a * log(x) - x - apply(mpfr_lngamma, a + one));
  return upper ? one - low : low;
}

// Below the mean: x^a (1 - x)^b / (a B(a, b)) times the sum of (a + b)_k / (a + 1)_k x^k. Beyond
// it: 1 minus the function with a, b and x replaced by b, a and 1 - x.
inline Multiple incomplete_beta(const Multiple& a, const Multiple& b, const Multiple& x) {
  const Multiple one(1.);
  const double p = a.to_double(), q = b.to_double();
  if (x.to_double() > (p + 1) / (p + q + 2)) return one - incomplete_beta(b, a, one - x);
  Multiple term(1.), sum(1.), top = a + b, bottom = a;
  for (int k = 1; k < 200000 && term.exponent() > sum.exponent() - Multiple::digits; ++k) {
    bottom = bottom + one;
    term = term * top * x / bottom;
    top = top + one;
    sum = sum + term;
  }
  const Multiple log_beta =
      apply(mpfr_lngamma, a) + apply(mpfr_lngamma, b) - apply(mpfr_lngamma, a + b);
  return sum * exp(a * log(x) + b * log(one - x) - log_beta) / a;
}

inline Multiple power(const Multiple& x, const Multiple& y) {
  Multiple r;
  mpfr_pow(r.get(), x.get(), y.get(), MPFR_RNDN);
  return r;
}
// Hurwitz's zeta function by the Euler-Maclaurin formula, after 40 + s terms.
inline Multiple hurwitz(const Multiple& s, const Multiple& q) {
  static const std::vector<Multiple> bernoulli = [] {  // B(2k) / (2k)!
    const MoreDigits more(64);
    std::vector<Multiple> b;
    for (unsigned long k = 1; k <= 40; ++k) {
      Multiple z;
      mpfr_zeta_ui(z.get(), 2 * k, MPFR_RNDN);
      const Multiple size = z * 2. / power(pi() * 2., Multiple(2. * static_cast<double>(k)));
      b.push_back(k % 2 == 1 ? size : Multiple(0.) - size);
    }
    return b;
  }();
  const Multiple one(1.), less = Multiple(0.) - s;
  const int terms = std::max(1, static_cast<int>(40 + s.to_double() - q.to_double()));
  Multiple sum(0.), a = q;
  for (int k = 0; k < terms; ++k) {
    sum = sum + power(a, less);
    a = a + one;
  }
  const Multiple tail = power(a, less);
  sum = sum + tail * a / (s - one) + tail * 0.5;
  Multiple factor = tail * s / a, n = s;
  for (const Multiple& b : bernoulli) {
    sum = sum + factor * b;
    factor = factor * (n + one) * (n + Multiple(2.)) / (a * a);
    n = n + Multiple(2.);
  }
  return sum;
}
inline Multiple polygamma(const Multiple& m, const Multiple& x) {
  const Multiple one(1.);
  if (m.to_double() == 0) return apply(mpfr_digamma, x);
  const Multiple size = apply(mpfr_gamma, m + one) * hurwitz(m + one, x);
  return std::fmod(m.to_double(), 2) == 0 ? Multiple(0.) - size : size;
}

// ---- operands

struct Random {
  std::mt19937_64 bits;
  const Format& format;
  double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  double between(double lo, double hi) { return lo + (hi - lo) * unit(); }
  // A random size between 2^lo and 2^hi.
  double size(double lo, double hi) { return std::exp2(between(lo, hi)); }
  double sign() { return bits() % 2 ? 1 : -1; }
  double any() {
    if (format.dtype == F64) return std::bit_cast<double>(bits());
    return std::bit_cast<float>(static_cast<uint32_t>(bits()));
  }
};

// Powers that neither overflow nor vanish, and arbitrary ones.
inline Places of_pow(Random& r) {
  const double most = r.format.dtype == F64 ? 740 : 103;
  switch (r.bits() % 4) {
    case 0: return {r.any(), r.sign() * r.size(-6, 6), 0};
    case 1: {
      const double x = 1 + r.sign() * r.size(-20, -1);
      return {x, r.between(-most, most) / std::log(x), 0};
    }
    case 2: return {r.sign() * r.size(-8, 8), std::round(r.between(-60, 60)), 0};
    default: {
      const double x = r.size(-60, 60);
      return {x, r.between(-most, most) / std::log(x), 0};
    }
  }
}
inline Places of_two(Random& r) {
  if (r.bits() % 4 == 0) return {r.any(), r.any(), 0};
  return {r.sign() * r.size(-8, 8), r.sign() * r.size(-8, 8), 0};
}
inline Places of_three(Random& r) {
  const double x = r.sign() * r.size(-8, 8), y = r.sign() * r.size(-8, 8);
  return {x, y, r.bits() % 2 ? r.sign() * r.size(-12, 12) : -x * y * r.between(0.999, 1.001)};
}
inline Places of_rem(Random& r) {
  if (r.bits() % 8 == 0) return {r.any(), r.any(), 0};
  return {r.sign() * r.size(-20, 60), r.sign() * r.size(-20, 20), 0};
}
// x near a, where both functions are far from 0 and 1, and other x.
inline Places of_gamma(Random& r) {
  const double a = r.bits() % 64 == 0 ? r.size(13.5, 15) : r.size(-6, 9);
  const double near = a * (1 + r.between(-4, 4) / std::sqrt(a));
  return {a, near > 0 && r.bits() % 2 ? near : a * r.size(-2, a > 1000 ? 0.3 : 2), 0};
}
inline Places of_beta(Random& r) {
  const double a = r.size(-2, 7), b = r.size(-2, 7), mean = a / (a + b);
  const double near = mean + r.between(-4, 4) * std::sqrt(mean * (1 - mean) / (a + b + 1));
  return {a, b, near > 0 && near < 1 && r.bits() % 2 ? near : r.unit()};
}
inline Places of_zeta(Random& r) { return {1 + r.size(-6, 4), r.size(-4, 8), 0}; }
inline Places of_polygamma(Random& r) {
  return {static_cast<double>(r.bits() % 13), r.size(-4, 8), 0};
}

// ---- the functions

struct Several {
  const char* name;
  size_t operands;
  Places (*draw)(Random&);
  Multiple (*truth)(const Operands&, const Format&);
  bool conditioned;  // an error is divided by 1 + the condition number
};
using Binary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);
inline Multiple apply(Binary f, const Operands& x) {
  Multiple r;
  f(r.get(), x[0].get(), x[1].get(), MPFR_RNDN);
  return r;
}
inline const Several several[] = {
    {"add", 2, of_two, [](const Operands& x, const Format&) -> Multiple { return x[0] + x[1]; },
     false},
    {"sub", 2, of_two, [](const Operands& x, const Format&) -> Multiple { return x[0] - x[1]; },
     false},
    {"mul", 2, of_two, [](const Operands& x, const Format&) -> Multiple { return x[0] * x[1]; },
     false},
    {"div", 2, of_two, [](const Operands& x, const Format&) -> Multiple { return x[0] / x[1]; },
     false},
    {"fma", 3, of_three,
     [](const Operands& x, const Format&) -> Multiple { return x[0] * x[1] + x[2]; }, false},
    {"max", 2, of_two,
     [](const Operands& x, const Format&) -> Multiple {
       return x[0].is_nan() || x[1] < x[0] ? x[0] : x[1];
     },
     false},
    {"min", 2, of_two,
     [](const Operands& x, const Format&) -> Multiple {
       return x[0].is_nan() || x[0] < x[1] ? x[0] : x[1];
     },
     false},
    {"rem", 2, of_rem,
     [](const Operands& x, const Format&) -> Multiple { return apply(mpfr_fmod, x); }, false},
    {"nextafter", 2, of_two,
     [](const Operands& x, const Format& f) -> Multiple {
       const double a = x[0].to_double(), b = x[1].to_double();
       if (f.dtype == F64) return std::nextafter(a, b);
       return static_cast<double>(std::nextafter(static_cast<float>(a), static_cast<float>(b)));
     },
     false},
    {"atan2", 2, of_two,
     [](const Operands& x, const Format&) -> Multiple { return apply(mpfr_atan2, x); }, false},
    {"pow", 2, of_pow,
     [](const Operands& x, const Format&) -> Multiple { return power(x[0], x[1]); }, false},
    {"igamma", 2, of_gamma,
     [](const Operands& x, const Format&) -> Multiple {
       return incomplete_gamma(x[0], x[1], false);
     },
     true},
    {"igammac", 2, of_gamma,
     [](const Operands& x, const Format&) -> Multiple {
       return incomplete_gamma(x[0], x[1], true);
     },
     true},
    {"regularized_incomplete_beta", 3, of_beta,
     [](const Operands& x, const Format&) -> Multiple { return incomplete_beta(x[0], x[1], x[2]); },
     true},
    {"zeta", 2, of_zeta,
     [](const Operands& x, const Format&) -> Multiple { return hurwitz(x[0], x[1]); }, true},
    {"polygamma", 2, of_polygamma,
     [](const Operands& x, const Format&) -> Multiple { return polygamma(x[0], x[1]); }, true},
};

// The condition number: the relative change of f over the relative change of its operands.
inline double condition(const Several& f, const Operands& x, const Multiple& value,
                        const Format& format) {
  double sum = 0;
  // the order of polygamma is an integer
  const size_t from = std::string(f.name) == "polygamma" ? 1 : 0;
  for (size_t k = from; k < f.operands; ++k) {
    Operands moved = x;
    moved[k] = x[k] * Multiple(1 + 0x1p-40);
    sum += std::fabs(((f.truth(moved, format) - value) / value).to_double()) * 0x1p40;
  }
  return sum;
}

}  // namespace weft::accuracy
