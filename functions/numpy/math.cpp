// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/math.cpp: arithmetic, exponentials, trigonometric functions, rounding.
#include "weft/numpy/math.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "functions/kit.h"
#include "functions/special/kit.h"
#include "ops/elementwise/log_sum.h"
#include "ops/elementwise/removable.h"
#include "tracer/concrete.h"
#include "weft/lax/compare.h"
#include "weft/lax/convert.h"
#include "weft/lax/elementary.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/rounding.h"

namespace weft {
namespace {

using fn::number_like;
using UnaryOp = Array (*)(const Arg&);
using BinaryOp = Array (*)(const Arg&, const Arg&);

// For functions of floats: integers become floats.
Array float_unary(const char* name, UnaryOp op, const Arg& x) {
  const ApiNameScope s(name, x.at());
  return op(fn::inexact(name, x));
}
// For functions that leave integers unchanged.
Array unless_integer(UnaryOp op, const Arg& x) {
  const SourceScope s(x.at());
  return is_inexact(x->dtype()) ? op(x) : x.value();
}
Array binary(const char* name, BinaryOp op, const Arg& x, const Arg& y) {
  const ApiNameScope s(name, x.at());
  const auto [a, b] = fn::promoted(name, x, y);
  return op(a, b);
}
// Arithmetic of bools is logic, as in NumPy.
Array arithmetic(const char* name, BinaryOp op, BinaryOp logic, const Arg& x, const Arg& y) {
  const ApiNameScope s(name, x.at());
  const auto [a, b] = fn::promoted(name, x, y);
  return (is_bool(a.dtype()) ? logic : op)(a, b);
}
Array float_binary(const char* name, BinaryOp op, const Arg& x, const Arg& y) {
  const ApiNameScope s(name, x.at());
  const auto [a, b] = fn::promoted_inexact(name, x, y);
  return op(a, b);
}
Array choose(const Array& pred, const Array& a, const Array& b) {
  Shape s = pred.shape();
  if (s.ndim() < a.ndim()) s = a.shape();
  if (s.ndim() < b.ndim()) s = b.shape();
  return lax::select(fn::scalar_or_broadcast(pred, s), fn::broadcast(a, s), fn::broadcast(b, s));
}
// The parts of a complex logarithm are divided separately. A complex quotient would turn -inf into
// NaN.
Array log_to_base(const char* name, const Arg& x, double base) {
  const ApiNameScope s(name, x.at());
  const Array v = lax::log(fn::inexact(x));
  const auto scaled = [&](const Array& p) { return lax::div(p, number_like(p, std::log(base))); };
  return is_complex(v.dtype()) ? lax::complex(scaled(lax::real(v)), scaled(lax::imag(v)))
                               : scaled(v);
}
Array round_even(const Arg& x) { return lax::round(x, lax::RoundingMethod::TO_NEAREST_EVEN); }
Array is_nan(const Array& x) { return lax::ne(x, x); }

// Computed as in CPython's float_divmod, on which JAX bases its version. Over 0, where m is NaN,
// the quotient is x / 0.
fn::Pair float_divmod(const Array& x, const Array& y) {
  Array m = lax::rem(x, y);
  Array d = lax::div(choose(lax::eq(y, number_like(y, 0)), x, lax::sub(x, m)), y);
  const Array other_sign =
      lax::bitwise_and(lax::ne(m, number_like(m, 0)), lax::ne(lax::sign(y), lax::sign(m)));
  m = choose(other_sign, lax::add(m, y), m);
  d = choose(other_sign, lax::sub(d, number_like(d, 1)), d);
  return {lax::round(d), m};
}
Array quotient_down(const Array& x, const Array& y) {
  if (is_unsigned(x.dtype())) return lax::div(x, y);
  if (is_complex(x.dtype())) fn::fail_dtype("floor_divide: complex numbers have no order");
  if (is_floating(x.dtype())) return float_divmod(x, y).first;
  const Array q = lax::div(x, y);
  const Array down = lax::bitwise_and(lax::ne(lax::sign(x), lax::sign(y)),
                                      lax::ne(lax::rem(x, y), number_like(x, 0)));
  return choose(down, lax::sub(q, number_like(q, 1)), q);
}
// Integers modulo 0 are 0.
Array safe_rem(const Array& x, const Array& y) {
  return lax::rem(
      x, is_integer(y.dtype()) ? choose(lax::eq(y, number_like(y, 0)), number_like(y, 1), y) : y);
}
Array remainder_up(const Array& x, const Array& y) {
  const Array zero = number_like(x, 0);
  const Array m = safe_rem(x, y);
  if (is_unsigned(x.dtype())) return m;
  const Array other_sign =
      lax::bitwise_and(lax::ne(lax::lt(m, zero), lax::lt(y, zero)), lax::ne(m, zero));
  return choose(other_sign, lax::add(m, y), m);
}

// Powers of integers by squaring. Six bits of the exponent suffice: with larger exponents all bases
// but 0 and ±1 overflow.
Array integer_power(Array x, Array y) {
  const Array zero = number_like(x, 0), one = number_like(x, 1);
  Array acc = choose(lax::bitwise_and(lax::eq(x, zero), lax::ne(y, zero)), zero, one);
  for (int bit = 0; bit < 6; ++bit) {
    acc = choose(lax::ne(lax::bitwise_and(y, one), zero), lax::mul(acc, x), acc);
    x = lax::mul(x, x);
    y = lax::shift_right_logical(y, one);
  }
  return acc;
}

// Broadcasts two operands for log_sum.
template <class F>
Array log_sum_of(const char* name, const Arg& x, const Arg& y, const F& f) {
  const ApiNameScope s(name, x.at());
  const auto [a, b] = fn::promoted_inexact(name, x, y);
  const Shape full = a.ndim() ? a.shape() : b.shape();
  return ir::log_sum(fn::broadcast(a, full), fn::broadcast(b, full), f);
}
}  // namespace

Array add(const Arg& x, const Arg& y) { return arithmetic("add", lax::add, lax::bitwise_or, x, y); }
Array subtract(const Arg& x, const Arg& y) { return binary("subtract", lax::sub, x, y); }
Array multiply(const Arg& x, const Arg& y) {
  return arithmetic("multiply", lax::mul, lax::bitwise_and, x, y);
}
Array divide(const Arg& x, const Arg& y) { return float_binary("divide", lax::div, x, y); }
Array true_divide(const Arg& x, const Arg& y) { return divide(x, y); }

Array floor_divide(const Arg& x, const Arg& y) {
  const ApiNameScope s("floor_divide", x.at());
  const auto [a, b] = fn::promoted_numbers("floor_divide", x, y);
  return quotient_down(a, b);
}
Array remainder(const Arg& x, const Arg& y) {
  const ApiNameScope s("remainder", x.at());
  const auto [a, b] = fn::promoted_numbers("remainder", x, y);
  return remainder_up(a, b);
}
Array mod(const Arg& x, const Arg& y) { return remainder(x, y); }
Array fmod(const Arg& x, const Arg& y) {
  const ApiNameScope s("fmod", x.at());
  const auto [a, b] = fn::promoted_numbers("fmod", x, y);
  return safe_rem(a, b);
}
std::pair<Array, Array> divmod(const Arg& x, const Arg& y) {
  const ApiNameScope s("divmod", x.at());
  const auto [a, b] = fn::promoted_numbers("divmod", x, y);
  if (is_floating(a.dtype())) return float_divmod(a, b);
  return {quotient_down(a, b), remainder_up(a, b)};
}
std::pair<Array, Array> modf(const Arg& x) {
  const ApiNameScope s("modf", x.at());
  const Array v = fn::inexact(x), whole = trunc(v);
  // The fraction has the sign of v, also where it is 0. It is computed by differences only, so that
  // its slope is 1 there too.
  const Array negative = signbit(v),
              size = choose(negative, lax::sub(whole, v), lax::sub(v, whole));
  const Array part =
      choose(lax::eq(lax::abs(v), number_like(v, std::numeric_limits<double>::infinity())),
             number_like(v, 0), size);
  return {choose(negative, lax::neg(part), part), whole};
}

Array pow(const Arg& x, const Arg& y) {
  const ApiNameScope s("pow", x.at());
  const Concrete* c = concrete_or_null(y);
  if (c && c->literal && is_integer(y->dtype())) {
    fn::refuse_beyond_i32(x, y);
    fn::refuse_beyond_i32(y, x);
    const Promoted p = promote(x->dtype(), x->weak_type(), y->dtype(), y->weak_type());
    const int64_t n = y->item<int64_t>();
    if (n < 0 && !is_inexact(p.dtype))
      fn::fail_dtype("pow: integers cannot be raised to negative powers; use float_power");
    return lax::integer_pow(fn::as_dtype(x, p.dtype, p.weak), n);
  }
  const auto [a, b] = fn::promoted_numbers("pow", x, y);
  // An integer exponent remains an integer. This avoids a derivative in the exponent, and makes the
  // derivative of x^0 equal to 0.
  if (is_inexact(x->dtype()) && is_integer(y->dtype()))
    return lax::pow(a, fn::scalar_or_broadcast(y, a.ndim() ? a.shape() : b.shape()));
  if (is_inexact(a.dtype())) return lax::pow(a, b);
  const Shape full = a.ndim() ? a.shape() : b.shape();
  return integer_power(fn::broadcast(a, full), fn::broadcast(b, full));
}
Array power(const Arg& x, const Arg& y) { return pow(x, y); }
Array float_power(const Arg& x, const Arg& y) {
  return float_binary("float_power", lax::pow, x, y);
}

Array negative(const Arg& x) {
  const ApiNameScope s("negative", x.at());
  if (is_bool(x->dtype())) fn::fail_dtype("negative: a bool has no negative; use logical_not or ~");
  return lax::neg(x);
}
Array positive(const Arg& x) { return x; }
Array abs(const Arg& x) {
  const ApiNameScope s("abs", x.at());
  return is_bool(x->dtype()) || is_unsigned(x->dtype()) ? x.value() : lax::abs(x);
}
Array absolute(const Arg& x) { return abs(x); }
Array fabs(const Arg& x) {
  const ApiNameScope s("fabs", x.at());
  fn::need_real("fabs", x);
  return lax::abs(fn::inexact(x));
}
Array sign(const Arg& x) {
  const ApiNameScope s("sign", x.at());
  return lax::sign(x);
}
Array square(const Arg& x) {
  const ApiNameScope s("square", x.at());
  return lax::square(fn::numeric(x));
}
Array reciprocal(const Arg& x) {
  const ApiNameScope s("reciprocal", x.at());
  return lax::integer_pow(fn::inexact(x), -1);
}
Array maximum(const Arg& x, const Arg& y) { return binary("maximum", lax::max, x, y); }
Array minimum(const Arg& x, const Arg& y) { return binary("minimum", lax::min, x, y); }
Array clip(const Arg& x, const MaybeArray& lo, const MaybeArray& hi) {
  const ApiNameScope s("clip", x.at());
  for (const Array* v : {&x.value(), lo ? &*lo : nullptr, hi ? &*hi : nullptr})
    if (v && is_complex(v->dtype()))
      fn::fail_dtype("clip: complex numbers have no order, got " + to_string(v->type()));
  const Array above = lo ? maximum(x, *lo) : x.value();
  return hi ? minimum(above, *hi) : above;
}
Array fmax(const Arg& x, const Arg& y) {
  const ApiNameScope s("fmax", x.at());
  const auto [a, b] = fn::promoted("fmax", x, y);
  return choose(
      lax::bitwise_or(lax::gt(a, b), is_nan(fn::broadcast(b, a.ndim() ? a.shape() : b.shape()))), a,
      b);
}
Array fmin(const Arg& x, const Arg& y) {
  const ApiNameScope s("fmin", x.at());
  const auto [a, b] = fn::promoted("fmin", x, y);
  return choose(
      lax::bitwise_or(lax::lt(a, b), is_nan(fn::broadcast(b, a.ndim() ? a.shape() : b.shape()))), a,
      b);
}

Array sqrt(const Arg& x) { return float_unary("sqrt", lax::sqrt, x); }
Array cbrt(const Arg& x) { return float_unary("cbrt", lax::cbrt, x); }
Array hypot(const Arg& x, const Arg& y) {
  const ApiNameScope s("hypot", x.at());
  for (const Arg* v : {&x, &y}) fn::need_real("hypot", *v);
  const auto [p, q] = fn::promoted_inexact("hypot", x, y);
  const Shape full = p.ndim() ? p.shape() : q.shape();
  const auto value = [](const Arrays& v) {
    const Array a = lax::abs(v[0]), b = lax::abs(v[1]), hi = lax::max(a, b), lo = lax::min(a, b);
    const Array zero = lax::eq(hi, number_like(hi, 0)), one = number_like(hi, 1),
                inf = number_like(hi, std::numeric_limits<double>::infinity());
    const Array ratio = lax::div(lo, choose(zero, one, hi));
    const Array length = lax::mul(hi, lax::sqrt(lax::add(one, lax::square(ratio))));
    return choose(lax::bitwise_or(lax::eq(a, inf), lax::eq(b, inf)), inf, length);
  };
  // The slopes are x / length and y / length, both scaled by a size that is treated as constant. At
  // 0 both slopes are 1/2, as for the maximum of two equal numbers.
  return fn::with_slope(
      "hypot", {fn::broadcast(p, full), fn::broadcast(q, full)}, value,
      [](const Arrays& v, const Arrays& d) {
        const Array hi = lax::stop_gradient(lax::max(lax::abs(v[0]), lax::abs(v[1])));
        const Array zero = lax::eq(hi, number_like(hi, 0)), one = number_like(hi, 1);
        const Array size = choose(zero, one, hi);
        const Array a = lax::div(v[0], size), b = lax::div(v[1], size);
        const Array squares = choose(zero, one, lax::add(lax::square(a), lax::square(b)));
        const Array length = lax::sqrt(squares);
        const auto slope = [&](const Array& part) {
          return choose(zero, number_like(hi, 0.5), lax::div(part, length));
        };
        return lax::add(lax::mul(d[0], slope(a)), lax::mul(d[1], slope(b)));
      });
}
Array exp(const Arg& x) { return float_unary("exp", lax::exp, x); }
Array exp2(const Arg& x) { return float_unary("exp2", lax::exp2, x); }
Array expm1(const Arg& x) { return float_unary("expm1", lax::expm1, x); }
Array log(const Arg& x) { return float_unary("log", lax::log, x); }
Array log1p(const Arg& x) { return float_unary("log1p", lax::log1p, x); }
Array log2(const Arg& x) { return log_to_base("log2", x, 2); }
Array log10(const Arg& x) { return log_to_base("log10", x, 10); }
Array logaddexp(const Arg& x, const Arg& y) {
  return log_sum_of("logaddexp", x, y, [](const Array& d) { return lax::log1p(lax::exp(d)); });
}
Array logaddexp2(const Arg& x, const Arg& y) {
  return log_sum_of("logaddexp2", x, y, [](const Array& d) {
    return lax::div(lax::log1p(lax::exp2(d)), number_like(d, std::log(2.0)));
  });
}

Array sin(const Arg& x) { return float_unary("sin", lax::sin, x); }
Array cos(const Arg& x) { return float_unary("cos", lax::cos, x); }
Array tan(const Arg& x) { return float_unary("tan", lax::tan, x); }
Array asin(const Arg& x) { return float_unary("asin", lax::asin, x); }
Array acos(const Arg& x) { return float_unary("acos", lax::acos, x); }
Array atan(const Arg& x) { return float_unary("atan", lax::atan, x); }
Array atan2(const Arg& y, const Arg& x) { return float_binary("arctan2", lax::atan2, y, x); }
Array sinh(const Arg& x) { return float_unary("sinh", lax::sinh, x); }
Array cosh(const Arg& x) { return float_unary("cosh", lax::cosh, x); }
Array tanh(const Arg& x) { return float_unary("tanh", lax::tanh, x); }
Array asinh(const Arg& x) { return float_unary("asinh", lax::asinh, x); }
Array acosh(const Arg& x) { return float_unary("acosh", lax::acosh, x); }
Array atanh(const Arg& x) { return float_unary("atanh", lax::atanh, x); }
Array arcsin(const Arg& x) { return asin(x); }
Array arccos(const Arg& x) { return acos(x); }
Array arctan(const Arg& x) { return atan(x); }
Array arctan2(const Arg& y, const Arg& x) { return atan2(y, x); }
Array arcsinh(const Arg& x) { return asinh(x); }
Array arccosh(const Arg& x) { return acosh(x); }
Array arctanh(const Arg& x) { return atanh(x); }
Array sinc(const Arg& x) {
  const ApiNameScope s("sinc", x.at());
  const Array v = fn::inexact(x);
  return ir::sin_over(lax::mul(v, number_like(v, M_PI)));
}
Array deg2rad(const Arg& x) {
  const ApiNameScope s("deg2rad", x.at());
  const Array v = fn::inexact(x);
  return lax::mul(v, number_like(v, M_PI / 180));
}
Array rad2deg(const Arg& x) {
  const ApiNameScope s("rad2deg", x.at());
  const Array v = fn::inexact(x);
  return lax::mul(v, number_like(v, 180 / M_PI));
}
Array radians(const Arg& x) { return deg2rad(x); }
Array degrees(const Arg& x) { return rad2deg(x); }

Array floor(const Arg& x) { return unless_integer(lax::floor, x); }
Array ceil(const Arg& x) { return unless_integer(lax::ceil, x); }
Array trunc(const Arg& x) {
  const ApiNameScope s("trunc", x.at());
  if (!is_inexact(x->dtype())) return x;
  return choose(lax::lt(x, number_like(x, 0)), lax::ceil(x), lax::floor(x));
}
Array fix(const Arg& x) { return trunc(x); }
Array around(const Arg& x, int64_t decimals) { return round(x, decimals); }
Array rint(const Arg& x) {
  const ApiNameScope s("rint", x.at());
  return round(fn::inexact(x));
}
Array round(const Arg& x, int64_t decimals) {
  const ApiNameScope s("round", x.at());
  if (!is_inexact(x->dtype())) {
    if (decimals < 0) fn::fail_dtype("round: integers are rounded to 0 or more decimals");
    return x;
  }
  if (is_complex(x->dtype()))
    return lax::complex(round(lax::real(x), decimals), round(lax::imag(x), decimals));
  if (decimals == 0) return round_even(x);
  // Computed at least in F32, because the factor may exceed the range of the narrow floats.
  const DType narrow = x->dtype();
  const Array v = narrow == BF16 || narrow == F16 ? fn::as_dtype(x, F32) : x.value();
  const Array factor = number_like(v, std::pow(10.0, static_cast<double>(decimals)));
  return fn::as_dtype(lax::div(round_even(lax::mul(v, factor)), factor), narrow, x->weak_type());
}

}  // namespace weft
