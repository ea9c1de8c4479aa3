// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/elementwise/elementwise.cpp: add, sub, mul, div, neg, max, min, abs, sign, square,
// integer_pow.
#include "weft/lax/elementwise.h"

#include <fmt/format.h>

#include "autodiff/composed.h"
#include "core/scalar/math.h"
#include "ops/elementwise/multiply_add.h"
#include "ops/kit/arith.h"
#include "ops/kit/kit.h"
#include "weft/lax/compare.h"
#include "weft/lax/convert.h"

namespace weft {
namespace {

using namespace lax;

// The share of x in the derivative: 1 if only x equals the result, 0.5 if both operands do.
Array tie_share(const Array& x, const Array& out, const Array& y) {
  const Array one = like(out, 1), two = like(out, 2), zero = like(out, 0);
  const Type t = out.type();
  const auto choose = [&](const Array& p, const Array& a, const Array& b) {
    return select(broadcast_like(p, t), broadcast_like(a, t), broadcast_like(b, t));
  };
  return div(choose(eq(x, out), one, zero), choose(eq(y, out), two, one));
}
const auto tie_jvp =
    binary_jvp([](Array dx, Array x, Array y, Array out) { return mul(dx, tie_share(x, out, y)); },
               [](Array dy, Array x, Array y, Array out) { return mul(dy, tie_share(y, out, x)); });

const Primitive<None>& add_op = define_elementwise([] {
  auto d = elementwise<DTypes::numbers, 2>(
      "add", "Adds `x` and `y` element by element. Integers wrap around.",
      [](auto x, auto y) { return arith::add(x, y); });
  d.stablehlo = "stablehlo.add";
  d.jvp = binary_jvp([](Array dx, Array, Array, Array) { return dx; },
                     [](Array dy, Array, Array, Array) { return dy; });
  d.transpose =
      binary_transpose([](Array ct, Array) { return ct; }, [](Array ct, Array) { return ct; });
  d.simplify = [](const SimplifyArgs<None>& s) {
    // x + -0 is x, but x + +0 is not x for x = -0.
    const double zero = is_inexact(s.x[0].dtype()) ? -0.0 : 0.0;
    Arrays r = drop_neutral(s.x, 0, 1, zero);
    return r.empty() ? drop_neutral(s.x, 1, 0, zero) : r;
  };
  d.fuse = [](const FuseArgs<None>& f) { return multiply_add(f, false); };
  return d;
}());

const Primitive<None>& sub_op = define_elementwise([] {
  auto d = elementwise<DTypes::numbers, 2>(
      "sub", "Subtracts `y` from `x` element by element. Integers wrap around.",
      [](auto x, auto y) { return arith::sub(x, y); });
  d.stablehlo = "stablehlo.subtract";
  d.jvp = binary_jvp([](Array dx, Array, Array, Array) { return dx; },
                     [](Array dy, Array, Array, Array) { return neg(dy); });
  d.transpose =
      binary_transpose([](Array ct, Array) { return ct; }, [](Array ct, Array) { return neg(ct); });
  d.simplify = [](const SimplifyArgs<None>& s) { return drop_neutral(s.x, 0, 1, 0); };
  d.fuse = [](const FuseArgs<None>& f) { return multiply_add(f, true); };
  return d;
}());

const Primitive<None>& mul_op = define_elementwise([] {
  auto d = elementwise<DTypes::numbers, 2>(
      "mul", "Multiplies `x` and `y` element by element. Integers wrap around.",
      [](auto x, auto y) { return arith::mul(x, y); });
  d.stablehlo = "stablehlo.multiply";
  d.jvp = binary_jvp([](Array dx, Array, Array y, Array) { return mul(dx, y); },
                     [](Array dy, Array x, Array, Array) { return mul(x, dy); });
  d.transpose = binary_transpose([](Array ct, Array y) { return mul(ct, y); },
                                 [](Array ct, Array x) { return mul(x, ct); });
  d.simplify = [](const SimplifyArgs<None>& s) {
    Arrays r = drop_neutral(s.x, 0, 1, 1);
    return r.empty() ? drop_neutral(s.x, 1, 0, 1) : r;
  };
  d.is_product = true;
  return d;
}());

const Primitive<None>& div_op = define_elementwise([] {
  auto d = elementwise<DTypes::numbers, 2>("div",
                                           "Divides `x` by `y` element by element. Integer "
                                           "division truncates; `x / 0` is -1 (all bits are "
                                           "set), and MIN / -1 is MIN.",
                                           [](auto x, auto y) { return arith::div(x, y); });
  d.stablehlo = "stablehlo.divide";
  d.jvp = binary_jvp([](Array dx, Array, Array y, Array) { return div(dx, y); },
                     [](Array dy, Array, Array y, Array out) { return mul(neg(dy), div(out, y)); });
  d.transpose = binary_transpose(
      [](Array ct, Array y) { return div(ct, y); },
      [](const Array&, const Array&) -> Array {
        throw DifferentiationError("'div' is not linear in its denominator; use vjp");
      });
  d.simplify = [](const SimplifyArgs<None>& s) { return drop_neutral(s.x, 0, 1, 1); };
  d.samples = [] {
    auto s = nary_samples<None>(DTypes::numbers & ~DTypes::inexact, 2, {});
    for (auto& x : nary_samples<None>(DTypes::inexact, 2, {}, 0.5, 2)) s.push_back(x);
    return s;
  };
  return d;
}());

const Primitive<None>& neg_op = define_elementwise([] {
  auto d = elementwise<DTypes::numbers, 1>("neg", "Negates each element. Integers wrap around.",
                                           [](auto x) { return arith::neg(x); });
  d.stablehlo = "stablehlo.negate";
  d.jvp = unary_jvp([](Array dx, Array, Array) { return neg(dx); });
  d.transpose = unary_transpose([](Array ct) { return neg(ct); });
  return d;
}());

const Primitive<None>& max_op = define_elementwise([] {
  auto d = elementwise<DTypes::any, 2>("max",
                                       "Returns the larger of `x` and `y`, element by element. NaN "
                                       "propagates, and -0 is less than +0.",
                                       [](auto x, auto y) { return arith::maximum(x, y); });
  d.stablehlo = "stablehlo.maximum";
  d.jvp = tie_jvp;
  return d;
}());

const Primitive<None>& min_op = define_elementwise([] {
  auto d = elementwise<DTypes::any, 2>("min",
                                       "Returns the smaller of `x` and `y`, element by element. "
                                       "NaN propagates, and -0 is less than +0.",
                                       [](auto x, auto y) { return arith::minimum(x, y); });
  d.stablehlo = "stablehlo.minimum";
  d.jvp = tie_jvp;
  return d;
}());

const Primitive<None>& abs_op = define_elementwise([] {
  auto d = elementwise < DTypes::signeds | DTypes::inexact, 1,
       RealPart >
           ("abs",
            "Computes the absolute value of each element. The result of a complex operand is real.",
            [](auto x) { return num::abs(x); });
  d.stablehlo = "stablehlo.abs";
  d.jvp = unary_jvp([](Array dx, Array x, Array out) {
    if (!is_complex(x.dtype())) return select(ge(x, like(x, 0)), dx, neg(dx));
    const Array safe = select(eq(out, like(out, 0)), broadcast_like(like(out, 1), out.type()), out);
    return real(mul(dx, div(conj(x), convert_element_type(safe, x.dtype()))));
  });
  return d;
}());

const Primitive<None>& sign_op = define_elementwise([] {
  auto d = elementwise<DTypes::numbers, 1>(
      "sign",
      "Returns -1, 0 or 1, the sign of each element. NaN and -0 stay the same, and the result for "
      "a complex number is `x / |x|`.",
      [](auto x) { return math::sign(x); });
  d.stablehlo = "stablehlo.sign";
  // For complex numbers only the part of dx that rotates x counts, divided by |x|: i s Im(conj(s)
  // dx) / |x|.
  d.jvp = unary_jvp([](Array dx, Array x, Array s) {
    if (!is_complex(x.dtype())) return Array();
    const Array size = abs(x), zero = eq(size, like(size, 0));
    const Array safe = select(zero, broadcast_like(like(size, 1), size.type()), size);
    const Array turn = div(imag(mul(conj(s), dx)), safe);
    return mul(complex(neg(imag(s)), real(s)), convert_element_type(turn, x.dtype()));
  });
  return d;
}());

template <class R>
R squared(R x) {
  if constexpr (arith::is_cx<R>)
    return math::square(x);
  else
    return arith::mul(x, x);
}
const Primitive<None>& square_op = define_elementwise([] {
  auto d = elementwise<DTypes::numbers, 1>("square", "Computes `x * x`.",
                                           [](auto x) { return squared(x); });
  d.stablehlo = "chlo.square";
  d.jvp = unary_jvp([](Array dx, Array x, Array) { return mul(dx, mul(like(x, 2), x)); });
  d.is_product = true;
  return d;
}());

struct IntegerPow {
  int64_t y = 0;
  WEFT_FIELDS(y)
};
bool is_square(const AnyParams& p) { return params_as<IntegerPow>(p).y == 2; }
const Primitive<IntegerPow>& integer_pow_op = define_elementwise([] {
  auto d = elementwise_with<IntegerPow, DTypes::numbers, 1>(
      "integer_pow",
      "Raises each element to the constant integer power `y`. The result for y = 0 is 1 for every "
      "element.",
      [](const IntegerPow& p, auto x) { return arith::integer_pow(x, p.y); });
  d.type = [nary = d.type](const Types& in, const IntegerPow& p) {
    const Types out = nary(in, p);
    if (p.y < 0 && !is_inexact(in[0].dtype()))
      reject_dtype("integer_pow",
                   fmt::format("integers cannot be raised to the negative power {}", p.y), in);
    return out;
  };
  d.jvp = [](const JvpArgs<IntegerPow>& j) {
    const int64_t y = j.params.y;
    if (y == 0) return Arrays(1);
    if (y == 1) return Arrays{j.dx[0]};
    return Arrays{
        mul(j.dx[0], mul(like(j.x[0], static_cast<double>(y)), integer_pow(j.x[0], y - 1)))};
  };
  d.simplify = [](const SimplifyArgs<IntegerPow>& s) {
    if (s.params.y == 1) return Arrays{s.x[0]};
    if (s.params.y == 2) return Arrays{square(s.x[0])};
    return Arrays{};
  };
  d.samples = [] {
    auto s = nary_samples<IntegerPow>(DTypes::numbers, 1, {3});
    for (int64_t y : {0, 1, 2, 5, 8}) s.push_back({{Type(F64, {4})}, {y}});
    for (int64_t y : {-1, -3}) s.push_back({{Type(F64, {4})}, {y}, 0.5, 2});
    return s;
  };
  d.rejects = [] {
    return std::vector<Reject<IntegerPow>>{{{Type(I32, {2})}, {-1}, "negative power -1"},
                                           {{Type(Bool, {2})}, {2}, "takes integer"}};
  };
  return d;
}());

// The tangent of |z|^2 is 2 Re(conj(z) dz). |z|^2 is smooth at 0, where |z| is not. For real
// numbers the rule of |x| suffices.
Array tangent_of_square(const Arrays& x, const Arrays& dx) {
  if (!is_complex(x[0].dtype())) return {};
  const Array part = real(mul(conj(x[0]), dx[0]));
  return mul(like(part, 2), part);
}
const bool square_of_abs = define_composed("square", "abs", tangent_of_square),
           product_of_abs = define_composed("mul", "abs", tangent_of_square),
           power_of_abs = define_composed("integer_pow", "abs", tangent_of_square, is_square);

}  // namespace

namespace lax {
Array add(const Arg& x, const Arg& y) { return bind_at(add_op, x, y); }
Array sub(const Arg& x, const Arg& y) { return bind_at(sub_op, x, y); }
Array mul(const Arg& x, const Arg& y) { return bind_at(mul_op, x, y); }
Array div(const Arg& x, const Arg& y) { return bind_at(div_op, x, y); }
Array neg(const Arg& x) { return bind_at(neg_op, x); }
Array max(const Arg& x, const Arg& y) { return bind_at(max_op, x, y); }
Array min(const Arg& x, const Arg& y) { return bind_at(min_op, x, y); }
Array abs(const Arg& x) { return bind_at(abs_op, x); }
Array sign(const Arg& x) { return bind_at(sign_op, x); }
Array square(const Arg& x) { return bind_at(square_op, x); }
Array integer_pow(const Arg& x, int64_t y) {
  const SourceScope s(x.at());
  return integer_pow_op({x}, {y});
}
}  // namespace lax

namespace base {
Array add(const Array& a, const Array& b) { return add_op({a, b}); }
}  // namespace base

}  // namespace weft
