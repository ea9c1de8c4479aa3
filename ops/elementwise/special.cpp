// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/elementwise/special.cpp: erf, erfc, erf_inv, xla_erf_inv, lgamma, digamma, polygamma, zeta,
// bessel_i0e, bessel_i1e.
#include "weft/lax/special.h"

#include <array>
#include <cmath>

#include "ops/elementwise/removable.h"
#include "ops/kit/differentiable_unary.h"
#include "ops/kit/sample_numbers.h"
#include "weft/error.h"
#include "weft/lax/compare.h"
#include "weft/lax/elementary.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/rounding.h"

namespace weft {
namespace {

using namespace lax;

constexpr double two_over_root_pi = 1.1283791670955126;

const auto& erf_op = differentiable_unary(
    "erf", "Computes the error function of each element.", [](auto x) { return math::erf(x); },
    [](Array dx, Array x, Array) {
      return mul(like(x, two_over_root_pi), mul(dx, exp(neg(square(x)))));
    },
    {.stablehlo = "chlo.erf"});
const auto& erfc_op = differentiable_unary(
    "erfc", "Computes `1 - erf(x)`, accurately also where it is small.",
    [](auto x) { return math::erfc(x); },
    [](Array dx, Array x, Array) {
      return mul(like(x, -two_over_root_pi), mul(dx, exp(neg(square(x)))));
    },
    {.stablehlo = "chlo.erfc"});
const auto& erf_inv_op = differentiable_unary(
    "erf_inv", "Computes the inverse of the error function for each element.",
    [](auto x) { return math::erf_inv(x); },
    [](Array dx, Array x, Array y) {
      return mul(like(x, 1 / two_over_root_pi), mul(dx, exp(square(y))));
    },
    {.lo = -0.9, .hi = 0.9});
// JAX's random numbers have the bits of this formula (docs/decisions/0027).
const auto& xla_erf_inv_op = differentiable_unary(
    "xla_erf_inv",
    "Computes the inverse of the error function by XLA's formula, which is less accurate near 1.",
    [](auto x) { return math::xla_erf_inv(x); },
    [](Array dx, Array x, Array y) {
      return mul(like(x, 1 / two_over_root_pi), mul(dx, exp(square(y))));
    },
    {.lo = -0.9, .hi = 0.9, .stablehlo = "chlo.erf_inv"});
const auto& lgamma_op = differentiable_unary(
    "lgamma",
    "Computes `log|Gamma(x)|`, the logarithm of the absolute value of the gamma function.",
    [](auto x) { return math::lgamma(x); },
    [](Array dx, Array x, Array) { return mul(dx, digamma(x)); },
    {.lo = 0.3, .hi = 4, .stablehlo = "chlo.lgamma"});
const auto& digamma_op = differentiable_unary(
    "digamma", "Computes the digamma function, the derivative of `log Gamma(x)`.",
    [](auto x) { return math::digamma(x); },
    [](Array dx, Array x, Array) {
      return mul(dx, polygamma(broadcast_like(like(x, 1), x.type()), x));
    },
    {.lo = 0.3, .hi = 4, .stablehlo = "chlo.digamma"});

// The difference of bessel_i0e and bessel_i1e above 30, where subtracting them would cancel. It is
// the difference of their expansions in 1 / x (DLMF 10.40.1).
constexpr double bessel_far = 30;
Array bessel_gap(const Array& x) {
  std::array<double, 17> c{};
  double of_0 = 1, of_1 = 1;
  for (int k = 1; k <= 17; ++k) {
    const double odd = (2. * k - 1) * (2. * k - 1);
    of_0 *= odd / (8. * k);
    of_1 *= (odd - 4) / (8. * k);
    c[k - 1] = (of_0 - of_1) / std::sqrt(2 * M_PI);
  }
  const Array i = div(like(x, 1), x);
  const auto at = [&](int k) { return c[k]; };
  return mul(mul(ir::power_series(i, at, 17), i), sqrt(i));
}
// |x|, with derivative 0 at 0.
Array even_size(const Array& x) { return mul(sign(x), x); }
// bessel_i1e(x) / x, where y is bessel_i1e(x).
Array bessel_i1e_over(const Array& x, const Array& y) {
  const Type t = x.type();
  const Array close = lt(abs(x), like(x, 1)), one = broadcast_like(like(x, 1), t);
  const Array v = select(close, x, broadcast_like(like(x, 0), t));
  double term = 0.5;
  std::array<double, 10> c{};
  for (int k = 0; k < 10; ++k) {
    c[k] = term;
    term /= 4. * (k + 1) * (k + 2);
  }
  const auto at = [&](int k) { return c[k]; };
  const Array series = mul(exp(neg(even_size(v))), ir::power_series(square(v), at, 10));
  return select(close, series, div(y, select(close, one, x)));
}
// Returns near, or far(|x|) above the point from which the two functions cancel.
template <class F>
Array near_or_gap(const Array& x, const Array& near, F far) {
  const Array size = even_size(x), beyond = gt(abs(x), like(x, bessel_far));
  return select(beyond, far(select(beyond, size, broadcast_like(like(x, bessel_far), x.type()))),
                near);
}

const auto& bessel_i0e_op = differentiable_unary(
    "bessel_i0e",
    "Computes `exp(-|x|) I0(x)`, where I0 is the modified Bessel function of order 0.",
    [](auto x) { return math::bessel_i0e(x); },
    [](Array dx, Array x, Array y) {
      const Array near = sub(bessel_i1e(x), mul(sign(x), y));
      return mul(dx, near_or_gap(x, near,
                                 [&](const Array& v) { return neg(mul(sign(x), bessel_gap(v))); }));
    },
    {.lo = 0.2, .hi = 12});
const auto& bessel_i1e_op = differentiable_unary(
    "bessel_i1e",
    "Computes `exp(-|x|) I1(x)`, where I1 is the modified Bessel function of order 1.",
    [](auto x) { return math::bessel_i1e(x); },
    [](Array dx, Array x, Array y) {
      const Array near = sub(bessel_i0e(x), mul(sign(x), y));
      const Array gap = near_or_gap(x, near, [](const Array& v) { return bessel_gap(v); });
      return mul(dx, sub(gap, bessel_i1e_over(x, y)));
    },
    {.lo = 0.2, .hi = 12, .stablehlo = "chlo.bessel_i1e"});

// The Hurwitz zeta function: the first terms are summed directly, the rest by the Euler-Maclaurin
// formula.
template <class R>
R zeta_of(R s, R q) {
  using T = num::scalar_t<R>;
  const R one(1), half(T(0.5)), nan(std::numeric_limits<T>::quiet_NaN()),
      inf(std::numeric_limits<T>::infinity());
  R sum = math::pow(q, -s);
  R a = q;
  for (int k = 1; k <= 9; ++k) {
    a = a + one;
    sum = sum + math::pow(a, -s);
  }
  // a^(1 - s) is in range where a^-s may overflow or underflow.
  const R integral = math::pow(a, one - s), tail = integral / a;
  sum = sum + integral / (s - one) - half * tail;
  // (2k)! / B(2k)
  constexpr double c[] = {12.0,
                          -720.0,
                          30240.0,
                          -1209600.0,
                          47900160.0,
                          -1.8924375803183791606e9,
                          7.47242496e10,
                          -2.950130727918164224e12,
                          1.1646782814350067249e14,
                          -4.5979787224074726105e15,
                          1.8152105401943546773e17,
                          -7.1661652561756670113e18};
  R factor = s, power = tail / a;
  R rest = factor * power / R(T(c[0]));
  for (int k = 1; k < 12; ++k) {
    factor = factor * (s + R(T(2 * k - 1))) * (s + R(T(2 * k)));
    power = power / (a * a);
    rest = rest + factor * power / R(T(c[k]));
  }
  const R value = sum + rest;
  const R zero(0);
  const auto pole = num::both(q <= zero, num::floor(q) == q);
  const auto undefined = num::either(s < one, num::both(q <= zero, num::floor(s) != s));
  return num::select(undefined, nan, num::select(num::either(s == one, pole), inf, value));
}
// (-1)^(m + 1) m! zeta(m + 1, x), and digamma for m = 0. The result is NaN if m is not a whole
// number, and at poles whose two sides have different signs.
template <class R>
R polygamma_of(R m, R x) {
  using T = num::scalar_t<R>;
  const R one(1), half(T(0.5)), n = m + one, nan(std::numeric_limits<T>::quiet_NaN());
  const auto even = num::floor(m * half) * R(2) == m;
  const R size = math::exp(math::lgamma(n)) * zeta_of(n, x);
  const R value = num::select(m == R(0), math::digamma(x), num::select(even, -size, size));
  const auto pole = num::both(x <= R(0), num::floor(x) == x);
  return num::select(num::either(num::floor(m) != m, num::both(even, pole)), nan, value);
}

const Primitive<None>& zeta_op = define_elementwise([] {
  auto d = elementwise<DTypes::floats, 2>("zeta",
                                          "Computes the Hurwitz zeta function, the sum of `(q + "
                                          "k)^-s` over k = 0, 1, … The operands are `s` and `q`.",
                                          [](auto s, auto q) { return zeta_of(s, q); });
  d.stablehlo = "chlo.zeta";
  d.jvp = binary_jvp(
      [](const Array&, const Array&, const Array&, const Array&) -> Array {
        throw DifferentiationError("zeta: there is a derivative by q alone, none by s");
      },
      [](Array dq, Array s, Array q, Array) {
        return mul(dq, neg(mul(s, zeta(add(s, like(s, 1)), q))));
      });
  d.samples = [] { return nary_samples<None>(DTypes::floats, 2, {}, 1.2, 4); };
  return d;
}());

const Primitive<None>& polygamma_op = define_elementwise([] {
  auto d = elementwise<DTypes::floats, 2>(
      "polygamma",
      "Computes derivative `m` of the digamma function at `x`. The operands are `m` and `x`.",
      [](auto m, auto x) { return polygamma_of(m, x); });
  // Orders are whole numbers, so there is no derivative with respect to m.
  d.jvp = binary_jvp(
      [](Array dm, Array, Array, Array) { return mul(dm, like(dm, std::nan(""))); },
      [](Array dx, Array m, Array x, Array) { return mul(dx, polygamma(add(m, like(m, 1)), x)); });
  d.samples = [] {
    auto all = nary_samples<None>(DTypes::floats, 2, {}, 1, 4);
    for (Sample<None>& s : all)
      s.values = [in = s.in](uint64_t seed) {
        SampleNumbers numbers(seed);
        return Arrays{floor(numbers(in[0], 1, 5)), numbers(in[1], 1, 4)};
      };
    return all;
  };
  return d;
}());

}  // namespace

namespace lax {
Array erf(const Arg& x) { return bind_at(erf_op, x); }
Array erfc(const Arg& x) { return bind_at(erfc_op, x); }
Array erf_inv(const Arg& x) { return bind_at(erf_inv_op, x); }
Array xla_erf_inv(const Arg& x) { return bind_at(xla_erf_inv_op, x); }
Array lgamma(const Arg& x) { return bind_at(lgamma_op, x); }
Array digamma(const Arg& x) { return bind_at(digamma_op, x); }
Array polygamma(const Arg& m, const Arg& x) {
  const SourceScope s(m.at());
  return polygamma_op({m, x});
}
Array bessel_i0e(const Arg& x) { return bind_at(bessel_i0e_op, x); }
Array bessel_i1e(const Arg& x) { return bind_at(bessel_i1e_op, x); }
Array zeta(const Arg& s, const Arg& q) {
  const SourceScope at(s.at());
  return zeta_op({s, q});
}
}  // namespace lax

}  // namespace weft
