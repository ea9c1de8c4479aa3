// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/random/transformed.cpp: distributions that jax.random derives from uniform and
// normal numbers, and discrete ones. The loops of the latter run for all elements together, with
// one key for each trip.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "functions/kit.h"
#include "functions/random/kit.h"
#include "functions/special/kit.h"
#include "ops/control/control_flow.h"
#include "ops/random/random.h"
#include "weft/lax/compare.h"
#include "weft/lax/elementary.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/rounding.h"
#include "weft/lax/special.h"
#include "weft/linalg.h"
#include "weft/numpy/create.h"
#include "weft/numpy/index.h"
#include "weft/numpy/math.h"
#include "weft/numpy/products.h"
#include "weft/numpy/reduce.h"
#include "weft/numpy/shape.h"
#include "weft/random.h"

namespace weft::random {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity(),
                 nan = std::numeric_limits<double>::quiet_NaN();

Array parameter(const Array& x, DType d, const Shape& shape) {
  return fn::broadcast(fn::as_dtype(x, d), shape);
}
Array like_of(const Array& x, double v) { return fn::broadcast(fn::number_like(x, v), x.shape()); }
Array chosen(const Array& mask, const Array& a, const Array& b) { return lax::select(mask, a, b); }

// The carry (key, state…) after a loop that runs until no element continues.
Arrays loop_all(const Array& key, const Arrays& state, FunctionRef<Array(const Arrays&)> go,
                FunctionRef<Arrays(const Arrays&)> step) {
  Arrays init{key};
  init.insert(init.end(), state.begin(), state.end());
  Types types;
  for (const Array& x : init) types.push_back(x.type());
  const ClosedJaxpr test = record(types, [&](const Arrays& s) { return Arrays{any(go(s))}; });
  return while_flat(test, record(types, step), init);
}

// Knuth's product of uniform numbers, computed with logarithms.
Array poisson_small(const Array& key, const Array& lam) {
  const Array zero = like_of(lam, 0), limit = lax::neg(lam);
  const Arrays s = loop_all(
      key, {zero, zero}, [&](const Arrays& c) { return lax::gt(c[2], limit); },
      [&](const Arrays& c) {
        const Array keys = random_split(c[0], {2});
        const Array k = chosen(lax::gt(c[2], limit), lax::add(c[1], like_of(lam, 1)), c[1]);
        const Array u = uniform(key_at(keys, 1), lam.shape(), {lam.dtype()});
        return Arrays{key_at(keys, 0), k, lax::add(c[2], lax::log(u))};
      });
  return s[1] - 1;
}
// log k! minus its Stirling approximation (k + 1/2) log(k + 1) - (k + 1) + log(2 pi) / 2.
Array stirling_tail(const Array& k) {
  const Array table =
      array({0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509,
             0.0166446911898211, 0.0138761288230707, 0.0118967099458917, 0.0104112652619720,
             0.00925546218271273, 0.00833056343336287})
          .astype(k.dtype());
  const Array c = clip(k, 0, 9), square = (c + 1) * (c + 1);
  const Array series = (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (c + 1);
  return where(k <= 9, take(table, fn::as_dtype(floor(c), I32), 0, {.mode = "clip"}), series);
}
// Logarithms of densities are compared with logarithms of uniform numbers. Beyond this count they
// are differences of large terms, which lose the digits needed.
double large_count(DType d) { return d == F64 ? 0x1p42 : 0x1p13; }

// Hoermann, "The transformed rejection method for generating Poisson random variables" (1993).
Array poisson_large(const Array& key, const Array& lam) {
  const Array log_lam = log(lam), b = 0.931 + 2.53 * sqrt(lam), a = -0.059 + 0.02483 * b,
              inverse = 1.1239 + 1.1328 / (b - 3.4), v_r = 0.9277 - 3.6224 / (b - 2);
  const Array none_yet = fn::broadcast(Array(false), lam.shape());
  const Arrays s = loop_all(
      key, {like_of(lam, -1), none_yet}, [](const Arrays& c) { return logical_not(c[2]); },
      [&](const Arrays& c) {
        const Array keys = random_split(c[0], {3});
        const Array u = uniform(key_at(keys, 1), lam.shape(), {lam.dtype()}) - 0.5,
                    v = uniform(key_at(keys, 2), lam.shape(), {lam.dtype()});
        const Array us = 0.5 - abs(u);
        const Array k = floor((2 * a / us + b) * u + lam + 0.43);
        const Array l = log(v * inverse / (a / (us * us) + b));
        const Array plain = lax::neg(lam) + k * log_lam - lax::lgamma(k + 1);
        const Array next = maximum(k, 0) + 1;
        const Array close = 0.5 * log(next) - log_lam - 0.5 * std::log(2 * M_PI) -
                            stirling_tail(next - 1) - fn::deviance(next, lam);
        const Array r = chosen(lam > large_count(lam.dtype()), close, plain);
        const Array at_once = logical_and(us >= 0.07, v <= v_r);
        const Array never = logical_or(k < 0, logical_and(us<0.013, v> us));
        const Array taken = logical_or(at_once, logical_and(logical_not(never), l <= r));
        return Arrays{key_at(keys, 0), chosen(taken, k, c[1]), logical_or(c[2], taken)};
      });
  return s[1];
}

// Counts how many geometric numbers have a sum of at most n.
Array binomial_small(const Array& key, const Array& n, const Array& p) {
  const Array l = log1p(lax::neg(p)), zero = like_of(p, 0);
  const Arrays s = loop_all(
      key, {zero, zero}, [&](const Arrays& c) { return lax::le(c[2], n); },
      [&](const Arrays& c) {
        const Array keys = random_split(c[0], {2});
        const Array k = chosen(lax::le(c[2], n), lax::add(c[1], like_of(p, 1)), c[1]);
        const Array u = uniform(key_at(keys, 0), p.shape(), {p.dtype()});
        return Arrays{key_at(keys, 1), k, lax::add(c[2], ceil(log(u) / l))};
      });
  return s[1] - 1;
}
// Hoermann, "The generation of binomial random variates" (1993), BTRS.
Array binomial_large(const Array& key, const Array& n, const Array& p) {
  const Array sd = sqrt(n * p * (1 - p)), b = 1.15 + 2.53 * sd, a = -0.0873 + 0.0248 * b + 0.01 * p,
              c0 = n * p + 0.5, v_r = 0.92 - 4.2 / b, r = p / (1 - p),
              alpha = (2.83 + 5.1 / b) * sd, m = floor((n + 1) * p);
  const Array none_yet = fn::broadcast(Array(false), p.shape()), all = n + 2;
  const auto log_mass = [&](const Array& k) {
    const Array i = k + 1, j = n - k + 1;
    return 0.5 * (log(i) + log(j)) - stirling_tail(k) - stirling_tail(n - k) -
           (fn::deviance(i, all * p) + fn::deviance(j, all * (1 - p)));
  };
  const Array most = log_mass(m);
  const Arrays s = loop_all(
      key, {like_of(p, -1), none_yet}, [](const Arrays& c) { return logical_not(c[2]); },
      [&](const Arrays& c) {
        const Array keys = random_split(c[0], {3});
        const Array u = uniform(key_at(keys, 1), p.shape(), {p.dtype()}) - 0.5,
                    v = uniform(key_at(keys, 2), p.shape(), {p.dtype()});
        const Array us = 0.5 - abs(u);
        const Array at_once = logical_and(us >= 0.07, v <= v_r);
        const Array k = floor((2 * a / us + b) * u + c0);
        const Array never = logical_or(k<0, k> n);
        const Array l = log(v * alpha / (a / (us * us) + b));
        const Array plain = (m + 0.5) * log((m + 1) / (r * (n - m + 1))) +
                            (n + 1) * log((n - m + 1) / (n - k + 1)) +
                            (k + 0.5) * log(r * (n - k + 1) / (k + 1)) + stirling_tail(m) +
                            stirling_tail(n - m) - stirling_tail(k) - stirling_tail(n - k);
        const Array close = log_mass(clip(k, 0, n)) - most;
        const Array bound = chosen(n > large_count(n.dtype()), close, plain);
        const Array taken = logical_or(at_once, logical_and(logical_not(never), l <= bound));
        return Arrays{key_at(keys, 0), chosen(taken, k, c[1]), logical_or(c[2], taken)};
      });
  return s[1];
}

void need_integer(const char* name, DType d) {
  if (!is_integer(d))
    fn::fail_dtype(fmt::format("{}: dtype must be an integer, not {}", name, short_name(d)));
}

}  // namespace

std::string key_impl(const Arg& key) {
  const ApiNameScope s("key_impl", key.at());
  if (!is_key(key->dtype()))
    fn::fail_dtype(fmt::format("key_impl: takes keys, got {}", to_string(key->type())));
  return key->dtype() == RbgKey ? "rbg" : "threefry2x32";
}

Array maxwell(const Arg& key, const Shape& shape, const FloatOptions& o) {
  const ApiNameScope s("maxwell", key.at());
  one_key("maxwell", key);
  need_float("maxwell", o.dtype);
  return sqrt(sum(lax::square(normal(key, shape.inserted(shape.ndim(), 3), o)), -1));
}
Array double_sided_maxwell(const Arg& key, const Arg& loc, const Arg& scale, const Shape& shape,
                           const FloatOptions& o) {
  const ApiNameScope s("double_sided_maxwell", key.at());
  const Array keys = random_split(one_key("double_sided_maxwell", key), {2});
  need_float("double_sided_maxwell", o.dtype);
  const Shape each = fn::common_shape("double_sided_maxwell", loc->shape(), scale->shape());
  std::vector<int64_t> sizes = (shape.ndim() ? shape : each).sizes();
  sizes.insert(sizes.end(), each.begin(), each.end());
  const Array size = maxwell(key_at(keys, 0), Shape(sizes), o);
  return add(multiply(multiply(rademacher(key_at(keys, 1), Shape(sizes), {o.dtype}), size), scale),
             loc);
}
Array triangular(const Arg& key, const Arg& left, const Arg& mode, const Arg& right,
                 const DrawShape& shape, const FloatOptions& o) {
  const ApiNameScope s("triangular", key.at());
  one_key("triangular", key);
  need_float("triangular", o.dtype);
  const Shape out = drawn_shape("triangular", shape.given, {left, mode, right});
  const Array a = parameter(left, o.dtype, out), m = parameter(mode, o.dtype, out),
              b = parameter(right, o.dtype, out), u = uniform(key, out, {o.dtype});
  return lax::select(u < (m - a) / (b - a), a + sqrt(u * (b - a) * (m - a)),
                     b - sqrt((1 - u) * (b - a) * (b - m)));
}
Array wald(const Arg& key, const Arg& mean, const DrawShape& shape, const FloatOptions& o) {
  const ApiNameScope s("wald", key.at());
  const Array keys = random_split(one_key("wald", key), {2});
  need_float("wald", o.dtype);
  const Shape out = drawn_shape("wald", shape.given, {mean});
  const Array m = parameter(mean, o.dtype, out);
  const Array v = normal(key_at(keys, 0), out, o), z = uniform(key_at(keys, 1), out, {o.dtype});
  // The smaller root of a quadratic equation. It is a difference that loses all digits for large m
  // y, so that case uses a quotient.
  const Array y = lax::square(v), t = m * y, far = t > 16, big = where(far, t, 16);
  const Array quotient = m / (1 + big / 2 + sqrt(big / 4) * sqrt(4 + big));
  const Array few = where(far, 1, m), mm = lax::square(few);
  const Array root = sqrt(4 * few * y + mm * lax::square(y));
  const Array x = where(far, quotient, few + mm * y / 2 - few / 2 * root);
  return lax::select(z <= m / (m + x), x, where(far, m * (m / x), mm / x));
}
namespace {
// A factor F such that F F^T = cov.
Array factor_of(const Array& cov, const std::string& method) {
  if (method == "cholesky") return linalg::cholesky(cov);
  const auto scaled = [](const Array& vectors, const Array& squares) {
    return multiply(vectors, expand_dims(sqrt(squares), -2));
  };
  if (method == "svd") {
    const auto [u, s, vh] = linalg::svd(cov);
    return scaled(u, s);
  }
  if (method != "eigh")
    fn::fail_index(fmt::format(
        "multivariate_normal: the method is \"cholesky\", \"eigh\" or \"svd\", not \"{}\"",
        method));
  const auto [w, v] = linalg::eigh(cov);
  // Values that are negative only because of rounding become 0.
  return scaled(v, maximum(w, 0));
}
}  // namespace
Array multivariate_normal(const Arg& key, const Arg& mean, const Arg& cov, const DrawShape& shape,
                          const MultivariateNormalOptions& o) {
  const ApiNameScope s("multivariate_normal", key.at());
  one_key("multivariate_normal", key);
  const int n = mean->ndim(), c = cov->ndim();
  if (n < 1 || c < 2 || cov->shape()[c - 1] != mean->shape()[n - 1] ||
      cov->shape()[c - 2] != mean->shape()[n - 1])
    fn::fail_shape(
        fmt::format("multivariate_normal: mean must be (…, n) and cov (…, n, n), got {} and {}",
                    to_string(mean->type()), to_string(cov->type())));
  const auto [m, v] = fn::promoted_inexact("multivariate_normal", mean, Array(0.f));
  const Arrays both = fn::same_dtype({m, fn::inexact(cov)});
  const Shape each = fn::common_shape("multivariate_normal", mean->shape().erased(n - 1),
                                      cov->shape().erased(c - 1).erased(c - 2));
  const Shape out = shape.value_or(each);
  if (fn::common_shape("multivariate_normal", out, each) != out)
    fn::fail_shape(
        fmt::format("multivariate_normal: parameters of shape {} do not broadcast to shape {}",
                    to_string(each), to_string(out)));
  const Array x = normal(key, out.inserted(out.ndim(), mean->shape()[n - 1]), {both[0].dtype()});
  return both[0] + squeeze(matmul(factor_of(both[1], o.method), expand_dims(x, -1)), -1);
}
Array orthogonal(const Arg& key, int64_t n, const OrthogonalOptions& o) {
  const ApiNameScope s("orthogonal", key.at());
  one_key("orthogonal", key);
  const int64_t m = o.m.value_or(n);
  if (n < 0 || m < 0)
    fn::fail_shape(fmt::format("orthogonal: a matrix cannot have {} by {} elements", n, m));
  if (o.dtype != F32 && o.dtype != F64 && !is_complex(o.dtype))
    fn::fail_dtype(fmt::format("orthogonal: dtype must be F32, F64, C64 or C128, not {}",
                               short_name(o.dtype)));
  const int k = o.shape.ndim();
  const Shape tall = o.shape.inserted(k, std::max(n, m)).inserted(k + 1, std::min(n, m));
  const auto [columns, r] = linalg::qr(normal(key, tall, {o.dtype}));
  // A positive diagonal of R makes the factors unique, and thereby Q uniformly distributed.
  const Array q = multiply(columns, expand_dims(sign(diagonal(r, 0, -2, -1)), -2));
  return n < m ? swapaxes(q, -1, -2) : q;
}

Array geometric(const Arg& key, const Arg& p, const DrawShape& shape, const CountOptions& o) {
  const ApiNameScope s("geometric", key.at());
  one_key("geometric", key);
  need_integer("geometric", o.dtype);
  const Array v = fn::inexact(p);
  const Shape out = drawn_shape("geometric", shape.given, {v});
  const Array drawn = uniform(key, out, {v.dtype()});
  const Array u = where(drawn == 0, 1, drawn);
  return fn::as_dtype(floor(log(u) / log1p(lax::neg(v))) + 1, o.dtype);
}
Array poisson(const Arg& key, const Arg& lam, const DrawShape& shape, const CountOptions& o) {
  const ApiNameScope s("poisson", key.at());
  one_key("poisson", key);
  need_integer("poisson", o.dtype);
  const Shape out = drawn_shape("poisson", shape.given, {lam});
  const Array v = parameter(lam, F32, out);
  const Array small = logical_or(isnan(v), v < 10);
  const Array k = lax::select(small, poisson_small(key, lax::select(small, v, like_of(v, 0))),
                              poisson_large(key, lax::select(small, like_of(v, 1e5), v)));
  const Array narrow = fn::as_dtype(where(v == 0, 0, k), o.dtype);
  if (lam->dtype() != F64) return narrow;
  // F32 cannot hold all whole numbers beyond 2^24.
  const Array wide = parameter(lam, F64, out), beyond = wide > 0x1p24;
  const Array counts = poisson_large(key, lax::select(beyond, wide, like_of(wide, 1e5)));
  return where(beyond, fn::as_dtype(counts, o.dtype), narrow);
}
Array binomial(const Arg& key, const Arg& n, const Arg& p, const DrawShape& shape,
               const FloatOptions& o) {
  const ApiNameScope s("binomial", key.at());
  one_key("binomial", key);
  need_float("binomial", o.dtype);
  // A C++ number takes the requested dtype.
  const Array prob = p->weak_type() && o.dtype == F64 ? fn::as_dtype(p, F64) : fn::inexact(p);
  const Shape out = drawn_shape("binomial", shape.given, {n, prob});
  const DType d = prob.dtype();
  const Array wanted = parameter(n, d, out), v = parameter(prob, d, out);
  const Array low = v < 0.5, no_count = logical_or(isnan(wanted), wanted < 0);
  const Array part = lax::select(low, v, 1 - v);
  const Array no_prob = logical_or(isnan(part), part < 0);
  const Array q = lax::select(no_prob, like_of(part, 0.01), part);
  const Array few = logical_or(no_count, wanted * q <= 10);
  const Array count = floor(wanted);
  Array k = lax::select(few, binomial_small(key, lax::select(few, count, like_of(q, 0)), q),
                        binomial_large(key, lax::select(few, like_of(q, 1e4), count),
                                       lax::select(few, like_of(q, 0.5), q)));
  k = where(logical_or(no_prob, no_count), nan, k);
  const Array endless = isinf(wanted);
  k = where(logical_and(endless, logical_not(logical_or(no_prob, no_count))), inf, k);
  const Array as_is = logical_or(logical_or(low, no_count), logical_or(isnan(part), endless));
  return fn::as_dtype(where(as_is, k, count - k), o.dtype);
}
Array multinomial(const Arg& key, const Arg& n, const Arg& p, const MultinomialOptions& o) {
  const ApiNameScope s("multinomial", key.at());
  one_key("multinomial", key);
  need_float("multinomial", o.dtype);
  const int rank = p->ndim();
  if (rank < 1) fn::fail_shape("multinomial: p must have an axis of outcomes");
  const Arrays both = fn::same_dtype({fn::inexact(n), fn::inexact(p)});
  const Array each = o.shape ? broadcast_to(both[1], *o.shape) : both[1];
  const Shape& shape = each.shape();
  const int64_t outcomes = shape[shape.ndim() - 1];
  if (outcomes == 0) return fn::as_dtype(each, o.dtype);
  const Array probs = moveaxis(each, -1, 0);
  const Array left = flip(cumsum(flip(probs, 0), 0), 0);
  const Array ratios = clip(probs / where(left == 0, 1, left), 0, 1);
  const Array keys = random_split(key, {outcomes});
  fn::need_fit("multinomial", "n", both[0], shape.erased(shape.ndim() - 1));
  Array rest = fn::broadcast(both[0], shape.erased(shape.ndim() - 1));
  Arrays counts;
  for (int64_t i = 0; i < outcomes; ++i) {
    const Array ratio = squeeze(fn::sliced(ratios, 0, i, i + 1), 0);
    counts.push_back(binomial(key_at(keys, i), rest, ratio, {}, {rest.dtype()}));
    rest = rest - counts.back();
  }
  return fn::as_dtype(stack(counts, -1), o.dtype);
}

}  // namespace weft::random
