// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/random/random_gamma.cpp: the gamma distribution and those made of it. Each element has
// a key and a loop of its own, a lane of one program.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "weft/batching/batch_trace.h"
#include "weft/functions/kit.h"
#include "weft/functions/nn.h"
#include "weft/functions/numpy/math.h"
#include "weft/functions/numpy/reduce.h"
#include "weft/functions/numpy/shape.h"
#include "weft/functions/random/random.h"
#include "weft/functions/random/random_kit.h"
#include "weft/ops/control/control_flow.h"
#include "weft/ops/control/custom_flat.h"
#include "weft/ops/elementwise/compare.h"
#include "weft/ops/elementwise/elementary.h"
#include "weft/ops/elementwise/elementwise.h"
#include "weft/ops/elementwise/rounding.h"
#include "weft/ops/random/random.h"
#include "weft/ops/special/incomplete.h"
#include "weft/ops/structure/structure.h"
#include "weft/tracer/concrete.h"

namespace weft::random {
namespace {

using fn::number_like;

// A normal number x with v = 1 + c x > 0: (key, x, v).
Arrays normal_above(const Array& key, const Array& c) {
  const Types carry{key.type(), c.type(), c.type()};
  const Closed test =
      record(carry, [](const Arrays& s) { return Arrays{lax::le(s[2], number_like(s[2], 0))}; });
  const Closed body = record(carry, [&](const Arrays& s) {
    const Array keys = random_split(s[0], {2});
    const Array x = normal(key_at(keys, 1), {}, {c.dtype()});
    return Arrays{key_at(keys, 0), x, lax::add(number_like(x, 1), lax::mul(x, c))};
  });
  return while_flat(test, body, {key, scalar_of(c.dtype(), 0), scalar_of(c.dtype(), -1)});
}

// Marsaglia and Tsang, "A simple method for generating gamma variables" (ACM TOMS 26, 2000), one
// element.
Array gamma_of(const Array& key, const Array& alpha, bool log_space) {
  const DType t = alpha.dtype();
  const Array one = number_like(alpha, 1), third = number_like(alpha, 1.0 / 3);
  const Array large = lax::ge(alpha, one);
  const Array d = lax::sub(lax::select(large, alpha, lax::add(alpha, one)), third);
  const Array c = lax::div(third, lax::sqrt(d));
  const Array keys = random_split(key, {2});
  const Types carry{key.type(), d.type(), d.type(), d.type()};
  // (key, x^2, v^3, u)
  const Closed test = record(carry, [&](const Arrays& s) {
    const Array &x = s[1], &v = s[2], &u = s[3];
    const Array squeeze = lax::sub(one, lax::mul(number_like(x, 0.0331), lax::mul(x, x)));
    const Array bound = lax::add(lax::mul(x, number_like(x, 0.5)),
                                 lax::mul(d, lax::add(lax::sub(one, v), lax::log(v))));
    return Arrays{lax::bitwise_and(lax::ge(u, squeeze), lax::ge(lax::log(u), bound))};
  });
  const Closed body = record(carry, [&](const Arrays& s) {
    const Array three = random_split(s[0], {3});
    const Arrays xv = normal_above(key_at(three, 1), c);
    const Array &x = xv[1], &v = xv[2];
    return Arrays{key_at(three, 0), lax::mul(x, x), lax::mul(lax::mul(v, v), v),
                  uniform(key_at(three, 2), {}, {t})};
  });
  const Array v = while_flat(
      test, body, {key_at(keys, 0), scalar_of(t, 0), scalar_of(t, 1), scalar_of(t, 2)})[2];
  const Array sub = key_at(keys, 1), inverse = lax::div(one, alpha);
  if (!log_space) {
    const Array u = lax::sub(one, uniform(sub, {}, {t}));
    return lax::mul(lax::mul(d, v), lax::select(large, one, lax::pow(u, inverse)));
  }
  const Array l = lax::neg(exponential(sub, {}, {t})), zero = number_like(alpha, 0);
  const Array boost =
      lax::select(lax::bitwise_or(large, lax::eq(l, zero)), zero, lax::mul(l, inverse));
  return lax::add(lax::add(lax::log(d), lax::log(v)), boost);
}

// Of one key and an array of parameters.
Array gammas(const Array& key, const Array& a, bool log_space) {
  const int64_t n = a.size();
  if (n == 0) return a;
  const Batched b =
      vmap_flat([&](const Arrays& lane) { return Arrays{gamma_of(lane[0], lane[1], log_space)}; },
                {random_split(key, {n}), reshape_to(a, Shape{n})}, {0, 0}, n);
  return reshape_to(move_mapped(b.out[0], b.axis[0], 0, n), a.shape());
}
Array gamma_slope(const Array& a, Array sample, bool log_space) {
  if (!log_space) return lax::random_gamma_grad(a, sample);
  sample = lax::exp(sample);
  const double least = a.dtype() == F64   ? std::numeric_limits<double>::min()
                       : a.dtype() == F16 ? 0x1p-14
                                          : std::numeric_limits<float>::min();
  sample = lax::max(sample, number_like(sample, least));
  return lax::div(lax::random_gamma_grad(a, sample), sample);
}
Array draw_gamma(const char* name, const Array& key, const Array& a, const DrawShape& shape,
                 const FloatOptions& o, bool log_space) {
  one_key(name, key);
  need_float(name, o.dtype);
  const Array v = fn::broadcast(fn::as_dtype(a, o.dtype), drawn_shape(name, shape.given, {a}));
  const Types in{key.type(), v.type()};
  const Closed value =
      record(in, [&](const Arrays& x) { return Arrays{gammas(x[0], x[1], log_space)}; });
  const Closed rule = record({in[0], in[1], in[1]}, [&](const Arrays& x) {
    const Array sample = gammas(x[0], x[1], log_space);
    return Arrays{sample, lax::mul(x[2], gamma_slope(x[1], sample, log_space))};
  });
  return custom_jvp_flat(value, rule, {key, v}, name)[0];
}

}  // namespace

Array gamma(const Arg& key, const Arg& a, const DrawShape& shape, const FloatOptions& o) {
  const Calling s("gamma", key.at());
  return draw_gamma("gamma", key, a, shape, o, false);
}
Array loggamma(const Arg& key, const Arg& a, const DrawShape& shape, const FloatOptions& o) {
  const Calling s("loggamma", key.at());
  return draw_gamma("loggamma", key, a, shape, o, true);
}
Array beta(const Arg& key, const Arg& a, const Arg& b, const DrawShape& shape,
           const FloatOptions& o) {
  const Calling s("beta", key.at());
  const Array keys = random_split(one_key("beta", key), {2});
  need_float("beta", o.dtype);
  const Shape out = drawn_shape("beta", shape.given, {a, b});
  const Array x = loggamma(key_at(keys, 0), a, out, o), y = loggamma(key_at(keys, 1), b, out, o);
  const Array most = lax::max(x, y), p = lax::exp(lax::sub(x, most)),
              q = lax::exp(lax::sub(y, most));
  return lax::div(p, lax::add(p, q));
}
Array dirichlet(const Arg& key, const Arg& alpha, const DrawShape& shape, const FloatOptions& o) {
  const Calling s("dirichlet", key.at());
  one_key("dirichlet", key);
  need_float("dirichlet", o.dtype);
  const int n = alpha->ndim();
  if (n < 1) fn::fail_shape("dirichlet: alpha must have an axis of parameters");
  const Shape each = alpha->shape().erased(n - 1);
  const Shape out = shape.value_or(each);
  if (fn::common_shape("dirichlet", out, each) != out)
    fn::fail_shape(fmt::format("dirichlet: parameters of shape {} do not broadcast to shape {}",
                               to_string(each), to_string(out)));
  return nn::softmax(loggamma(key, alpha, out.inserted(out.ndim(), alpha->shape()[n - 1]), o), -1);
}
Array chisquare(const Arg& key, const Arg& df, const DrawShape& shape, const FloatOptions& o) {
  const Calling s("chisquare", key.at());
  one_key("chisquare", key);
  need_float("chisquare", o.dtype);
  const Shape out = drawn_shape("chisquare", shape.given, {df});
  const Array half = divide(fn::as_dtype(df, o.dtype), 2);
  return multiply(exp(loggamma(key, half, out, o)), 2);
}
Array f(const Arg& key, const Arg& dfnum, const Arg& dfden, const DrawShape& shape,
        const FloatOptions& o) {
  const Calling s("f", key.at());
  const Array keys = random_split(one_key("f", key), {2});
  need_float("f", o.dtype);
  const Shape out = drawn_shape("f", shape.given, {dfnum, dfden});
  const Array n = fn::as_dtype(dfnum, o.dtype), d = fn::as_dtype(dfden, o.dtype);
  return divide(divide(chisquare(key_at(keys, 1), n, out, o), n),
                divide(chisquare(key_at(keys, 0), d, out, o), d));
}
Array t(const Arg& key, const Arg& df, const DrawShape& shape, const FloatOptions& o) {
  const Calling s("t", key.at());
  const Array keys = random_split(one_key("t", key), {2});
  need_float("t", o.dtype);
  const Shape out = drawn_shape("t", shape.given, {df});
  const Array half = divide(fn::as_dtype(df, o.dtype), 2);
  const Array x = normal(key_at(keys, 0), out, o);
  return multiply(x, sqrt(divide(half, gamma(key_at(keys, 1), half, out, o))));
}
namespace {
// 1 / p as JAX has it: numbers of C++ are F32 beside what is not F64.
Array inverse_of(const Array& p, DType d) {
  const Array v = p.weak_type() ? fn::as_dtype(p, d == F64 ? F64 : F32) : p;
  return fn::as_dtype(divide(1, v), d);
}
}  // namespace
Array generalized_normal(const Arg& key, const Arg& p, const Shape& shape, const FloatOptions& o) {
  const Calling s("generalized_normal", key.at());
  const Array keys = random_split(one_key("generalized_normal", key), {2});
  need_float("generalized_normal", o.dtype);
  fn::need_fit("generalized_normal", "p", p, shape);
  const Array power = inverse_of(p, o.dtype);
  const Array g = gamma(key_at(keys, 0), power, shape, o);
  return multiply(rademacher(key_at(keys, 1), shape, {o.dtype}), pow(g, power));
}
Array ball(const Arg& key, int64_t d, const Arg& p, const Shape& shape, const FloatOptions& o) {
  const Calling s("ball", key.at());
  const Array keys = random_split(one_key("ball", key), {2});
  need_float("ball", o.dtype);
  if (d < 0) fn::fail_shape(fmt::format("ball: {} is no dimension", d));
  const Array g = generalized_normal(key_at(keys, 0), p, shape.inserted(shape.ndim(), d), o);
  const Array e = exponential(key_at(keys, 1), shape, o);
  if (p->ndim() != 0) fn::fail_shape("ball: p must be a scalar, got " + to_string(p->type()));
  const Array total = add(sum(fn::as_dtype(pow(abs(g), p), o.dtype), -1), e);
  const Array size = pow(total, inverse_of(p, o.dtype));
  return divide(g, expand_dims(size, -1));
}

}  // namespace weft::random
