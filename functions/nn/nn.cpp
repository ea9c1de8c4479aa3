// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/nn/nn.cpp: activations and normalizations of neural networks.
#include "weft/nn.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "functions/kit.h"
#include "functions/lax/sums.h"
#include "functions/special/kit.h"
#include "ops/structure/structure.h"
#include "weft/lax/compare.h"
#include "weft/lax/elementary.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/rounding.h"
#include "weft/lax/special.h"
#include "weft/numpy/create.h"
#include "weft/numpy/math.h"
#include "weft/numpy/products.h"
#include "weft/numpy/reduce.h"
#include "weft/numpy/shape.h"

namespace weft::nn {
namespace {
using fn::number_like;
Array filled(const Array& x, double v) { return fn::broadcast(number_like(x, v), x.shape()); }
// The operand of a function that is selected only where x is not positive. It is 0 elsewhere, where
// the function of x could overflow and give a NaN derivative.
Array below_zero(const Array& x, const Array& positive) {
  return lax::select(positive, filled(x, 0), x);
}
}  // namespace

Array relu(const Arg& x) {
  const ApiNameScope s("relu", x.at());
  // A select, rather than max alone, makes the derivative at 0 equal to 0. A NaN stays NaN and has
  // derivative 0.
  const Array zero = filled(x, 0);
  return lax::select(greater(x, zero), x, maximum(lax::stop_gradient(x), zero));
}
Array relu6(const Arg& x) {
  const ApiNameScope s("relu6", x.at());
  // As in relu, the derivatives at 0 and 6 are 0.
  const Array zero = filled(x, 0), six = filled(x, 6);
  const Array inside = lax::bitwise_and(greater(x, zero), less(x, six));
  return lax::select(inside, x, minimum(maximum(lax::stop_gradient(x), zero), six));
}
Array leaky_relu(const Arg& x, const Arg& slope) {
  const ApiNameScope s("leaky_relu", x.at());
  const Array v = fn::inexact(x);
  return where(greater_equal(v, number_like(v, 0)), v, multiply(slope, v));
}
Array elu(const Arg& x, const Arg& alpha) {
  const ApiNameScope s("elu", x.at());
  const Array v = fn::inexact(x), positive = greater(v, number_like(v, 0));
  return where(positive, v, multiply(alpha, lax::expm1(below_zero(v, positive))));
}
Array celu(const Arg& x, const Arg& alpha) {
  const ApiNameScope s("celu", x.at());
  const Array v = fn::inexact(x), zero = filled(v, 0);
  return add(maximum(v, zero), multiply(alpha, expm1(divide(minimum(v, zero), alpha))));
}
Array selu(const Arg& x) {
  const ApiNameScope s("selu", x.at());
  const Array e = elu(x, 1.6732632423543772848170429916717);
  return lax::mul(e, number_like(e, 1.0507009873554804934193349852946));
}
Array gelu(const Arg& x, bool approximate) {
  const ApiNameScope s("gelu", x.at());
  const Array v = fn::inexact(x);
  if (!approximate) {
    const Array t = lax::div(v, number_like(v, std::sqrt(2.0)));
    return lax::div(lax::mul(v, lax::erfc(lax::neg(t))), number_like(v, 2));
  }
  // (1 + tanh(u)) / 2 is the logistic function of 2 u, which loses no digits far below 0. Beyond
  // |v| = 30 it is 0 or 1 in every dtype, so v is clamped there. The clamp also keeps the cube
  // finite.
  const Array near = lax::clamp(number_like(v, -30), v, number_like(v, 30));
  const Array cube = lax::mul(number_like(v, 0.044715), lax::integer_pow(near, 3));
  const Array twice = lax::mul(number_like(v, 2 * std::sqrt(2 / M_PI)), lax::add(near, cube));
  return lax::mul(v, lax::logistic(twice));
}
Array sigmoid(const Arg& x) {
  const ApiNameScope s("sigmoid", x.at());
  return lax::logistic(fn::inexact(x));
}
Array silu(const Arg& x) {
  const ApiNameScope s("silu", x.at());
  const Array v = fn::inexact(x);
  return lax::mul(v, lax::logistic(v));
}
Array swish(const Arg& x) { return silu(x); }
Array softplus(const Arg& x) { return logaddexp(x, 0); }
Array mish(const Arg& x) {
  const ApiNameScope s("mish", x.at());
  return multiply(x, weft::tanh(softplus(x)));
}
Array soft_sign(const Arg& x) {
  const ApiNameScope s("soft_sign", x.at());
  // The derivative of the quotient would be a difference of two terms that cancel for large |x|.
  const auto root = [](const Array& a) { return lax::add(lax::abs(a), number_like(a, 1)); };
  return fn::with_slope(
      "soft_sign", {fn::inexact(x)}, [&](const Arrays& a) { return lax::div(a[0], root(a[0])); },
      [&](const Arrays& a, const Arrays& d) {
        return lax::mul(d[0], lax::integer_pow(root(a[0]), -2));
      });
}
Array log_sigmoid(const Arg& x) {
  const ApiNameScope s("log_sigmoid", x.at());
  return negative(softplus(negative(fn::inexact(x))));
}
Array tanh(const Arg& x) { return weft::tanh(x); }
Array hard_tanh(const Arg& x) {
  const ApiNameScope s("hard_tanh", x.at());
  return where(greater(x, 1), 1, where(less(x, -1), -1, x));
}
Array hard_sigmoid(const Arg& x) {
  const ApiNameScope s("hard_sigmoid", x.at());
  const Array v = fn::inexact(x);
  return lax::div(relu6(lax::add(v, number_like(v, 3))), number_like(v, 6));
}
Array hard_silu(const Arg& x) {
  const ApiNameScope s("hard_silu", x.at());
  return multiply(x, hard_sigmoid(x));
}
Array hard_swish(const Arg& x) { return hard_silu(x); }
Array sparse_plus(const Arg& x) {
  const ApiNameScope s("sparse_plus", x.at());
  const Array v = fn::inexact(x), one = number_like(v, 1);
  const Array between = lax::div(lax::square(lax::add(v, one)), number_like(v, 4));
  return where(lax::le(v, number_like(v, -1)), number_like(v, 0),
               where(lax::ge(v, one), v, between));
}
Array sparse_sigmoid(const Arg& x) {
  const ApiNameScope s("sparse_sigmoid", x.at());
  const Array v = fn::inexact(x);
  return lax::mul(number_like(v, 0.5), clip(lax::add(v, number_like(v, 1)), 0, 2));
}
// Each of the two forms loses digits where the other one does not: Mächler, "Accurately computing
// log(1 - exp(-|a|))" (2012). The rule gives the derivative at 0 and infinity too.
Array log1mexp(const Arg& x) {
  const ApiNameScope s("log1mexp", x.at());
  const Array v = fn::inexact(x);
  return fn::with_slope(
      "log1mexp", {v},
      [](const Arrays& a) {
        const Array n = lax::neg(a[0]);
        return where(less(a[0], number_like(a[0], M_LN2)), lax::log(lax::neg(lax::expm1(n))),
                     lax::log1p(lax::neg(lax::exp(n))));
      },
      [](const Arrays& a, const Arrays& d) {
        // The slope 1 / expm1(a), as a quotient in which nothing overflows for a > 0.
        const Array below = less(a[0], number_like(a[0], 0)), one = number_like(a[0], 1);
        const Array n = lax::neg(where(below, one, a[0])), m = where(below, a[0], lax::neg(one));
        const Array slope = lax::div(lax::exp(n), lax::neg(lax::expm1(n)));
        return lax::mul(d[0], where(below, lax::div(one, lax::expm1(m)), slope));
      });
}
Array squareplus(const Arg& x, const Arg& b) {
  const ApiNameScope s("squareplus", x.at());
  // max(v, 0) + b / (2 (|v| + sqrt(v^2 + b))). Nothing cancels, in the derivatives either.
  const Array v = fn::inexact(x), size = lax::abs(v), root = weft::sqrt(add(lax::square(v), b));
  const Array above = lax::select(lax::ge(v, number_like(v, 0)), v, filled(v, 0));
  return add(above, divide(b, multiply(2, add(size, root))));
}
Array glu(const Arg& x, int64_t axis) {
  const ApiNameScope s("glu", x.at());
  const int a = fn::axis_of("glu", axis, x->type().ndim());
  if (x->shape()[a] % 2)
    fn::fail_shape(fmt::format("glu: axis {} of {} cannot be halved", a, to_string(x->type())));
  const Arrays halves = split(x, 2, a);
  return multiply(halves[0], sigmoid(halves[1]));
}
Array identity(const Arg& x) { return x; }

namespace {
constexpr double inf = std::numeric_limits<double>::infinity();
// x minus its largest element. The largest element is treated as a constant in the derivative.
Array shifted(const Array& x, const AxisList& axis) {
  ReduceOptions o;
  o.keepdims = true;
  o.initial = number_like(x, -inf);
  return subtract(x, lax::stop_gradient(max(x, axis, o)));
}
// Raises IndexError and ShapeError that name the function.
void need_axes(const char* name, const Array& x, const AxisList& axis,
               const std::optional<Array>& where) {
  fn::axes_of(name, x, axis);
  if (where) fn::need_fit(name, ".where", *where, x.shape());
}
}  // namespace
Array softmax(const Arg& x, const AxisList& axis, const SoftmaxOptions& o) {
  const ApiNameScope s("softmax", x.at());
  need_axes("softmax", x, axis, o.where);
  const Array given = fn::inexact(x);
  Array v = fn::for_sums(given);
  if (o.where) v = where(*o.where, v, number_like(v, -inf));
  const Array e = lax::exp(shifted(v, axis));
  const Array out = fn::rounded(divide(e, sum(e, axis, {.keepdims = true})), given.dtype());
  return o.where ? where(*o.where, out, number_like(out, 0)) : out;
}
Array log_softmax(const Arg& x, const AxisList& axis, const SoftmaxOptions& o) {
  const ApiNameScope s("log_softmax", x.at());
  need_axes("log_softmax", x, axis, o.where);
  const Array given = fn::inexact(x);
  Array v = fn::for_sums(given);
  if (o.where) v = where(*o.where, v, number_like(v, -inf));
  const Array t = shifted(v, axis);
  const Array out =
      fn::rounded(subtract(t, lax::log(sum(lax::exp(t), axis, {.keepdims = true}))), given.dtype());
  return o.where ? where(*o.where, out, number_like(out, -inf)) : out;
}
Array logsumexp(const Arg& x, const AxisList& axis, const LogSumExpOptions& o) {
  return special::logsumexp(x, axis, o);
}
Array logmeanexp(const Arg& x, const AxisList& axis, const LogMeanExpOptions& o) {
  const ApiNameScope s("logmeanexp", x.at());
  need_axes("logmeanexp", x, axis, o.where);
  ReduceOptions r;
  r.keepdims = o.keepdims;
  r.where = o.where;
  const Array given = fn::inexact(x), total = weft::logsumexp(fn::for_sums(given), axis, r);
  r.where = {};
  if (o.where) {
    r.dtype = total.dtype();
    const Array count = sum(broadcast_to(*o.where, x->shape()), axis, r);
    return fn::rounded(subtract(total, lax::log(count)), given.dtype());
  }
  double count = 1;
  for (int64_t a : fn::axes_of("logmeanexp", x, axis)) count *= static_cast<double>(x->shape()[a]);
  return fn::rounded(subtract(total, number_like(total, std::log(count))), given.dtype());
}
Array standardize(const Arg& x, const AxisList& axis, const StandardizeOptions& o) {
  const ApiNameScope s("standardize", x.at());
  need_axes("standardize", x, axis, o.where);
  const Array given = fn::inexact(x), v = fn::for_sums(given);
  ReduceOptions r;
  r.keepdims = true;
  r.where = o.where;
  if (o.algorithm != "fast" && o.algorithm != "stable")
    fn::fail_index(fmt::format("standardize: .algorithm must be \"fast\" or \"stable\", not \"{}\"",
                               o.algorithm));
  // Masked elements are replaced by 0 before the square: the square of a NaN would make the
  // derivative NaN.
  const auto counted = [&](const Array& a) {
    return o.where ? where(*o.where, a, number_like(a, 0)) : a;
  };
  const Array m = o.mean ? fn::for_sums(fn::inexact(*o.mean)) : mean(v, axis, r),
              centred = subtract(v, m);
  const auto variance = [&] {
    if (o.algorithm == "stable") return mean(square(counted(centred)), axis, r);
    const Array d = subtract(mean(lax::square(counted(v)), axis, r), square(m));
    return maximum(d, number_like(d, 0));
  };
  const Array spread = add(o.variance ? fn::for_sums(fn::inexact(*o.variance)) : variance(),
                           fn::for_sums(fn::inexact(o.epsilon)));
  return fn::narrowed(multiply(centred, lax::rsqrt(spread)),
                      {given, o.mean.value_or(given), o.variance.value_or(given), o.epsilon});
}
Array layer_norm(const Arg& x, const AxisList& axis, const LayerNormOptions& o) {
  const ApiNameScope s("layer_norm", x.at());
  need_axes("layer_norm", x, axis, {});
  if (o.scale) fn::need_fit("layer_norm", ".scale", *o.scale, x->shape());
  if (o.bias) fn::need_fit("layer_norm", ".bias", *o.bias, x->shape());
  const Array given = fn::inexact(x), v = fn::for_sums(given);
  const Array centered = subtract(v, mean(v, axis, {.keepdims = true}));
  const Array variance = mean(lax::square(centered), axis, {.keepdims = true});
  const Array spread = add(variance, fn::for_sums(fn::inexact(o.epsilon)));
  Array out = multiply(centered, lax::rsqrt(spread));
  Arrays all = {given, o.epsilon};
  if (o.scale) {
    out = multiply(out, *o.scale);
    all.push_back(*o.scale);
  }
  if (o.bias) {
    out = add(out, *o.bias);
    all.push_back(*o.bias);
  }
  return fn::narrowed(out, all);
}
Array one_hot(const Arg& x, int64_t num_classes, const OneHotOptions& o) {
  const ApiNameScope s("one_hot", x.at());
  const int a = fn::axis_of("one_hot", o.axis, x->type().ndim() + 1);
  if (num_classes < 0)
    fn::fail_shape(fmt::format("one_hot: {} is not a number of classes", num_classes));
  const Array classes = expand_dims(x, a);
  const Array all = iota(is_inexact(x->dtype()) || is_bool(x->dtype()) ? I32 : x->dtype(),
                         classes.shape().with(a, num_classes), a);
  return fn::as_dtype(equal(classes, all), o.dtype);
}

namespace {
// Multiplies x (b, m, k) by its scales (b, m, s). Each scale applies to k / s consecutive numbers.
Array with_scales(const Array& x, const Array& scales, DType d) {
  const int64_t k = x.shape()[2], s = scales.shape()[2];
  if (k == 0 || s == 0) return fn::as_dtype(x, d);
  const Array blocks = reshape_to(fn::as_dtype(x, d), x.shape().with(2, s).inserted(3, k / s));
  return reshape_to(multiply(blocks, expand_dims(fn::as_dtype(scales, d), -1)), x.shape());
}
}  // namespace
Array scaled_matmul(const Arg& lhs, const Arg& rhs, const Arg& lhs_scales, const Arg& rhs_scales,
                    const ScaledMatmulOptions& o) {
  const SourceScope at(lhs.at());
  const Arrays all = {lhs, rhs, lhs_scales, rhs_scales};
  DType d = F32;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].ndim() != 3)
      fn::fail_shape(fmt::format("scaled_matmul: argument {} must have three axes, got {}", i,
                                 to_string(all[i].type())));
    if (is_complex(all[i].dtype()) || is_key(all[i].dtype()))
      fn::fail_dtype(fmt::format("scaled_matmul: argument {} must be of real numbers, got {}", i,
                                 to_string(all[i].type())));
    if (all[i].dtype() == F64) d = F64;
  }
  if (!is_floating(o.preferred_element_type))
    fn::fail_dtype(fmt::format("scaled_matmul: preferred_element_type must be a float, not {}",
                               short_name(o.preferred_element_type)));
  const Shape &a = all[0].shape(), &b = all[1].shape(), &sa = all[2].shape(), &sb = all[3].shape();
  const bool fits = a[0] == b[0] && a[2] == b[2] && sa[0] == a[0] && sb[0] == a[0] &&
                    sa[1] == a[1] && sb[1] == b[1] && sa[2] == sb[2];
  if (!fits || (sa[2] == 0 ? a[2] != 0 : a[2] % sa[2] != 0))
    fn::fail_shape(
        fmt::format("scaled_matmul: takes (b, m, k), (b, n, k), (b, m, s) and (b, n, s) where s "
                    "divides k, got {}, {}, {} and {}",
                    to_string(all[0].type()), to_string(all[1].type()), to_string(all[2].type()),
                    to_string(all[3].type())));
  const Array out =
      einsum("bmk,bnk->bmn", with_scales(all[0], all[2], d), with_scales(all[1], all[3], d));
  return fn::as_dtype(out, o.preferred_element_type);
}

}  // namespace weft::nn
