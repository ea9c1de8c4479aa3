// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/number.cpp: functions of single numbers: divisors, exponents, parts, and
// replacement of NaN.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "functions/kit.h"
#include "ops/control/control_flow.h"
#include "tracer/concrete.h"
#include "weft/lax/compare.h"
#include "weft/lax/convert.h"
#include "weft/lax/cumulative.h"
#include "weft/lax/elementary.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/rounding.h"
#include "weft/lax/special.h"
#include "weft/numpy/math.h"
#include "weft/numpy/reduce.h"

namespace weft {
namespace {

using fn::number_like;
constexpr double inf = std::numeric_limits<double>::infinity();

void refuse_complex(const char* name, const Array& x) {
  if (is_complex(x.dtype()))
    fn::fail_dtype(fmt::format("{}: takes real numbers, got {}", name, to_string(x.type())));
}
// |x| and |y| as integers of one dtype and of the common shape.
fn::Pair sizes_of(const char* name, const Array& x, const Array& y) {
  const auto [a, b] = fn::promoted(name, x, y);
  if (!is_integer(a.dtype()))
    fn::fail_dtype(fmt::format("{}: takes integers, got {} and {}", name, to_string(x.type()),
                               to_string(y.type())));
  const Shape full = a.ndim() ? a.shape() : b.shape();
  return {abs(fn::broadcast(a, full)), abs(fn::broadcast(b, full))};
}
// Euclid's algorithm. It runs until all second numbers are 0.
Array common_divisor(const Array& x, const Array& y) {
  const Type t = x.type().strong();
  const ClosedJaxpr left = record(
      {t, t}, [](const Arrays& v) { return Arrays{any(lax::ne(v[1], number_like(v[1], 0)))}; });
  const ClosedJaxpr step = record({t, t}, [](const Arrays& v) {
    const Array done = lax::eq(v[1], number_like(v[1], 0));
    const Array rest = lax::rem(v[0], where(done, number_like(v[1], 1), v[1]));
    return Arrays{where(done, v[0], v[1]), where(done, number_like(v[1], 0), rest)};
  });
  return while_flat(left, step, {fn::as_dtype(x, x.dtype()), fn::as_dtype(y, y.dtype())})[0];
}
}  // namespace

Array gcd(const Arg& x, const Arg& y) {
  const ApiNameScope s("gcd", x.at());
  const auto [a, b] = sizes_of("gcd", x, y);
  return common_divisor(a, b);
}
Array lcm(const Arg& x, const Arg& y) {
  const ApiNameScope s("lcm", x.at());
  const auto [a, b] = sizes_of("lcm", x, y);
  const Array d = common_divisor(a, b), none = lax::eq(d, number_like(d, 0));
  return where(none, d, lax::mul(a, lax::div(b, where(none, number_like(d, 1), d))));
}

// ---- exponents

std::pair<Array, Array> frexp(const Arg& x) {
  const ApiNameScope s("frexp", x.at());
  const Array v = fn::inexact(x);
  refuse_complex("frexp", v);
  const DType narrow = v.dtype(), d = narrow == F64 ? F64 : F32, word = d == F64 ? I64 : I32;
  const int64_t mantissa = d == F64 ? 52 : 23, field = d == F64 ? 0x7ff : 0xff,
                half = d == F64 ? 1022 : 126;
  // Subnormal numbers are first scaled to normal numbers.
  const Array wide = fn::as_dtype(v, d), size = lax::abs(wide);
  const Array tiny = lax::lt(size, number_like(size, std::ldexp(1., 1 - static_cast<int>(half))));
  const double lift = std::ldexp(1., static_cast<int>(mantissa) + 1);
  const Array whole = lax::mul(wide, where(tiny, number_like(wide, lift), number_like(wide, 1)));
  const auto integer = [&](int64_t i) { return scalar_of_int(word, i); };
  const Array bits = lax::bitcast_convert_type(lax::stop_gradient(whole), word);
  const Array exponent =
      lax::sub(lax::bitwise_and(lax::shift_right_logical(bits, integer(mantissa)), integer(field)),
               integer(half));
  // The factor 2^-exponent is applied as two factors, each of which is a normal number.
  const Array first = lax::shift_right_arithmetic(exponent, integer(1));
  const Array parts = ldexp(ldexp(whole, negative(first)), subtract(first, exponent));
  const Array plain =
      lax::bitwise_or(lax::eq(wide, number_like(wide, 0)), lax::bitwise_not(lax::is_finite(wide)));
  const Array shifted = lax::sub(exponent, where(tiny, integer(mantissa + 1), integer(0)));
  return {where(plain, v, fn::as_dtype(parts, narrow, v.weak_type())),
          fn::as_dtype(where(plain, integer(0), shifted), I32)};
}
Array spacing(const Arg& x) {
  const ApiNameScope s("spacing", x.at());
  const Array v = fn::inexact(x);
  refuse_complex("spacing", v);
  const Array far = fn::broadcast(number_like(v, inf), v.shape());
  if (v.dtype() == F16) return lax::sub(lax::nextafter(v, far), v);
  return lax::sub(lax::nextafter(v, copysign(far, v)), v);
}

// ---- parts

Array isreal(const Arg& x) {
  const ApiNameScope s("isreal", x.at());
  const Array part = imag(x);
  return lax::eq(part, number_like(part, 0));
}
Array iscomplex(const Arg& x) {
  const ApiNameScope s("iscomplex", x.at());
  const Array part = imag(x);
  return lax::ne(part, number_like(part, 0));
}
bool iscomplexobj(const Arg& x) {
  const ApiNameScope s("iscomplexobj", x.at());
  return is_complex(x->dtype());
}
bool isrealobj(const Arg& x) { return !iscomplexobj(x); }
bool isscalar(const Arg& x) {
  const ApiNameScope s("isscalar", x.at());
  return x->ndim() == 0;
}

DType promote_types(DType a, DType b) { return promote(a, false, b, false).dtype; }
DType detail::result_type_of(std::vector<HasDType> all) {
  Types types;
  for (const HasDType& x : all) types.emplace_back(x.dtype, Shape{}, x.weak);
  return common_type(types).dtype;
}

namespace {
double largest(DType d) {
  switch (d) {
    case F64: return std::numeric_limits<double>::max();
    case F16: return 65504;
    case BF16: return 0x1.fep127;
    default: return std::numeric_limits<float>::max();
  }
}
}  // namespace
Array nan_to_num(const Arg& x, const Arg& nan, const MaybeArray& posinf, const MaybeArray& neginf) {
  const ApiNameScope s("nan_to_num", x.at());
  if (!is_inexact(x->dtype())) return x;
  if (is_complex(x->dtype()))
    return lax::complex(nan_to_num(lax::real(x), nan, posinf, neginf),
                        nan_to_num(lax::imag(x), nan, posinf, neginf));
  const auto as_x = [&](const Array& v) { return fn::as_dtype(v, x->dtype()); };
  const double big = largest(x->dtype());
  const Array high = posinf ? as_x(*posinf) : number_like(x, big),
              low = neginf ? as_x(*neginf) : number_like(x, -big);
  Array out = where(lax::ne(x, x), as_x(nan), x);
  out = where(lax::eq(out, number_like(x, inf)), high, out);
  return where(lax::eq(out, number_like(x, -inf)), low, out);
}

Array i0(const Arg& x) {
  const ApiNameScope s("i0", x.at());
  const Array v = fn::inexact(x);
  refuse_complex("i0", v);
  // The sign has no slope, so the slope at 0 is 0.
  return lax::mul(lax::exp(lax::mul(lax::sign(v), v)), lax::bessel_i0e(v));
}

Array unwrap(const Arg& p, const MaybeArray& discont, int64_t axis, const Arg& period) {
  const ApiNameScope s("unwrap", p.at());
  const auto [v, whole] = fn::promoted("unwrap", p, period);
  refuse_complex("unwrap", v);
  const int a = fn::axis_of("unwrap", axis, v.type().ndim());
  const int64_t n = v.shape()[a];
  if (n == 0) return v;
  const Array half = is_integer(v.dtype()) ? floor_divide(whole, 2) : divide(whole, 2);
  const Array bound = discont ? *discont : divide(whole, 2);
  const Array gap = diff(v, 1, a);
  Array rest = subtract(remainder(add(gap, half), whole), half);
  // A jump of exactly half a period upwards remains an upward jump.
  rest = where(logical_and(equal(rest, negative(half)), greater(gap, 0)), half, rest);
  const Array change = where(less(abs(gap), bound), 0, subtract(rest, gap));
  return fn::joined(
      fn::same_dtype({fn::sliced(v, a, 0, 1), add(fn::sliced(v, a, 1, n), lax::cumsum(change, a))}),
      a);
}

}  // namespace weft
