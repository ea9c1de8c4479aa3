// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/special/integrals.cpp: erfcx, dawsn, expi, spence, sine_integral, cosine_integral,
// fresnel_sin, fresnel_cos.
#include "weft/lax/integrals.h"

#include "ops/elementwise/removable.h"
#include "ops/kit/differentiable_unary.h"
#include "weft/lax/compare.h"
#include "weft/lax/elementary.h"
#include "weft/lax/elementwise.h"

namespace weft {
namespace {

using namespace lax;

constexpr double two_over_root_pi = 1.1283791670955126, half_pi = 1.5707963267948966;

// Beyond this value 1 - 2 x dawsn(x) and 2 x erfcx(x) - 2 / sqrt(pi) cancel. They are computed as
// sums of (2k - 1)!! u^k, k = 1, 2, …, with u = 1 / (2 x^2). For erfcx the signs alternate.
constexpr double asymptotic = 8;
Array near_or_sum(const Array& x, const Array& near, double sign, double by) {
  const Array beyond = gt(x, like(x, asymptotic)), minus = lt(x, like(x, -asymptotic));
  const Array far = sign > 0 ? bitwise_or(beyond, minus) : beyond;
  const Array v = select(far, x, broadcast_like(like(x, 2 * asymptotic), x.type()));
  const Array i = div(like(v, 1), v), u = mul(mul(i, i), like(v, 0.5));
  Array sum = broadcast_like(like(v, 1), x.type());
  for (int k = 18; k > 1; --k)
    sum = add(mul(mul(u, like(u, sign * (2. * k - 1))), sum), like(u, 1));
  return select(far, mul(mul(sum, u), like(u, by)), near);
}

const auto& erfcx_op = differentiable_unary(
    "erfcx", "Computes the scaled complementary error function, `exp(x^2) erfc(x)`.",
    [](auto x) { return math::erfcx(x); },
    [](Array dx, Array x, Array y) {
      const Array near = sub(mul(mul(like(x, 2), x), y), like(x, two_over_root_pi));
      return mul(dx, near_or_sum(x, near, -1, -two_over_root_pi));
    });
const auto& dawsn_op = differentiable_unary(
    "dawsn",
    "Computes Dawson's integral, which is `exp(-x^2)` times the integral of `exp(t^2)` from 0 to "
    "x.",
    [](auto x) { return math::dawsn(x); },
    [](Array dx, Array x, Array y) {
      return mul(dx, near_or_sum(x, sub(like(x, 1), mul(mul(like(x, 2), x), y)), 1, -1));
    },
    {.lo = -4, .hi = 6});
const auto& expi_op = differentiable_unary(
    "expi",
    "Computes the exponential integral Ei(x), the integral of `exp(t) / t` from minus infinity to "
    "x.",
    [](auto x) { return math::expi(x); },
    [](Array dx, Array x, Array) { return mul(dx, div(exp(x), x)); }, {.lo = 0.2, .hi = 7});
const auto& spence_op = differentiable_unary(
    "spence", "Computes Spence's function, the integral of `log(t) / (1 - t)` from 1 to x.",
    [](auto x) { return math::spence(x); },
    [](Array dx, Array x, Array) { return neg(mul(dx, ir::log_over(x))); }, {.lo = 0.1, .hi = 4});
const auto& sine_integral_op = differentiable_unary(
    "sine_integral", "Computes the integral of `sin(t) / t` from 0 to x.",
    [](auto x) { return math::sine_integral(x); },
    [](Array dx, Array x, Array) { return mul(dx, ir::sin_over(x)); }, {.lo = -2, .hi = 9});
const auto& cosine_integral_op = differentiable_unary(
    "cosine_integral",
    "Computes `log|x| + gamma` plus the integral of `(cos(t) - 1) / t` from 0 to x.",
    [](auto x) { return math::cosine_integral(x); },
    [](Array dx, Array x, Array) { return mul(dx, div(cos(x), x)); }, {.lo = 0.3, .hi = 9});
const auto& fresnel_sin_op = differentiable_unary(
    "fresnel_sin", "Computes the integral of `sin(pi t^2 / 2)` from 0 to x.",
    [](auto x) { return math::fresnel_sin(x); },
    [](Array dx, Array x, Array) { return mul(dx, sin(mul(like(x, half_pi), square(x)))); },
    {.lo = -2, .hi = 3});
const auto& fresnel_cos_op = differentiable_unary(
    "fresnel_cos", "Computes the integral of `cos(pi t^2 / 2)` from 0 to x.",
    [](auto x) { return math::fresnel_cos(x); },
    [](Array dx, Array x, Array) { return mul(dx, cos(mul(like(x, half_pi), square(x)))); },
    {.lo = -2, .hi = 3});

}  // namespace

namespace lax {
Array erfcx(const Arg& x) { return bind_at(erfcx_op, x); }
Array dawsn(const Arg& x) { return bind_at(dawsn_op, x); }
Array expi(const Arg& x) { return bind_at(expi_op, x); }
Array spence(const Arg& x) { return bind_at(spence_op, x); }
Array sine_integral(const Arg& x) { return bind_at(sine_integral_op, x); }
Array cosine_integral(const Arg& x) { return bind_at(cosine_integral_op, x); }
Array fresnel_sin(const Arg& x) { return bind_at(fresnel_sin_op, x); }
Array fresnel_cos(const Arg& x) { return bind_at(fresnel_cos_op, x); }
}  // namespace lax

}  // namespace weft
