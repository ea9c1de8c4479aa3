// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/logic.cpp: comparisons, logic, bits, parts of floats, and selects.
#include <algorithm>
#include <cmath>
#include <limits>

#include "functions/kit.h"
#include "weft/lax/compare.h"
#include "weft/lax/convert.h"
#include "weft/lax/elementary.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/reduce.h"
#include "weft/lax/rounding.h"
#include "weft/numpy/math.h"

namespace weft {
namespace {

using fn::number_like;
using BinaryOp = Array (*)(const Arg&, const Arg&);
constexpr double inf = std::numeric_limits<double>::infinity();

Array binary(const char* name, BinaryOp op, const Arg& x, const Arg& y) {
  const ApiNameScope s(name, x.at());
  const auto [a, b] = fn::promoted(name, x, y);
  return op(a, b);
}
// Complex numbers are ordered by their real parts, and by their imaginary parts where the real
// parts are equal.
Array ordered(const char* name, BinaryOp op, const Arg& x, const Arg& y) {
  const ApiNameScope s(name, x.at());
  const auto [a, b] = fn::promoted(name, x, y);
  if (!is_complex(a.dtype())) return op(a, b);
  const Array p = lax::real(a), q = lax::real(b);
  return lax::select(lax::eq(p, q), op(lax::imag(a), lax::imag(b)), op(p, q));
}
Array logical(const char* name, BinaryOp op, const Arg& x, const Arg& y) {
  const ApiNameScope s(name, x.at());
  const auto [a, b] = fn::promoted(name, fn::truth(name, x), fn::truth(name, y));
  return op(a, b);
}
Array constant(const Array& x, bool v) { return fn::broadcast(Array(v), x.shape()); }
// The integer type of the same width.
DType bits_type(DType d) { return d == F64 ? I64 : d == F32 ? I32 : I16; }
Array power_of_two(const Array& n, DType d) {
  // Builds the exponent field of a float. n is in the range of normal numbers.
  const DType i = bits_type(d);
  const Array biased = lax::add(fn::as_dtype(n, i), Array(fn::as_dtype(d == F64 ? 1023 : 127, i)));
  return lax::bitcast_convert_type(lax::shift_left(biased, fn::as_dtype(d == F64 ? 52 : 23, i)), d);
}
}  // namespace

Array equal(const Arg& x, const Arg& y) { return binary("equal", lax::eq, x, y); }
Array not_equal(const Arg& x, const Arg& y) { return binary("not_equal", lax::ne, x, y); }
Array less(const Arg& x, const Arg& y) { return ordered("less", lax::lt, x, y); }
Array less_equal(const Arg& x, const Arg& y) { return ordered("less_equal", lax::le, x, y); }
Array greater(const Arg& x, const Arg& y) { return ordered("greater", lax::gt, x, y); }
Array greater_equal(const Arg& x, const Arg& y) { return ordered("greater_equal", lax::ge, x, y); }

Array logical_and(const Arg& x, const Arg& y) {
  return logical("logical_and", lax::bitwise_and, x, y);
}
Array logical_or(const Arg& x, const Arg& y) {
  return logical("logical_or", lax::bitwise_or, x, y);
}
Array logical_xor(const Arg& x, const Arg& y) {
  return logical("logical_xor", lax::bitwise_xor, x, y);
}
Array logical_not(const Arg& x) {
  const ApiNameScope s("logical_not", x.at());
  fn::need_numbers("logical_not", x);
  return is_bool(x->dtype()) ? lax::bitwise_not(x) : lax::eq(x, number_like(x, 0));
}
Array bitwise_and(const Arg& x, const Arg& y) {
  return binary("bitwise_and", lax::bitwise_and, x, y);
}
Array bitwise_or(const Arg& x, const Arg& y) { return binary("bitwise_or", lax::bitwise_or, x, y); }
Array bitwise_xor(const Arg& x, const Arg& y) {
  return binary("bitwise_xor", lax::bitwise_xor, x, y);
}
Array bitwise_not(const Arg& x) {
  const ApiNameScope s("bitwise_not", x.at());
  return lax::bitwise_not(x);
}
Array invert(const Arg& x) { return bitwise_not(x); }
Array bitwise_invert(const Arg& x) { return bitwise_not(x); }
Array bitwise_left_shift(const Arg& x, const Arg& y) { return left_shift(x, y); }
Array bitwise_right_shift(const Arg& x, const Arg& y) { return right_shift(x, y); }
Array left_shift(const Arg& x, const Arg& y) {
  const ApiNameScope s("left_shift", x.at());
  const auto [a, b] = fn::promoted_numbers("left_shift", x, y);
  return lax::shift_left(a, b);
}
Array right_shift(const Arg& x, const Arg& y) {
  const ApiNameScope s("right_shift", x.at());
  const auto [a, b] = fn::promoted_numbers("right_shift", x, y);
  return is_unsigned(a.dtype()) ? lax::shift_right_logical(a, b)
                                : lax::shift_right_arithmetic(a, b);
}
Array bitwise_count(const Arg& x) {
  const ApiNameScope s("bitwise_count", x.at());
  return fn::as_dtype(lax::population_count(abs(fn::numeric(x))), U8);
}

Array isnan(const Arg& x) {
  const ApiNameScope s("isnan", x.at());
  return is_inexact(x->dtype()) ? lax::ne(x, x) : constant(x, false);
}
Array isinf(const Arg& x) {
  const ApiNameScope s("isinf", x.at());
  if (is_complex(x->dtype())) return lax::bitwise_or(isinf(lax::real(x)), isinf(lax::imag(x)));
  return is_inexact(x->dtype()) ? lax::eq(lax::abs(x), number_like(x, inf)) : constant(x, false);
}
Array isfinite(const Arg& x) {
  const ApiNameScope s("isfinite", x.at());
  if (is_complex(x->dtype()))
    return lax::bitwise_and(isfinite(lax::real(x)), isfinite(lax::imag(x)));
  return is_inexact(x->dtype()) ? lax::is_finite(x) : constant(x, true);
}
namespace {
Array is_infinity(const char* name, const Arg& x, double which) {
  const ApiNameScope s(name, x.at());
  fn::need_real(name, x);
  return is_floating(x->dtype()) ? lax::eq(x, number_like(x, which)) : constant(x, false);
}
}  // namespace
Array isposinf(const Arg& x) { return is_infinity("isposinf", x, inf); }
Array isneginf(const Arg& x) { return is_infinity("isneginf", x, -inf); }

Array isclose(const Arg& x, const Arg& y, double rtol, double atol, bool equal_nan) {
  const ApiNameScope s("isclose", x.at());
  const auto [a, b] = fn::promoted_inexact("isclose", x, y);
  const Array gap = lax::abs(lax::sub(a, b)), size = lax::abs(b);
  const Array bound = lax::add(number_like(size, atol), lax::mul(number_like(size, rtol), size));
  // Infinities are close only to equal infinities. Where both operands are finite the bound
  // decides.
  const Array near =
      lax::bitwise_and(lax::le(gap, bound), lax::bitwise_and(isfinite(a), isfinite(b)));
  const Array close = lax::bitwise_or(near, lax::eq(a, b));
  return equal_nan ? lax::bitwise_or(close, lax::bitwise_and(lax::ne(a, a), lax::ne(b, b))) : close;
}
namespace {
Array all_of(const Array& x) {
  std::vector<int64_t> axes;
  for (int64_t i = 0; i < x.ndim(); ++i) axes.push_back(i);
  return axes.empty() ? x : lax::reduce_and(x, axes);
}
}  // namespace
Array allclose(const Arg& x, const Arg& y, double rtol, double atol, bool equal_nan) {
  const ApiNameScope s("allclose", x.at());
  return all_of(isclose(x, y, rtol, atol, equal_nan));
}
Array array_equal(const Arg& x, const Arg& y, bool equal_nan) {
  const ApiNameScope s("array_equal", x.at());
  if (!(x->shape() == y->shape())) return fn::as_dtype(false, Bool);
  const auto [a, b] = fn::promoted("array_equal", x, y);
  const Array same = lax::eq(a, b);
  return all_of(equal_nan && is_inexact(a.dtype())
                    ? lax::bitwise_or(same, lax::bitwise_and(lax::ne(a, a), lax::ne(b, b)))
                    : same);
}
Array array_equiv(const Arg& x, const Arg& y) {
  const ApiNameScope s("array_equiv", x.at());
  const Shape &a = x->shape(), &b = y->shape();
  for (int i = 1; i <= std::min(a.ndim(), b.ndim()); ++i)
    if (a[-i] != b[-i] && a[-i] != 1 && b[-i] != 1) return fn::as_dtype(false, Bool);
  const Array same = equal(x, y);
  return all_of(same);
}

Array where(const Arg& condition, const Arg& x, const Arg& y) {
  const ApiNameScope s("where", condition.at());
  const auto [a, b] = fn::promoted("where", x, y);
  const Array c = fn::truth("where", condition);
  Shape full = a.ndim() ? a.shape() : b.shape();
  // Broadcasts to the shape of all three operands. A scalar condition remains a scalar.
  const Arrays shapes =
      fn::broadcast_together("where", {c, fn::broadcast(fn::as_dtype(false, Bool), full)});
  full = shapes[1].shape();
  return lax::select(fn::scalar_or_broadcast(c, full), fn::broadcast(a, full),
                     fn::broadcast(b, full));
}
Array select(const Arrays& conditions, const Arrays& choices, const Arg& otherwise) {
  const ApiNameScope s("select", otherwise.at());
  if (conditions.size() != choices.size())
    fn::fail_shape("select: as many choices as conditions are needed");
  if (conditions.empty())
    fn::fail_shape("select: there must be at least one condition, and its choice");
  Array out = otherwise;
  for (size_t i = conditions.size(); i-- > 0;) out = where(conditions[i], choices[i], out);
  return out;
}

Array signbit(const Arg& x) {
  const ApiNameScope s("signbit", x.at());
  fn::need_real("signbit", x);
  if (is_unsigned(x->dtype()) || is_bool(x->dtype())) return constant(x, false);
  if (is_integer(x->dtype())) return lax::lt(x, number_like(x, 0));
  const Array bits = lax::bitcast_convert_type(x, bits_type(x->dtype()));
  return lax::lt(bits, number_like(bits, 0));
}
Array copysign(const Arg& x, const Arg& y) {
  const ApiNameScope s("copysign", x.at());
  for (const Arg* v : {&x, &y}) fn::need_real("copysign", *v);
  const auto [a, b] = fn::promoted_inexact("copysign", x, y);
  const Shape full = a.ndim() ? a.shape() : b.shape();
  const Array size = lax::abs(fn::broadcast(a, full));
  return lax::select(signbit(fn::broadcast(b, full)), lax::neg(size), size);
}
Array nextafter(const Arg& x, const Arg& y) {
  const ApiNameScope s("nextafter", x.at());
  const auto [a, b] = fn::promoted_inexact("nextafter", x, y);
  return lax::nextafter(a, b);
}
Array ldexp(const Arg& x, const Arg& exponent) {
  const ApiNameScope s("ldexp", x.at());
  for (const Arg* v : {&x, &exponent}) fn::need_real("ldexp", *v);
  const Array v = fn::inexact(x);
  const DType narrow = v.dtype(), d = narrow == F64 ? F64 : F32;
  // The product of three factors spans the range from the least subnormal to infinity.
  const int64_t most = d == F64 ? 1022 : 126;
  Array out = fn::as_dtype(v, d), left = clip(fn::as_dtype(exponent, I32), -3 * most, 3 * most);
  for (int i = 0; i < 3; ++i) {
    const Array step = clip(left, -most, most);
    out = multiply(out, power_of_two(step, d));
    left = subtract(left, step);
  }
  return fn::as_dtype(out, narrow, v.weak_type());
}
Array heaviside(const Arg& x, const Arg& at_zero) {
  const ApiNameScope s("heaviside", x.at());
  const auto [a, b] = fn::promoted_inexact("heaviside", x, at_zero);
  const Array zero = number_like(a, 0), one = number_like(a, 1);
  const Array step = where(lax::lt(a, zero), zero, where(lax::gt(a, zero), one, b));
  return where(isnan(a), a, step);
}
Array real(const Arg& x) {
  const ApiNameScope s("real", x.at());
  return is_complex(x->dtype()) ? lax::real(x) : x.value();
}
Array imag(const Arg& x) {
  const ApiNameScope s("imag", x.at());
  return is_complex(x->dtype()) ? lax::imag(x) : fn::broadcast(number_like(x, 0), x->shape());
}
Array conj(const Arg& x) {
  const ApiNameScope s("conj", x.at());
  return is_complex(x->dtype()) ? lax::conj(x) : x.value();
}
Array conjugate(const Arg& x) { return conj(x); }
Array angle(const Arg& x, bool deg) {
  const ApiNameScope s("angle", x.at());
  const Array v = fn::inexact(x), zero = number_like(v, 0);
  const Array turn = is_complex(v.dtype())
                         ? lax::atan2(lax::imag(v), lax::real(v))
                         : where(isnan(v), v, where(signbit(v), number_like(v, M_PI), zero));
  return deg ? rad2deg(turn) : turn;
}

}  // namespace weft
