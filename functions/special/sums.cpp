// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/special/sums.cpp: special functions by sums and recurrences: hypergeometric functions,
// binomial coefficients, Bessel functions, spherical harmonics, and the gamma function of complex
// numbers.
#include "functions/lax/sums.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "functions/special/kit.h"
#include "ops/control/control_flow.h"
#include "tracer/concrete.h"
#include "tracer/types_of.h"
#include "weft/error.h"
#include "weft/lax/convert.h"
#include "weft/lax/elementary.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/hypergeometric.h"
#include "weft/lax/rounding.h"
#include "weft/lax/special.h"
#include "weft/numpy/create.h"
#include "weft/numpy/math.h"
#include "weft/numpy/reduce.h"
#include "weft/numpy/shape.h"
#include "weft/special.h"

namespace weft::special {

using fn::real_of, fn::reals_of;

Array hyp1f1(const Arg& a, const Arg& b, const Arg& x) {
  const ApiNameScope s("hyp1f1", a.at());
  const Arrays v = reals_of("hyp1f1", {a, b, x});
  return lax::hyp1f1(v[0], v[1], v[2]);
}
Array hyp2f1(const Arg& a, const Arg& b, const Arg& c, const Arg& x) {
  const ApiNameScope s("hyp2f1", a.at());
  const Arrays v = reals_of("hyp2f1", {a, b, c, x});
  return lax::hyp2f1(v[0], v[1], v[2], v[3]);
}
namespace {
// (n choose k) for 0 <= k <= n, in F64. Few factors are multiplied one by one, which keeps whole
// numbers exact. Many factors use a beta function, because the logarithms of large factorials would
// cancel.
constexpr int64_t few_factors = 30;
Array comb_of(const Array& n, const Array& k) {
  const Array whole = floor(n) == n, least = where(whole, minimum(k, n - k), k);
  const Array few = (floor(k) == k) & (least <= static_cast<double>(few_factors));
  const Array j = where(few, least, 0);
  Array product = fn::number_like(n, 1);
  for (int64_t i = 1; i <= few_factors; ++i) {
    const auto factor = static_cast<double>(i);
    product = where(j >= factor, product * (n - j + factor) / factor, product);
  }
  const Array a = where(few, 1, n - k + 1), b = where(few, 1, k + 1);
  const Array many = exp(lax::neg(betaln(a, b)) - log1p(where(few, 0, n)));
  const Array value = where(few, product, many);
  return where(whole & (floor(k) == k), round(value), value);
}
}  // namespace
Array comb(const Arg& n, const Arg& k, const CombOptions& o) {
  const ApiNameScope s("comb", n.at());
  const Arrays v = reals_of("comb", {n, k});
  const Array &m = v[0], &j = v[1], one = fn::number_like(m, 1);
  if (o.repetition)
    return fn::as_dtype(where(logical_and(j == 0, m >= 0), one, comb(m + j - one, j)), m.dtype());
  const auto inside = [](const Arrays& x) {
    return logical_and(logical_and(x[1] <= x[0], x[0] >= 0), x[1] >= 0);
  };
  const auto value = [&](const Arrays& x) {
    const Array some = inside(x);
    const Array c =
        comb_of(fn::as_dtype(where(some, x[0], 0), F64), fn::as_dtype(where(some, x[1], 0), F64));
    return fn::as_dtype(where(some, c, 0), x[0].dtype());
  };
  return fn::with_slope("comb", v, value, [&](const Arrays& x, const Arrays& d) {
    const Array some = inside(x), p = where(some, x[0], 0), q = where(some, x[1], 0);
    const Array rest = digamma(p - q + 1);
    const Array l = lax::lgamma(p + 1) - lax::lgamma(q + 1) - lax::lgamma(p - q + 1);
    return fn::with_log_derivatives(value(x), l) *
           (d[0] * (digamma(p + 1) - rest) + d[1] * (rest - digamma(q + 1)));
  });
}

// ---- logarithms of sums
namespace {
// total is the sum of b e^(x - top). top is the largest x that is not masked, or 0 where that is
// infinite. Both are computed in F32 for narrow floats. rounded converts a value to the dtype and
// shape of the function's result.
struct ScaledSum {
  Array total, top;
  std::vector<int64_t> axes;
  DType dtype;
  bool weak = false;
  Array rounded(const Array& v, bool keepdims) const {
    const Array narrow = fn::as_dtype(v, dtype, weak);
    return keepdims && !axes.empty() ? expand_dims(narrow, axes) : narrow;
  }
};
ScaledSum scaled_sum(const char* name, const Arg& x, const AxisList& axis,
                     const LogSumExpOptions& o) {
  Arrays v = {fn::inexact(x)};
  if (o.b) v = fn::same_dtype({v[0], fn::inexact(*o.b)});
  if (o.b) v = fn::broadcast_together(name, v);
  const DType own = v[0].dtype();
  for (Array& a : v) a = fn::for_sums(a);
  const std::vector<int64_t> axes = fn::axes_of(name, v[0], axis);
  if (o.where) fn::need_fit(name, ".where", *o.where, v[0].shape());
  const Array none = fn::number_like(v[0], -std::numeric_limits<double>::infinity());
  Array a = o.b ? where(*o.b != 0, v[0], none) : v[0];
  if (o.where) a = where(*o.where, a, none);
  const fn::ShiftedExp e = fn::shifted_exp(a, axes);
  const Array total = sum(o.b ? multiply(e.terms, v[1]) : e.terms, axes);
  return {total, e.top, axes, own, total.weak_type()};
}
}  // namespace
SignedLog signed_logsumexp(const Arg& x, const AxisList& axis, const LogSumExpOptions& o) {
  const ApiNameScope s("signed_logsumexp", x.at());
  const ScaledSum v = scaled_sum("signed_logsumexp", x, axis, o);
  return {v.rounded(add(log(abs(v.total)), v.top), o.keepdims),
          v.rounded(sign(v.total), o.keepdims)};
}
Array logsumexp(const Arg& x, const AxisList& axis, const LogSumExpOptions& o) {
  const ApiNameScope s("logsumexp", x.at());
  if (!o.b) return weft::logsumexp(x, axis, {.keepdims = o.keepdims, .where = o.where});
  const ScaledSum v = scaled_sum("logsumexp", x, axis, o);
  return v.rounded(add(log(v.total), v.top), o.keepdims);
}

// ---- Bessel functions

// Miller's recurrence, downwards, for h = J_k(z) k! / (z/2)^k up to a factor. In h nothing
// overflows for small z. The factor follows from 1 = J_0 + 2 J_2 + 2 J_4 + …. Computed in F64.
Array bessel_jn(const Arg& z, int64_t v, int64_t n_iter) {
  const ApiNameScope s("bessel_jn", z.at());
  const Array x = real_of("bessel_jn", z);
  if (v < 0 || n_iter < v)
    fn::fail_index(
        fmt::format("bessel_jn: there is no order {} among those up to n_iter = {}", v, n_iter));
  const Array half = fn::as_dtype(x, F64) * 0.5, square = lax::square(half);
  const Type t(F64, x.shape());
  std::vector<double> orders;
  for (int64_t k = 0; k <= n_iter; ++k) orders.push_back(static_cast<double>(k));
  // The carry is h of the two orders above, and the sum so far, divided by the current power of z /
  // 2. The output is h.
  const ClosedJaxpr body = record({t, t, t, Type(F64, {})}, [&](const Arrays& c) {
    const Array& k = c[3];
    const Array h = c[1] - square / ((k + 1) * (k + 2)) * c[0];
    const Array weight = where(k == 0, 1., where(remainder(k, 2) == 0, 2., 0.));
    return Arrays{c[1], h, half / (k + 1) * c[2] + weight * h, h};
  });
  const Array zero = zeros(x.shape(), F64), one = ones(x.shape(), F64);
  const Arrays r = scan_flat(body, {zero, one, zero}, {array(orders)}, n_iter + 1, true);
  Arrays rows;
  Array power = one / r[2];
  for (int64_t k = 0; k <= v; ++k) {
    if (k > 0) power = power * half / static_cast<double>(k);
    rows.push_back(power * squeeze(fn::sliced(r[3], 0, k, k + 1), 0));
  }
  return fn::as_dtype(stack(rows, 0), x.dtype());
}

// ---- spherical harmonics

// The recurrence climbs along the diagonal to P_m^m, and then at this order to P_n^m, all
// normalized.
Array sph_harm_y(const Arg& n, const Arg& m, const Arg& theta, const Arg& phi,
                 const SphHarmOptions& o) {
  const ApiNameScope s("sph_harm_y", n.at());
  for (const Arg* a : {&n, &m})
    if (!is_integer((*a)->dtype()))
      fn::fail_dtype(fmt::format("sph_harm_y: degree and order must be integers, got {}",
                                 to_string((*a)->type())));
  int64_t most = o.n_max.value_or(0);
  if (!o.n_max) {
    if (!concrete_or_null(n))
      throw ConcretizationError("sph_harm_y: the degrees are traced; give .n_max");
    for (int64_t k : n->to_vector<int64_t>()) most = std::max(most, k);
  }
  if (most < 0) fn::fail_index(fmt::format("sph_harm_y: {} is not a degree", most));
  const Arrays angles = reals_of("sph_harm_y", {theta, phi});
  const DType d = angles[0].dtype() == F64 ? F64 : F32;
  const Arrays v = fn::broadcast_together(
      "sph_harm_y",
      {fn::as_dtype(minimum(n, most), d), fn::as_dtype(minimum(abs(m), most), d),
       fn::as_dtype(angles[0], d), fn::as_dtype(angles[1], d), fn::as_dtype(sign(m), d)});
  const Array &degree = v[0], &order = v[1], x = lax::cos(v[2]), y = lax::sin(v[2]);
  const Type t(d, v[0].shape());
  std::vector<double> degrees;
  for (int64_t l = 1; l <= most; ++l) degrees.push_back(static_cast<double>(l));
  // The carry is P of the two degrees below.
  const ClosedJaxpr body = record({t, t, Type(d, {})}, [&](const Arrays& c) {
    const Array& l = c[2];
    const Array climbs = l > order, ll = lax::square(l), mm = lax::square(order);
    const Array gap = where(climbs, ll - mm, 1), last = where(climbs, lax::square(l - 1) - mm, 0);
    const Array a = sqrt((4 * ll - 1) / gap);
    const Array b = sqrt((2 * l + 1) * where(last > 0, last, 0) / (abs(2 * l - 3) * gap));
    const Array next = where(climbs, a * x * c[1] - b * c[0], -sqrt(1 + 0.5 / l) * y * c[1]);
    const Array goes = l <= degree;
    return Arrays{fn::as_dtype(where(logical_and(goes, climbs), c[1], c[0]), d),
                  fn::as_dtype(where(goes, next, c[1]), d)};
  });
  const Array start = full(t.shape(), 0.5 / std::sqrt(M_PI), d);
  const Arrays p =
      scan_flat(body, {zeros(t.shape(), d), start}, {fn::as_dtype(array(degrees), d)}, most);
  const Array size = where(order <= degree, p[1], 0), angle = order * v[3];
  const Array odd = remainder(order, 2) != 0, negative = v[4] < 0;
  const Array re = size * lax::cos(angle), im = size * lax::sin(angle);
  return lax::complex(
      fn::as_dtype(where(logical_and(negative, odd), lax::neg(re), re), d),
      fn::as_dtype(where(logical_and(negative, logical_not(odd)), lax::neg(im), im), d));
}

}  // namespace weft::special

namespace weft::fn {

// The formula of Lanczos (SIAM J. Numer. Anal. B 1, 1964), with g = 7 and the nine coefficients of
// GSL, is used for Re z >= 1/2. Other z are reflected. In the upper half plane, log sin(pi z)
// without its jumps is log(1 - e^(2 i pi z)) - i pi z + i pi / 2 - log 2. In the lower half plane
// it is the conjugate. Computed in C128.
Array complex_loggamma(const Array& given) {
  const Array z = as_dtype(given, C128), re = lax::real(z), im = lax::imag(z);
  const auto made = [](const Array& a, const Array& b) {
    return lax::complex(fn::as_dtype(a, F64), fn::as_dtype(b, F64));
  };
  const Array pole = logical_and(im == 0, logical_and(re == floor(re), re <= 0));
  const Array none = logical_or(pole, logical_or(isnan(re), isnan(im)));
  const Array x = where(none, 1., re), above = where(none, 0., lax::abs(im));
  const Array mirror = x < 0.5;
  const Array u = made(where(mirror, 1 - x, x), where(mirror, lax::neg(above), above)) - 1.;
  constexpr double lanczos[] = {676.5203681218851,     -1259.1392167224028,  771.32342877765313,
                                -176.61502916214059,   12.507343278686905,   -0.13857109526572012,
                                9.9843695780195716e-6, 1.5056327351493116e-7};
  Array sum = fn::number_like(u, 0.99999999999980993);
  for (size_t k = 0; k < std::size(lanczos); ++k)
    sum = sum + lanczos[k] / (u + static_cast<double>(k + 1));
  const Array t = u + 7.5;
  const Array l = (u + 0.5) * log(t) - t + log(sum) + 0.5 * std::log(2 * M_PI);
  // i pi z, and the same where Re z is reduced by its nearest whole number.
  const Array safe = where(mirror, x, 0.25), rest = safe - round(safe);
  const Array turn = made(above * -M_PI, safe * M_PI), near = made(above * -M_PI, rest * M_PI);
  const Array jump = made(fn::number_like(re, std::log(2 * M_PI)), fn::number_like(re, -M_PI / 2));
  const Array reflected = jump + turn - log(lax::neg(expm1(2 * near))) - l;
  const Array r = where(mirror, reflected, l);
  const Array value = where(signbit(im), conj(r), r);
  return fn::as_dtype(where(none, made(fn::number_like(re, NAN), fn::number_like(re, NAN)), value),
                      given.dtype());
}

}  // namespace weft::fn
