// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/elementwise/trigonometry.cpp: trigonometric and hyperbolic functions and their inverses.
#include <limits>

#include "ops/kit/differentiable_unary.h"
#include "weft/lax/compare.h"
#include "weft/lax/convert.h"
#include "weft/lax/elementary.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/rounding.h"

namespace weft {
namespace {

using namespace lax;

Array one_plus(const Array& x) { return add(like(x, 1), x); }
Array one_minus(const Array& x) { return sub(like(x, 1), x); }
// 1 / sqrt(1 - x^2). Near 1 it is computed from (1 - x) (1 + x), which keeps the digits that 1 -
// x^2 loses. For complex numbers it is a product of two roots, because the square of a large number
// overflows.
Array by_root(const Array& dx, const Array& x) {
  if (is_complex(x.dtype())) return mul(dx, mul(rsqrt(one_minus(x)), rsqrt(one_plus(x))));
  const Array size = abs(x), near = bitwise_and(gt(size, like(x, 0.5)), lt(size, like(x, 1)));
  return mul(dx, rsqrt(select(near, mul(one_minus(x), one_plus(x)), one_minus(square(x)))));
}
// max(size, least) without a derivative. The square of a number divided by it does not overflow.
// The result is finite, so that no quotient of two infinities occurs.
Array scale_of(const Array& size, double least) {
  const double most = size.dtype() == F64   ? std::numeric_limits<double>::max()
                      : size.dtype() == F16 ? 65504
                                            : 3e38;
  return stop_gradient(clamp(like(size, least), size, like(size, most)));
}
// 1 / sqrt(1 + x^2).
Array by_length(const Array& dx, const Array& x) {
  if (is_complex(x.dtype())) return by_root(dx, complex(neg(imag(x)), real(x)));
  const Array inverse = div(like(x, 1), scale_of(abs(x), 1));
  return mul(dx, mul(inverse, rsqrt(add(square(inverse), square(mul(x, inverse))))));
}
// dx (1 - y^2) for y = tanh(x). With t = logistic(-2 |x|) it is 4 t (1 - t), which keeps all its
// digits where y rounds to 1, and does not need y.
Array by_rest(const Array& dx, const Array& x, const Array& y) {
  if (is_complex(x.dtype())) return mul(add(dx, mul(dx, y)), one_minus(y));
  const Array t = logistic(mul(like(x, -2), abs(x)));
  return mul(dx, mul(mul(like(x, 4), t), one_minus(t)));
}
// part / (y^2 + x^2).
Array over_square(const Array& part, const Array& y, const Array& x) {
  if (is_complex(x.dtype())) return div(part, add(square(y), square(x)));
  const double least = x.dtype() == F64   ? std::numeric_limits<double>::min()
                       : x.dtype() == F16 ? 0x1p-14
                                          : std::numeric_limits<float>::min();
  const Array inverse = div(like(x, 1), scale_of(max(abs(y), abs(x)), least));
  const Array a = mul(y, inverse), b = mul(x, inverse);
  return mul(div(mul(part, inverse), add(square(a), square(b))), inverse);
}

const auto& sin_op = differentiable_unary<DTypes::inexact>(
    "sin", "Computes the sine of each element.", [](auto x) { return math::sin(x); },
    [](Array dx, Array x, Array) { return mul(dx, cos(x)); }, {.stablehlo = "stablehlo.sine"});
const auto& cos_op = differentiable_unary<DTypes::inexact>(
    "cos", "Computes the cosine of each element.", [](auto x) { return math::cos(x); },
    [](Array dx, Array x, Array) { return neg(mul(dx, sin(x))); },
    {.stablehlo = "stablehlo.cosine"});
const auto& tan_op = differentiable_unary<DTypes::inexact>(
    "tan", "Computes the tangent of each element.", [](auto x) { return math::tan(x); },
    [](Array dx, Array, Array y) { return mul(dx, one_plus(square(y))); },
    {.lo = -1, .hi = 1, .stablehlo = "stablehlo.tan"});
const auto& asin_op = differentiable_unary<DTypes::inexact>(
    "asin", "Computes the arc sine of each element, in [-pi/2, pi/2] for real numbers.",
    [](auto x) { return math::asin(x); }, [](Array dx, Array x, Array) { return by_root(dx, x); },
    {.lo = -0.9, .hi = 0.9, .stablehlo = "chlo.asin"});
const auto& acos_op = differentiable_unary<DTypes::inexact>(
    "acos", "Computes the arc cosine of each element, in [0, pi] for real numbers.",
    [](auto x) { return math::acos(x); },
    [](Array dx, Array x, Array) { return neg(by_root(dx, x)); },
    {.lo = -0.9, .hi = 0.9, .stablehlo = "chlo.acos"});
const auto& atan_op = differentiable_unary<DTypes::inexact>(
    "atan", "Computes the arc tangent of each element, in [-pi/2, pi/2] for real numbers.",
    [](auto x) { return math::atan(x); },
    [](Array dx, Array x, Array) { return div(dx, one_plus(square(x))); },
    {.stablehlo = "chlo.atan"});
const auto& sinh_op = differentiable_unary<DTypes::inexact>(
    "sinh", "Computes the hyperbolic sine of each element.", [](auto x) { return math::sinh(x); },
    [](Array dx, Array x, Array) { return mul(dx, cosh(x)); }, {.stablehlo = "chlo.sinh"});
const auto& cosh_op = differentiable_unary<DTypes::inexact>(
    "cosh", "Computes the hyperbolic cosine of each element.", [](auto x) { return math::cosh(x); },
    [](Array dx, Array x, Array) { return mul(dx, sinh(x)); }, {.stablehlo = "chlo.cosh"});
const auto& tanh_op = differentiable_unary<DTypes::inexact>(
    "tanh", "Computes the hyperbolic tangent of each element.",
    [](auto x) { return math::tanh(x); },
    [](Array dx, Array x, Array y) { return by_rest(dx, x, y); }, {.stablehlo = "stablehlo.tanh"});
const auto& asinh_op = differentiable_unary<DTypes::inexact>(
    "asinh", "Computes the inverse hyperbolic sine of each element.",
    [](auto x) { return math::asinh(x); },
    [](Array dx, Array x, Array) { return by_length(dx, x); }, {.stablehlo = "chlo.asinh"});
const auto& acosh_op = differentiable_unary<DTypes::inexact>(
    "acosh", "Computes the inverse hyperbolic cosine of each element.",
    [](auto x) { return math::acosh(x); },
    [](Array dx, Array x, Array) {
      return mul(dx, mul(rsqrt(sub(x, like(x, 1))), rsqrt(one_plus(x))));
    },
    {.lo = 1.2, .hi = 3, .stablehlo = "chlo.acosh"});
const auto& atanh_op = differentiable_unary<DTypes::inexact>(
    "atanh", "Computes the inverse hyperbolic tangent of each element.",
    [](auto x) { return math::atanh(x); },
    [](Array dx, Array x, Array) {
      return mul(div(like(x, 1), one_plus(x)), div(dx, one_minus(x)));
    },
    {.lo = -0.9, .hi = 0.9, .stablehlo = "chlo.atanh"});

const Primitive<None>& atan2_op = define_elementwise([] {
  auto d = elementwise<DTypes::inexact, 2>(
      "atan2",
      "Computes the angle of the point (x, y). The operands are `y` and `x`, in this order.",
      [](auto y, auto x) { return math::atan2(y, x); });
  d.stablehlo = "stablehlo.atan2";
  d.jvp = binary_jvp(
      [](Array dy, Array y, Array x, Array) { return mul(dy, over_square(x, y, x)); },
      [](Array dx, Array y, Array x, Array) { return mul(dx, over_square(neg(y), y, x)); });
  d.rejects = [] {
    return std::vector<Reject<None>>{{{Type(F32, {2}), Type(F32, {3})}, {}, "same shape"},
                                     {{Type(F32, {2}), Type(F64, {2})}, {}, "same dtypes"}};
  };
  return d;
}());

}  // namespace

namespace lax {
Array sin(const Arg& x) { return bind_at(sin_op, x); }
Array cos(const Arg& x) { return bind_at(cos_op, x); }
Array tan(const Arg& x) { return bind_at(tan_op, x); }
Array asin(const Arg& x) { return bind_at(asin_op, x); }
Array acos(const Arg& x) { return bind_at(acos_op, x); }
Array atan(const Arg& x) { return bind_at(atan_op, x); }
Array atan2(const Arg& y, const Arg& x) {
  const SourceScope s(y.at());
  return atan2_op({y, x});
}
Array sinh(const Arg& x) { return bind_at(sinh_op, x); }
Array cosh(const Arg& x) { return bind_at(cosh_op, x); }
Array tanh(const Arg& x) { return bind_at(tanh_op, x); }
Array asinh(const Arg& x) { return bind_at(asinh_op, x); }
Array acosh(const Arg& x) { return bind_at(acosh_op, x); }
Array atanh(const Arg& x) { return bind_at(atanh_op, x); }
}  // namespace lax

}  // namespace weft
