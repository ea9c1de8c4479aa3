// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/random/gamma.cpp: the gamma distribution and distributions based on it. Each
// element has its own key and its own loop, which is one lane of a vmap.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "batching/batch_trace.h"
#include "functions/kit.h"
#include "functions/random/kit.h"
#include "ops/control/control_flow.h"
#include "ops/control/custom_flat.h"
#include "ops/random/random.h"
#include "ops/structure/structure.h"
#include "tracer/concrete.h"
#include "weft/lax/compare.h"
#include "weft/lax/elementary.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/incomplete.h"
#include "weft/lax/rounding.h"
#include "weft/nn.h"
#include "weft/numpy/math.h"
#include "weft/numpy/reduce.h"
#include "weft/numpy/shape.h"
#include "weft/random.h"

namespace weft::random {
namespace {

using fn::number_like;

// A normal number x such that v = 1 + c x > 0, as (key, x, v).
Arrays normal_above(const Array& key, const Array& c) {
  const Types carry{key.type(), c.type(), c.type()};
  const ClosedJaxpr test =
      record(carry, [](const Arrays& s) { return Arrays{lax::le(s[2], number_like(s[2], 0))}; });
  const ClosedJaxpr body = record(carry, [&](const Arrays& s) {
    const Array keys = random_split(s[0], {2});
    const Array x = normal(key_at(keys, 1), {}, {c.dtype()});
    return Arrays{key_at(keys, 0), x, lax::add(number_like(x, 1), lax::mul(x, c))};
  });
  return while_flat(test, body, {key, scalar_of(c.dtype(), 0), scalar_of(c.dtype(), -1)});
}

// Beyond this parameter, d (1 - v + log v) loses the digits that the acceptance test needs.
double large_alpha(DType d) { return d == F64 ? 0x1p42 : 0x1p13; }
// d (1 - v + log v) + x^2 / 2 for v = (1 + w)^3 near 1, where w = x / (3 sqrt(d)). The terms up to
// w^3 cancel, which leaves 3 d (-w^4 / 4 + w^5 / 5 - …).
Array log_share_of_large(const Array& d, const Array& xx, const Array& v) {
  const Array size = lax::div(lax::sqrt(xx), lax::mul(number_like(d, 3), lax::sqrt(d)));
  const Array w = lax::select(lax::lt(v, number_like(v, 1)), lax::neg(size), size);
  const Array ww = lax::mul(w, w);
  Array sum = number_like(w, 1.0 / 7);
  for (int k = 6; k >= 4; --k)
    sum = lax::add(lax::mul(sum, w), number_like(w, (k % 2 ? 1.0 : -1.0) / k));
  return lax::mul(lax::mul(number_like(d, 3), d), lax::mul(lax::mul(ww, ww), sum));
}

// Draws one element by the method of Marsaglia and Tsang, "A simple method for generating gamma
// variables" (ACM TOMS 26, 2000). Returns the number, its logarithm, or both.
enum class Wanted { number, logarithm, both };
Arrays gamma_of(const Array& key, const Array& alpha, Wanted wanted) {
  const DType t = alpha.dtype();
  const Array one = number_like(alpha, 1), third = number_like(alpha, 1.0 / 3);
  const Array large = lax::ge(alpha, one);
  const Array d = lax::sub(lax::select(large, alpha, lax::add(alpha, one)), third);
  const Array c = lax::div(third, lax::sqrt(d));
  const Array keys = random_split(key, {2});
  const Types carry{key.type(), d.type(), d.type(), d.type()};
  // The carry is (key, x^2, v^3, u).
  const ClosedJaxpr test = record(carry, [&](const Arrays& s) {
    const Array &x = s[1], &v = s[2], &u = s[3];
    const Array squeeze = lax::sub(one, lax::mul(number_like(x, 0.0331), lax::mul(x, x)));
    const Array plain = lax::add(lax::mul(x, number_like(x, 0.5)),
                                 lax::mul(d, lax::add(lax::sub(one, v), lax::log(v))));
    const Array bound = lax::select(lax::gt(alpha, number_like(alpha, large_alpha(t))),
                                    log_share_of_large(d, x, v), plain);
    return Arrays{lax::bitwise_and(lax::ge(u, squeeze), lax::ge(lax::log(u), bound))};
  });
  const ClosedJaxpr body = record(carry, [&](const Arrays& s) {
    const Array three = random_split(s[0], {3});
    const Arrays xv = normal_above(key_at(three, 1), c);
    const Array &x = xv[1], &v = xv[2];
    return Arrays{key_at(three, 0), lax::mul(x, x), lax::mul(lax::mul(v, v), v),
                  uniform(key_at(three, 2), {}, {t})};
  });
  const Array v = while_flat(
      test, body, {key_at(keys, 0), scalar_of(t, 0), scalar_of(t, 1), scalar_of(t, 2)})[2];
  const Array sub = key_at(keys, 1), inverse = lax::div(one, alpha);
  Arrays out;
  if (wanted != Wanted::logarithm) {
    const Array u = lax::sub(one, uniform(sub, {}, {t}));
    out.push_back(lax::mul(lax::mul(d, v), lax::select(large, one, lax::pow(u, inverse))));
  }
  if (wanted != Wanted::number) {
    const Array l = lax::neg(exponential(sub, {}, {t})), zero = number_like(alpha, 0);
    const Array boost =
        lax::select(lax::bitwise_or(large, lax::eq(l, zero)), zero, lax::mul(l, inverse));
    out.push_back(lax::add(lax::add(lax::log(d), lax::log(v)), boost));
  }
  return out;
}

// Draws with one key for an array of parameters.
Arrays gammas(const Array& key, const Array& a, Wanted wanted) {
  const int64_t n = a.size();
  if (n == 0) return Arrays(wanted == Wanted::both ? 2 : 1, a);
  const Batched b =
      vmap_flat([&](const Arrays& lane) { return gamma_of(lane[0], lane[1], wanted); },
                {random_split(key, {n}), reshape_to(a, Shape{n})}, {0, 0}, n);
  Arrays out;
  for (size_t i = 0; i < b.out.size(); ++i)
    out.push_back(reshape_to(move_mapped(b.out[i], b.axis[i], 0, n), a.shape()));
  return out;
}
// The derivative of the logarithm by the parameter.
Array log_slope(const Array& a, const Array& logarithm) {
  const Array sample = lax::max(lax::exp(logarithm), number_like(a, smallest_normal(a.dtype())));
  return lax::div(lax::random_gamma_grad(a, sample), sample);
}
Arrays slopes(const Array& a, const Arrays& drawn, Wanted wanted) {
  if (wanted == Wanted::number) return {lax::random_gamma_grad(a, drawn[0])};
  const Array of_log = log_slope(a, drawn.back());
  return wanted == Wanted::logarithm ? Arrays{of_log} : Arrays{lax::mul(drawn[0], of_log), of_log};
}
Arrays draw_gamma(const char* name, const Array& key, const Array& a, const DrawShape& shape,
                  const FloatOptions& o, Wanted wanted) {
  one_key(name, key);
  need_float(name, o.dtype);
  const Array v = fn::broadcast(fn::as_dtype(a, o.dtype), drawn_shape(name, shape.given, {a}));
  const Types in{key.type(), v.type()};
  const ClosedJaxpr value = record(in, [&](const Arrays& x) { return gammas(x[0], x[1], wanted); });
  const ClosedJaxpr rule = record({in[0], in[1], in[1]}, [&](const Arrays& x) {
    Arrays out = gammas(x[0], x[1], wanted);
    for (const Array& slope : slopes(x[1], out, wanted)) out.push_back(lax::mul(x[2], slope));
    return out;
  });
  return custom_jvp_flat(value, rule, {key, v}, name);
}

// A number and its logarithm. For a large parameter the number is accurate, and for a small one the
// logarithm is.
struct GammaDraw {
  Array a, number, logarithm;
};
GammaDraw draw_both(const char* name, const Array& key, const Array& a, const Shape& shape,
                    const FloatOptions& o) {
  const Arrays r = draw_gamma(name, key, a, shape, o, Wanted::both);
  return {fn::broadcast(fn::as_dtype(a, o.dtype), shape), r[0], r[1]};
}
// Beyond this parameter, the rounding error of the logarithm is a sizable fraction of the spread of
// the numbers.
Array log_is_coarse(const Array& a) {
  return greater(a, number_like(a, a.dtype() == F64 ? 0x1p80 : 0x1p26));
}
}  // namespace

Array gamma(const Arg& key, const Arg& a, const DrawShape& shape, const FloatOptions& o) {
  const ApiNameScope s("gamma", key.at());
  return draw_gamma("gamma", key, a, shape, o, Wanted::number)[0];
}
Array loggamma(const Arg& key, const Arg& a, const DrawShape& shape, const FloatOptions& o) {
  const ApiNameScope s("loggamma", key.at());
  return draw_gamma("loggamma", key, a, shape, o, Wanted::logarithm)[0];
}
Array beta(const Arg& key, const Arg& a, const Arg& b, const DrawShape& shape,
           const FloatOptions& o) {
  const ApiNameScope s("beta", key.at());
  const Array keys = random_split(one_key("beta", key), {2});
  need_float("beta", o.dtype);
  const Shape out = drawn_shape("beta", shape.given, {a, b});
  const GammaDraw x = draw_both("beta", key_at(keys, 0), a, out, o),
                  y = draw_both("beta", key_at(keys, 1), b, out, o);
  const Array most = lax::max(x.logarithm, y.logarithm), p = lax::exp(lax::sub(x.logarithm, most)),
              q = lax::exp(lax::sub(y.logarithm, most));
  const Array coarse = logical_and(log_is_coarse(x.a), log_is_coarse(y.a));
  const Array ratio = divide(where(coarse, y.number, 1), where(coarse, x.number, 1));
  return where(coarse, divide(1, add(1, ratio)), lax::div(p, lax::add(p, q)));
}
Array dirichlet(const Arg& key, const Arg& alpha, const DrawShape& shape, const FloatOptions& o) {
  const ApiNameScope s("dirichlet", key.at());
  one_key("dirichlet", key);
  need_float("dirichlet", o.dtype);
  const int n = alpha->ndim();
  if (n < 1) fn::fail_shape("dirichlet: alpha must have an axis of parameters");
  const Shape each = alpha->shape().erased(n - 1);
  const Shape out = shape.value_or(each);
  if (fn::common_shape("dirichlet", out, each) != out)
    fn::fail_shape(fmt::format("dirichlet: parameters of shape {} do not broadcast to shape {}",
                               to_string(each), to_string(out)));
  const GammaDraw x =
      draw_both("dirichlet", key, alpha, out.inserted(out.ndim(), alpha->shape()[n - 1]), o);
  const Array coarse = any(log_is_coarse(x.a), -1, {.keepdims = true});
  const Array size = where(coarse, x.number, 1);
  return where(coarse, divide(size, sum(size, -1, {.keepdims = true})),
               nn::softmax(x.logarithm, -1));
}
namespace {
// True if a number is 0 or subnormal, and so less accurate than its logarithm.
Array has_underflowed(const Array& x) {
  return less(x, number_like(x, smallest_normal(x.dtype())));
}
// A chi-squared number is twice a gamma number.
GammaDraw draw_half_square(const Array& key, const Array& df, const Shape& shape,
                           const FloatOptions& o) {
  return draw_both("chisquare", key, divide(fn::as_dtype(df, o.dtype), 2), shape, o);
}
Array half_square(const GammaDraw& x) {
  return where(log_is_coarse(x.a), x.number, exp(x.logarithm));
}
}  // namespace
Array chisquare(const Arg& key, const Arg& df, const DrawShape& shape, const FloatOptions& o) {
  const ApiNameScope s("chisquare", key.at());
  one_key("chisquare", key);
  need_float("chisquare", o.dtype);
  const Shape out = drawn_shape("chisquare", shape.given, {df});
  return multiply(half_square(draw_half_square(key, df, out, o)), 2);
}
Array f(const Arg& key, const Arg& dfnum, const Arg& dfden, const DrawShape& shape,
        const FloatOptions& o) {
  const ApiNameScope s("f", key.at());
  const Array keys = random_split(one_key("f", key), {2});
  need_float("f", o.dtype);
  const Shape out = drawn_shape("f", shape.given, {dfnum, dfden});
  const Array n = fn::as_dtype(dfnum, o.dtype), d = fn::as_dtype(dfden, o.dtype);
  const GammaDraw x = draw_half_square(key_at(keys, 1), n, out, o),
                  y = draw_half_square(key_at(keys, 0), d, out, o);
  // With few degrees of freedom the numbers may underflow although their quotient does not.
  const Array of_x = half_square(x), of_y = half_square(y);
  const Array lost = logical_or(has_underflowed(of_x), has_underflowed(of_y));
  const auto kept = [&](const Array& v) { return multiply(where(lost, 1, v), 2); };
  const Array plain = divide(divide(kept(of_x), n), divide(kept(of_y), d));
  const Array scale = subtract(log(x.a), log(y.a));
  const Array by_logs = exp(subtract(subtract(x.logarithm, y.logarithm), scale));
  return where(lost, by_logs, plain);
}
Array t(const Arg& key, const Arg& df, const DrawShape& shape, const FloatOptions& o) {
  const ApiNameScope s("t", key.at());
  const Array keys = random_split(one_key("t", key), {2});
  need_float("t", o.dtype);
  const Shape out = drawn_shape("t", shape.given, {df});
  const Array half = divide(fn::as_dtype(df, o.dtype), 2);
  const Array x = normal(key_at(keys, 0), out, o);
  const GammaDraw g = draw_both("t", key_at(keys, 1), half, out, o);
  // With few degrees of freedom the gamma number may underflow although the root of its inverse
  // does not overflow.
  const Array lost = has_underflowed(g.number);
  const Array plain = sqrt(divide(half, where(lost, 1, g.number)));
  const Array by_log = exp(multiply(0.5, subtract(log(half), g.logarithm)));
  return multiply(x, where(lost, by_log, plain));
}
namespace {
// 1 / p as in JAX: a C++ number is F32 unless the result is F64.
Array inverse_of(const Array& p, DType d) {
  const Array v = p.weak_type() ? fn::as_dtype(p, d == F64 ? F64 : F32) : p;
  return fn::as_dtype(divide(1, v), d);
}
}  // namespace
Array generalized_normal(const Arg& key, const Arg& p, const Shape& shape, const FloatOptions& o) {
  const ApiNameScope s("generalized_normal", key.at());
  const Array keys = random_split(one_key("generalized_normal", key), {2});
  need_float("generalized_normal", o.dtype);
  fn::need_fit("generalized_normal", "p", p, shape);
  const Array power = inverse_of(p, o.dtype);
  const GammaDraw g = draw_both("generalized_normal", key_at(keys, 0), power, shape, o);
  // For a large p many gamma numbers underflow although their roots do not. Those roots are
  // computed from the logarithms.
  const Array lost = less(g.a, -8 / std::log2(smallest_normal(o.dtype)));
  const Array root = exp(multiply(g.logarithm, g.a)), plain = pow(where(lost, 1, g.number), g.a);
  return multiply(rademacher(key_at(keys, 1), shape, {o.dtype}), where(lost, root, plain));
}
Array ball(const Arg& key, int64_t d, const Arg& p, const Shape& shape, const FloatOptions& o) {
  const ApiNameScope s("ball", key.at());
  const Array keys = random_split(one_key("ball", key), {2});
  need_float("ball", o.dtype);
  if (d < 0) fn::fail_shape(fmt::format("ball: {} is not a dimension", d));
  const Array g = generalized_normal(key_at(keys, 0), p, shape.inserted(shape.ndim(), d), o);
  const Array e = exponential(key_at(keys, 1), shape, o);
  if (p->ndim() != 0) fn::fail_shape("ball: p must be a scalar, got " + to_string(p->type()));
  const Array total = add(sum(fn::as_dtype(pow(abs(g), p), o.dtype), -1), e);
  const Array size = pow(total, inverse_of(p, o.dtype));
  return divide(g, expand_dims(size, -1));
}

}  // namespace weft::random
