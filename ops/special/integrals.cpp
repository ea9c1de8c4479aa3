// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/special/integrals.cpp: erfcx, dawsn, expi, spence, sine_integral, cosine_integral,
// fresnel_sin, fresnel_cos.
#include "weft/ops/special/integrals.h"

#include "weft/ops/elementwise/compare.h"
#include "weft/ops/elementwise/elementary.h"
#include "weft/ops/elementwise/elementwise.h"
#include "weft/ops/kit/differentiable_unary.h"

namespace weft {
namespace {

using namespace lax;

constexpr double two_over_root_pi = 1.1283791670955126, half_pi = 1.5707963267948966;

// dx top(x) / bottom(x), and dx limit where x is `point`.
template <class F, class G>
Array quotient_or_limit(const Array& dx, const Array& x, double point, double limit, F top,
                        G bottom) {
  const Type t = x.type();
  const Array there = eq(x, like(x, point));
  const Array safe = select(there, broadcast_like(like(x, point + 1), t), x);
  const Array slope = div(top(safe), bottom(safe));
  return mul(dx, select(there, broadcast_like(like(x, limit), t), slope));
}

const auto& erfcx_op = differentiable_unary(
    "erfcx", "e^(x^2) erfc(x).", [](auto x) { return math::erfcx(x); },
    [](Array dx, Array x, Array y) {
      return mul(dx, sub(mul(mul(like(x, 2), x), y), like(x, two_over_root_pi)));
    });
const auto& dawsn_op = differentiable_unary(
    "dawsn", "Dawson's integral, e^(-x^2) times the integral of e^(t^2) from 0 to x.",
    [](auto x) { return math::dawsn(x); },
    [](Array dx, Array x, Array y) { return mul(dx, sub(like(x, 1), mul(mul(like(x, 2), x), y))); },
    -4, 6);
const auto& expi_op = differentiable_unary(
    "expi", "The exponential integral, of e^t / t up to x.", [](auto x) { return math::expi(x); },
    [](Array dx, Array x, Array) { return mul(dx, div(exp(x), x)); }, 0.2, 7);
const auto& spence_op = differentiable_unary(
    "spence", "The integral of log(t) / (1 - t) from 1 to x.",
    [](auto x) { return math::spence(x); },
    [](Array dx, Array x, Array) {
      return quotient_or_limit(
          dx, x, 1, -1, [](const Array& v) { return log(v); },
          [](const Array& v) { return sub(like(v, 1), v); });
    },
    0.1, 4);
const auto& sine_integral_op = differentiable_unary(
    "sine_integral", "The integral of sin(t) / t from 0 to x.",
    [](auto x) { return math::sine_integral(x); },
    [](Array dx, Array x, Array) {
      return quotient_or_limit(
          dx, x, 0, 1, [](const Array& v) { return sin(v); }, [](const Array& v) { return v; });
    },
    -2, 9);
const auto& cosine_integral_op = differentiable_unary(
    "cosine_integral", "log|x| + gamma + the integral of (cos(t) - 1) / t from 0 to x.",
    [](auto x) { return math::cosine_integral(x); },
    [](Array dx, Array x, Array) { return mul(dx, div(cos(x), x)); }, 0.3, 9);
const auto& fresnel_sin_op = differentiable_unary(
    "fresnel_sin", "The integral of sin(pi t^2 / 2) from 0 to x.",
    [](auto x) { return math::fresnel_sin(x); },
    [](Array dx, Array x, Array) { return mul(dx, sin(mul(like(x, half_pi), square(x)))); }, -2, 3);
const auto& fresnel_cos_op = differentiable_unary(
    "fresnel_cos", "The integral of cos(pi t^2 / 2) from 0 to x.",
    [](auto x) { return math::fresnel_cos(x); },
    [](Array dx, Array x, Array) { return mul(dx, cos(mul(like(x, half_pi), square(x)))); }, -2, 3);

}  // namespace

namespace lax {
Array erfcx(const Arg& x) {
  const Source s(x.at());
  return erfcx_op({x});
}
Array dawsn(const Arg& x) {
  const Source s(x.at());
  return dawsn_op({x});
}
Array expi(const Arg& x) {
  const Source s(x.at());
  return expi_op({x});
}
Array spence(const Arg& x) {
  const Source s(x.at());
  return spence_op({x});
}
Array sine_integral(const Arg& x) {
  const Source s(x.at());
  return sine_integral_op({x});
}
Array cosine_integral(const Arg& x) {
  const Source s(x.at());
  return cosine_integral_op({x});
}
Array fresnel_sin(const Arg& x) {
  const Source s(x.at());
  return fresnel_sin_op({x});
}
Array fresnel_cos(const Arg& x) {
  const Source s(x.at());
  return fresnel_cos_op({x});
}
}  // namespace lax

}  // namespace weft
