// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/elementwise/elementary.cpp: roots, exponentials, logarithms, powers.
#include "weft/lax/elementary.h"

#include <cmath>

#include "ops/kit/arith.h"
#include "ops/kit/differentiable_unary.h"
#include "tracer/weak_numbers.h"
#include "weft/lax/compare.h"
#include "weft/lax/convert.h"
#include "weft/lax/elementwise.h"

namespace weft {
namespace {

using namespace lax;

const auto& sqrt_op = differentiable_unary<DTypes::inexact>(
    "sqrt", "Computes the square root of each element.", [](auto x) { return math::sqrt(x); },
    [](Array dx, Array, Array y) { return mul(dx, div(like(y, 0.5), y)); },
    {.lo = 0.2, .hi = 3, .stablehlo = "stablehlo.sqrt"});
const auto& rsqrt_op = differentiable_unary<DTypes::inexact>(
    "rsqrt", "Computes `1 / sqrt(x)`.", [](auto x) { return math::rsqrt(x); },
    [](Array dx, Array x, Array y) { return mul(dx, mul(like(x, -0.5), div(y, x))); },
    {.lo = 0.2, .hi = 3, .stablehlo = "stablehlo.rsqrt"});
const auto& cbrt_op = differentiable_unary(
    "cbrt", "Computes the cube root of each element.", [](auto x) { return math::cbrt(x); },
    [](Array dx, Array x, Array y) { return mul(dx, mul(like(x, 1.0 / 3), integer_pow(y, -2))); },
    {.lo = 0.2, .hi = 3, .stablehlo = "stablehlo.cbrt"});
const auto& exp_op = differentiable_unary<DTypes::inexact>(
    "exp", "Computes e to the power of each element.", [](auto x) { return math::exp(x); },
    [](Array dx, Array, Array y) { return mul(dx, y); }, {.stablehlo = "stablehlo.exponential"});
const auto& exp2_op = differentiable_unary<DTypes::inexact>(
    "exp2", "Computes 2 to the power of each element.", [](auto x) { return math::exp2(x); },
    [](Array dx, Array x, Array y) { return mul(like(x, std::log(2.0)), mul(dx, y)); });
const auto& expm1_op = differentiable_unary<DTypes::inexact>(
    "expm1", "Computes `exp(x) - 1`, accurately also where it is small.",
    [](auto x) { return math::expm1(x); },
    // The derivative is not y + 1, which loses all digits of a small exponential.
    [](Array dx, Array x, Array) { return mul(dx, exp(x)); },
    {.stablehlo = "stablehlo.exponential_minus_one"});
const auto& log_op = differentiable_unary<DTypes::inexact>(
    "log", "Computes the natural logarithm of each element.", [](auto x) { return math::log(x); },
    [](Array dx, Array x, Array) { return div(dx, x); },
    {.lo = 0.2, .hi = 3, .stablehlo = "stablehlo.log"});
const auto& log1p_op = differentiable_unary<DTypes::inexact>(
    "log1p", "Computes `log(1 + x)`, accurately also where x is small.",
    [](auto x) { return math::log1p(x); },
    [](Array dx, Array x, Array) { return div(dx, add(x, like(x, 1))); },
    {.lo = -0.5, .hi = 2, .stablehlo = "stablehlo.log_plus_one"});
const auto& logistic_op = differentiable_unary<DTypes::inexact>(
    "logistic", "Computes the logistic function, `1 / (1 + exp(-x))`.",
    [](auto x) { return math::logistic(x); },
    // The derivative is not y (1 - y), which is 0 where y rounds to 1.
    [](Array dx, Array x, Array y) { return mul(dx, mul(y, logistic(neg(x)))); },
    {.stablehlo = "stablehlo.logistic"});

// ---- pow: an integer exponent is converted

template <class To, class R>
auto exponent(R y) {
  using P = arith::real_t<typename Element<To>::plain>;
  if constexpr (arith::is_cx<R>)
    return y;
  else {
    const num::rebind<R, P> v = num::convert<P>(y);
    if constexpr (is_complex(dtype_of_v<To>))
      return num::Cx<num::rebind<R, P>>(v);
    else
      return v;
  }
}

Types pow_type(const Types& in, const None&) {
  require_operands("pow", in, 2);
  if (!is_inexact(in[0].dtype())) reject_dtype("pow", "takes a floating-point or complex base", in);
  if (is_integer(in[1].dtype()))
    return {nary_type("pow", {in[0], Type(in[0].dtype(), in[1].shape(), in[1].weak())},
                      DTypes::inexact)};
  return {nary_type("pow", in, DTypes::inexact)};
}

template <class F>
void with_powers(DType x, DType y, F f) {
  with_class<DTypes::inexact>(x, [&](auto* p) {
    if (x == y) return f(p, p);
    with_class<DTypes::ints>(y, [&](auto* q) { f(p, q); });
  });
}

Arrays pow_reference(const Arrays& x, const None& p) {
  const Type t = pow_type({x[0].type(), x[1].type()}, p)[0];
  const Fresh r = fresh_array(t);
  with_powers(x[0].dtype(), x[1].dtype(), [&](auto* b, auto* e) {
    using T = std::remove_pointer_t<decltype(b)>;
    using U = std::remove_pointer_t<decltype(e)>;
    const T* base = data_of<T>(x[0]);
    const U* power = data_of<U>(x[1]);
    const int64_t step_x = x[0].ndim() ? 1 : 0, step_y = x[1].ndim() ? 1 : 0;
    for (int64_t i = 0, n = t.elements(); i < n; ++i)
      static_cast<T*>(r.data)[i] = Element<T>::store(math::pow(
          Element<T>::load(base[i * step_x]), exponent<T>(Element<U>::load(power[i * step_y]))));
  });
  return {r.array};
}

Lowering pow_lower(const LowerArgs<None>& l) {
  Lowering r;
  with_powers(l.in[0].dtype(), l.in[1].dtype(), [&](auto* b, auto* e) {
    using T = std::remove_pointer_t<decltype(b)>;
    using U = std::remove_pointer_t<decltype(e)>;
    r.element = [in = l.in](Reader& x, int, const Coords& at) {
      const Coords none;
      const auto base = Element<T>::in(x.read(0, in[0].ndim() ? at : none));
      return Element<T>::out(
          math::pow(base, exponent<T>(Element<U>::in(x.read(1, in[1].ndim() ? at : none)))));
    };
  });
  return r;
}

// The derivative of x^y with respect to x is y x^(y - 1). It is 0 where x and y are both 0, because
// x^0 is 1 for all x. The select applies only there. If it applied wherever y = 0, the derivative
// of this slope with respect to y, 1 / x, would be wrong. Where the power is not selected its
// exponent is 1, so that its own derivatives are finite and y - 1 does not wrap.
Array pow_slope(const Array& x, const Array& y, const Type& out) {
  const auto whole = [&](const Array& a) { return broadcast_like(a, out); };
  const auto known = [&] { return concrete_or_null(y) && y.ndim() == 0; };
  const bool inexact = is_inexact(y.dtype());
  if (inexact && known() && !is_scalar_value(y, 0)) return mul(y, pow(x, sub(y, like(y, 1))));
  const Array zero =
      inexact ? bitwise_and(whole(eq(x, like(x, 0))), whole(eq(y, like(y, 0)))) : eq(y, like(y, 0));
  const Array exponent = inexact ? whole(y) : y, one = broadcast_like(like(y, 1), exponent.type());
  const Array power = pow(x, select(zero, one, sub(exponent, one)));
  return select(whole(zero), base::zeros(out.strong()),
                mul(whole(convert_element_type(exponent, x.dtype())), whole(power)));
}
// The derivative with respect to y is log(x) x^y. For x = 0 it is 0 unless y is negative.
Array pow_slope_by_exponent(const Array& x, const Array& y, const Array& out) {
  const auto whole = [&](const Array& a) { return broadcast_like(a, out.type()); };
  const Array real_y = is_complex(y.dtype()) ? real(y) : y;
  const Array flat = bitwise_and(whole(eq(x, like(x, 0))), whole(ge(real_y, like(real_y, 0))));
  return mul(log(select(flat, whole(like(x, 1)), whole(x))), out);
}
Arrays pow_jvp(const JvpArgs<None>& j) {
  const Array &x = j.x[0], &y = j.x[1], &out = j.out[0];
  Array t;
  if (!j.dx[0].empty_handle() && !is_scalar_value(y, 0))
    t = broadcast_like(mul(j.dx[0], pow_slope(x, y, out.type())), out.type());
  if (j.dx[1].empty_handle()) return {t};
  const Array by_y = broadcast_like(mul(j.dx[1], pow_slope_by_exponent(x, y, out)), out.type());
  return {t.empty_handle() ? by_y : add(t, by_y)};
}

// 1^y and x^0 are 1, also for NaN, and x^1 is x. Without the first rule, the steps of a loop would
// compute what does not depend on their number i, but is multiplied by 1^i.
Arrays pow_simplify(const SimplifyArgs<None>& s) {
  const Array &x = s.x[0], &y = s.x[1];
  if (is_complex(x.dtype())) return {};
  const Type out = pow_type({x.type(), y.type()}, s.params)[0];
  const Array &base = forwarded_value(x), &exponent = forwarded_value(y);
  if (is_number(base, 1) || is_number(exponent, 0) || is_number(exponent, -0.0))
    return {broadcast_like(scalar_of(out.dtype(), 1, out.weak()), out)};
  return is_number(exponent, 1) && out == x.type() ? Arrays{x} : Arrays{};
}

const Primitive<None>& pow_op = define_elementwise([] {
  Def<None> d;
  d.name = "pow";
  d.doc =
      "Raises `x` to the power `y`, element by element. The exponent has the dtype of the base or "
      "an integer dtype.";
  d.type = pow_type;
  d.reference = pow_reference;
  d.lower = pow_lower;
  d.jvp = pow_jvp;
  d.simplify = pow_simplify;
  d.samples = [] {
    auto s = nary_samples<None>(DTypes::inexact, 2, {}, 0.3, 2);
    for (DType x : {F64, F32, C128, BF16})
      for (DType y : {I32, U8, I64}) s.push_back({{Type(x, {7}), Type(y, {7})}, {}, 0.3, 4});
    s.push_back({{Type(F64, {3}), Type(I32, {})}, {}, 0.3, 4});
    s.push_back({{Type(F64, {}), Type(I32, {3})}, {}, 0.3, 4});
    return s;
  };
  d.rejects = [] {
    return std::vector<Reject<None>>{
        {{Type(I32, {2}), Type(I32, {2})}, {}, "floating-point or complex base"},
        {{Type(F32, {2}), Type(F64, {2})}, {}, "same dtypes"},
        {{Type(F32, {2}), Type(I32, {3})}, {}, "same shape"}};
  };
  return d;
}());

}  // namespace

namespace lax {
Array pow(const Arg& x, const Arg& y) { return bind_at(pow_op, x, y); }
Array sqrt(const Arg& x) { return bind_at(sqrt_op, x); }
Array rsqrt(const Arg& x) { return bind_at(rsqrt_op, x); }
Array cbrt(const Arg& x) { return bind_at(cbrt_op, x); }
Array exp(const Arg& x) { return bind_at(exp_op, x); }
Array exp2(const Arg& x) { return bind_at(exp2_op, x); }
Array expm1(const Arg& x) { return bind_at(expm1_op, x); }
Array log(const Arg& x) { return bind_at(log_op, x); }
Array log1p(const Arg& x) { return bind_at(log1p_op, x); }
Array logistic(const Arg& x) { return bind_at(logistic_op, x); }
}  // namespace lax

}  // namespace weft
