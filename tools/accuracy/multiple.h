// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/accuracy/multiple.h: multiple-precision numbers (MPFR), and with them the exact values of
// elementwise functions of one real number.
#pragma once
#include <mpfr.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>

#include "tools/accuracy/named.h"

namespace weft::accuracy {

// A number of `digits` bits, a setting of the current thread.
class Multiple {
 public:
  static inline thread_local mpfr_prec_t digits = 128;
  Multiple() { mpfr_init2(v_, digits); }
  Multiple(double x) : Multiple() { mpfr_set_d(v_, x, MPFR_RNDN); }
  Multiple(const Multiple& o) : Multiple() { mpfr_set(v_, o.v_, MPFR_RNDN); }
  Multiple& operator=(const Multiple& o) {
    mpfr_set_prec(v_, digits);
    mpfr_set(v_, o.v_, MPFR_RNDN);
    return *this;
  }
  ~Multiple() { mpfr_clear(v_); }
  mpfr_ptr get() { return v_; }
  mpfr_srcptr get() const { return v_; }
  double to_double() const { return mpfr_get_d(v_, MPFR_RNDN); }
  long exponent() const { return mpfr_regular_p(v_) ? mpfr_get_exp(v_) : -100000; }
  bool is_nan() const { return mpfr_nan_p(v_) != 0; }

 private:
  mpfr_t v_;
};

#define WEFT_MULTIPLE_BINARY(op, f)                                   \
  inline Multiple operator op(const Multiple& a, const Multiple& b) { \
    Multiple r;                                                       \
    f(r.get(), a.get(), b.get(), MPFR_RNDN);                          \
    return r;                                                         \
  }
WEFT_MULTIPLE_BINARY(+, mpfr_add)
WEFT_MULTIPLE_BINARY(-, mpfr_sub)
WEFT_MULTIPLE_BINARY(*, mpfr_mul)
WEFT_MULTIPLE_BINARY(/, mpfr_div)
#undef WEFT_MULTIPLE_BINARY
inline bool operator<(const Multiple& a, const Multiple& b) {
  return mpfr_less_p(a.get(), b.get()) != 0;
}
using Unary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
inline Multiple apply(Unary f, const Multiple& x) {
  Multiple r;
  f(r.get(), x.get(), MPFR_RNDN);
  return r;
}
inline Multiple exp(const Multiple& x) { return apply(mpfr_exp, x); }
inline Multiple log(const Multiple& x) { return apply(mpfr_log, x); }
inline Multiple sqrt(const Multiple& x) { return apply(mpfr_sqrt, x); }
inline Multiple abs(const Multiple& x) { return apply(mpfr_abs, x); }
inline Multiple pi() {
  Multiple r;
  mpfr_const_pi(r.get(), MPFR_RNDN);
  return r;
}
inline Multiple euler() {
  Multiple r;
  mpfr_const_euler(r.get(), MPFR_RNDN);
  return r;
}

// Adds precision for as long as it exists.
class MoreDigits {
 public:
  explicit MoreDigits(double more) : before_(Multiple::digits) {
    // false for NaN
    if (more > 0) Multiple::digits += static_cast<mpfr_prec_t>(std::min(more, 1e4));
  }
  ~MoreDigits() { Multiple::digits = before_; }

 private:
  mpfr_prec_t before_;
};

// first + the sum of terms, each the previous one times factor(k). Stops when terms are negligible
// (convergent series) or grow (asymptotic series, whose remainder is below 2^-100 where they are
// used).
template <class F>
Multiple summed(const Multiple& first, const F& factor) {
  Multiple term = first, sum = first;
  bool falls = false;
  for (int k = 1; k < 5000; ++k) {
    const Multiple next = term * factor(k);
    if (abs(next) < abs(term))
      falls = true;
    else if (falls)
      break;
    term = next;
    sum = sum + term;
    if (term.exponent() < sum.exponent() - Multiple::digits) break;
  }
  return sum;
}

// e^-|x| I_order(x).
inline Multiple bessel_ie(const Multiple& x, int order) {
  const Multiple a = abs(x);
  const double size = a.to_double();
  if (size <= 60) {
    const MoreDigits more(3 * size);
    const Multiple q = x * x * 0.25;
    const Multiple s = summed(order == 0 ? Multiple(1.) : x * 0.5,
                              [&](int k) { return q / Multiple(double(k) * (k + order)); });
    return s * exp(Multiple(0.) - a);
  }
  const double mu = 4. * order * order;
  const Multiple s = summed(
      1., [&](int k) { return Multiple((2. * k - 1) * (2. * k - 1) - mu) / (a * (8. * k)); });
  const Multiple r = s / sqrt(a * 2. * pi());
  return x < Multiple(0.) && order == 1 ? Multiple(0.) - r : r;
}
inline Multiple dawson(const Multiple& x) {
  const double size = std::fabs(x.to_double());
  const Multiple z = x * x;
  if (size <= 13) {
    const MoreDigits more(3 * size * size);
    return summed(x, [&](int k) { return z * Multiple(-2.) / Multiple(2. * k + 1); });
  }
  return summed(1., [&](int k) { return Multiple(2. * k - 1) / (z * 2.); }) / (x * 2.);
}
inline Multiple scaled_erfc(const Multiple& x) {
  if (x.to_double() <= 50) {
    const MoreDigits more(64);
    return exp(x * x) * apply(mpfr_erfc, x);
  }
  const Multiple z = x * x;
  return summed(1., [&](int k) { return Multiple(1. - 2. * k) / (z * 2.); }) / (x * sqrt(pi()));
}
// The auxiliary functions f and g of Si and Ci (step 1), or of the Fresnel integrals with a = pi
// x^2 / 2 (step 1/2), without their leading powers of a.
inline Multiple auxiliary(const Multiple& a, double offset) {
  const Multiple s = Multiple(1.) / (a * a);
  return summed(1., [&](int k) {
    const double n = 2. * k + offset;
    return Multiple(0.) - s * (n - 1) * n;
  });
}
inline Multiple sine_or_cosine_integral(const Multiple& x, bool sine) {
  const Multiple a = abs(x);
  const double size = a.to_double();
  if (std::isinf(size)) {
    if (!sine) return x < Multiple(0.) ? Multiple(NAN) : Multiple(0.);
    return pi() * (x < Multiple(0.) ? -0.5 : 0.5);
  }
  if (size <= 90) {
    const MoreDigits more(3 * size);
    const Multiple z = x * x;
    if (sine)
      return summed(x, [&](int k) {
        const double n = 2. * k;
        return Multiple(0.) - z * (n - 1) / (Multiple(n) * (n + 1) * (n + 1));
      });
    const Multiple s = summed(Multiple(0.) - z * 0.25, [&](int k) {
      const double n = 2. * k;
      return Multiple(0.) - z * n / (Multiple(n + 2) * (n + 1) * (n + 2));
    });
    return log(a) + euler() + s;
  }
  const MoreDigits more(std::max(0., 2. * std::log2(size)));
  const Multiple f = auxiliary(a, 0) / a, g = auxiliary(a, 1) / (a * a);
  const Multiple s = apply(mpfr_sin, a), c = apply(mpfr_cos, a);
  if (!sine) return f * s - g * c;
  const Multiple r = pi() * 0.5 - f * c - g * s;
  return x < Multiple(0.) ? Multiple(0.) - r : r;
}
inline Multiple fresnel(const Multiple& x, bool sine) {
  const double size = std::fabs(x.to_double());
  if (size > 1e25) return x < Multiple(0.) ? -0.5 : 0.5;  // accurate to 1 / size
  const MoreDigits more(size < 7 ? 6 * size * size : 4 * std::log2(size));
  const Multiple a = pi() * x * x * 0.5;
  if (size < 7) {
    const Multiple z = Multiple(0.) - a * a;
    if (sine)
      return summed(a * x / 3., [&](int k) {
        const double n = k;
        return z * (4 * n - 1) / (Multiple(2 * n) * (2 * n + 1) * (4 * n + 3));
      });
    return summed(x, [&](int k) {
      const double n = k;
      return z * (4 * n - 3) / (Multiple(2 * n - 1) * (2 * n) * (4 * n + 1));
    });
  }
  const Multiple d = abs(x) * pi();
  const Multiple f = auxiliary(a, -0.5) / d, g = auxiliary(a, 0.5) / (d * pi() * x * x);
  const Multiple s = apply(mpfr_sin, a), c = apply(mpfr_cos, a);
  const Multiple r = sine ? Multiple(0.5) - f * c - g * s : Multiple(0.5) + f * s - g * c;
  return x < Multiple(0.) ? Multiple(0.) - r : r;
}
// The t with erf(t) = x, by Newton's method from a guess near it.
inline Multiple inverse_erf(const Multiple& x, double guess) {
  const MoreDigits more(128);
  const double size = std::fabs(x.to_double());
  if (!(size < 1)) return size == 1 ? x / Multiple(0.) : Multiple(NAN);
  if (!(std::fabs(guess) < 30)) guess = 0;
  Multiple t(guess);
  for (int k = 0; k < 6; ++k) t = t - (apply(mpfr_erf, t) - x) * exp(t * t) * sqrt(pi()) * 0.5;
  return t;
}

// The exact value at x. `guess` is the value under test, which starts the iteration for functions
// that are computed by their inverse.
using Truth = std::function<Multiple(const Multiple& x, double guess)>;
// Functions for which MPFR has none with the name of the op, or has one that differs.
inline std::map<std::string, Truth> other_truths() {
  std::map<std::string, Truth> t;
  const auto of = [&](const char* name, Unary f) {
    t[name] = [f](const Multiple& x, double) { return apply(f, x); };
  };
  const auto by = [&](const char* name, Multiple (*f)(const Multiple&)) {
    t[name] = [f](const Multiple& x, double) { return f(x); };
  };
  of("square", mpfr_sqr), of("expi", mpfr_eint);
  // rsqrt(-0) is -inf; mpfr_rec_sqrt gives another result.
  by("rsqrt", [](const Multiple& x) { return Multiple(1.) / sqrt(x); });
  by("ceil", [](const Multiple& x) { return apply(mpfr_rint_ceil, x); });
  by("floor", [](const Multiple& x) { return apply(mpfr_rint_floor, x); });
  by("sign", [](const Multiple& x) {
    return x.is_nan() ? x : Multiple(static_cast<double>(mpfr_sgn(x.get())));
  });
  for (const char* same : {"stop_gradient", "copy", "optimization_barrier", "conj", "real"})
    by(same, [](const Multiple& x) { return x; });
  by("logistic",
     [](const Multiple& x) { return Multiple(1.) / (Multiple(1.) + exp(Multiple(0.) - x)); });
  by("lgamma", [](const Multiple& x) {
    Multiple r;
    int sign = 0;
    mpfr_lgamma(r.get(), &sign, x.get(), MPFR_RNDN);
    return r;
  });
  // NaN at the poles, as in JAX.
  by("digamma", [](const Multiple& x) {
    const bool pole = mpfr_integer_p(x.get()) != 0 && mpfr_sgn(x.get()) <= 0;
    return pole ? Multiple(NAN) : apply(mpfr_digamma, x);
  });
  by("bessel_i0e", [](const Multiple& x) { return bessel_ie(x, 0); });
  by("bessel_i1e", [](const Multiple& x) { return bessel_ie(x, 1); });
  by("dawsn", dawson), by("erfcx", scaled_erfc);
  by("spence", [](const Multiple& x) {
    return x < Multiple(0.) ? Multiple(NAN) : apply(mpfr_li2, Multiple(1.) - x);
  });
  by("sine_integral", [](const Multiple& x) { return sine_or_cosine_integral(x, true); });
  by("cosine_integral", [](const Multiple& x) { return sine_or_cosine_integral(x, false); });
  by("fresnel_sin", [](const Multiple& x) { return fresnel(x, true); });
  by("fresnel_cos", [](const Multiple& x) { return fresnel(x, false); });
  t["erf_inv"] = t["xla_erf_inv"] = inverse_erf;
  return t;
}
// The exact values of the op with this name: mpfr_NAME, unless other_truths() has it. Empty if
// neither exists.
inline Truth truth_of(const std::string& name) {
  static const std::map<std::string, Truth> others = other_truths();
  if (const auto other = others.find(name); other != others.end()) return other->second;
  const auto f = function_named<Unary>("mpfr_" + name);
  if (!f) return {};
  return [f](const Multiple& x, double) { return apply(f, x); };
}

}  // namespace weft::accuracy
