// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/polynomial.cpp: polynomials given by their coefficients, and fits by least
// squares.
#include "weft/numpy/polynomial.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "functions/kit.h"
#include "functions/linalg/kit.h"
#include "ops/control/control_flow.h"
#include "ops/structure/structure.h"
#include "tracer/concrete.h"
#include "weft/lax/convert.h"
#include "weft/lax/elementwise.h"
#include "weft/linalg.h"
#include "weft/numpy/create.h"
#include "weft/numpy/edit.h"
#include "weft/numpy/index.h"
#include "weft/numpy/math.h"
#include "weft/numpy/products.h"
#include "weft/numpy/reduce.h"
#include "weft/numpy/shape.h"
#include "weft/numpy/sort.h"

namespace weft {
namespace {

void need_vector(const char* name, const Array& p) {
  if (p.ndim() != 1)
    fn::fail_shape(fmt::format("{}: coefficients are a vector, got {}", name, to_string(p.type())));
}
// Both as vectors of one dtype.
fn::Pair coefficients(const char* name, const Array& a, const Array& b) {
  const Arrays same = fn::same_dtype({atleast_1d(a), atleast_1d(b)});
  need_vector(name, same[0]);
  need_vector(name, same[1]);
  return {same[0], same[1]};
}
Array element(const Array& x, int64_t i) { return squeeze_axes(fn::sliced(x, 0, i, i + 1), {0}); }
Array without_weak(const Array& x) { return fn::as_dtype(x, x.dtype()); }
// Pads p with leading zeros up to n coefficients.
Array lengthened(const Array& p, int64_t n) {
  return p.size() == n ? p : pad_with(p, fn::number_like(p, 0), {n - p.size()}, {0}, {0});
}
// The factors i! / (i - m)! by which m derivatives multiply the powers i = first, first + 1, ….
std::vector<double> falling(int64_t first, int64_t count, int64_t m) {
  std::vector<double> out;
  for (int64_t i = first; i < first + count; ++i) {
    double f = 1;
    for (int64_t j = 0; j < m; ++j) f *= static_cast<double>(i - j);
    out.push_back(f);
  }
  return out;
}
Array constants(std::vector<double> v, DType d) {
  return fn::as_dtype(array(std::vector<double>(v.rbegin(), v.rend())), d);
}
}  // namespace

Array polyval(const Arg& p, const Arg& x) {
  const ApiNameScope s("polyval", p.at());
  if (p->ndim() == 0)
    fn::fail_shape("polyval: coefficients stand along an axis, got " + to_string(p->type()));
  const Arrays same = fn::same_dtype({p, x});
  const Array c = without_weak(same[0]), v = without_weak(same[1]);
  const Shape full = fn::common_shape("polyval", c.shape().erased(0), v.shape());
  const Array at = fn::broadcast(v, full), zero = zeros(full, v.dtype());
  const int64_t n = c.shape()[0];
  constexpr int64_t written_out = 16;
  if (n <= written_out) {
    Array y = zero;
    for (int64_t i = 0; i < n; ++i)
      y = i ? add(multiply(y, at), element(c, i)) : fn::broadcast(element(c, 0), full);
    return y;
  }
  const ClosedJaxpr step =
      record({at.type(), zero.type(), c.type().with_shape(c.shape().erased(0))},
             [&](const Arrays& a) { return Arrays{a[0], add(multiply(a[1], a[0]), a[2])}; });
  return scan_flat(step, {at, zero}, {c}, n, false, written_out)[1];
}
Array polyadd(const Arg& a, const Arg& b) {
  const ApiNameScope s("polyadd", a.at());
  const auto [p, q] = coefficients("polyadd", a, b);
  const int64_t n = std::max(p.size(), q.size());
  return add(lengthened(p, n), lengthened(q, n));
}
Array polysub(const Arg& a, const Arg& b) {
  const ApiNameScope s("polysub", a.at());
  const auto [p, q] = coefficients("polysub", a, b);
  const int64_t n = std::max(p.size(), q.size());
  return subtract(lengthened(p, n), lengthened(q, n));
}
Array polymul(const Arg& a, const Arg& b, const PolyTrimOptions& o) {
  const ApiNameScope s("polymul", a.at());
  auto [p, q] = coefficients("polymul", a, b);
  p = fn::inexact(p), q = fn::inexact(q);
  if (o.trim_leading_zeros && (p.size() > 1 || q.size() > 1)) {
    p = trim_zeros(p, {.trim = "f"});
    q = trim_zeros(q, {.trim = "f"});
  }
  if (p.size() == 0) p = zeros({1}, q.dtype());
  if (q.size() == 0) q = zeros({1}, p.dtype());
  return convolve(p, q, "full");
}
std::pair<Array, Array> polydiv(const Arg& u, const Arg& v, const PolyTrimOptions& o) {
  const ApiNameScope s("polydiv", u.at());
  auto [r, d] = coefficients("polydiv", u, v);
  r = without_weak(fn::inexact(r)), d = without_weak(fn::inexact(d));
  if (d.size() == 0) fn::fail_shape("polydiv: a divisor without coefficients");
  const int64_t n = r.size(), m = d.size();
  const Array scale = reciprocal(element(d, 0));
  Arrays quotient;
  for (int64_t k = 0; k + m <= n; ++k) {
    const Array c = multiply(scale, element(r, k));
    quotient.push_back(reshape_to(c, {1}));
    const Array step = pad_with(multiply(c, d), fn::number_like(d, 0), {k}, {n - m - k}, {0});
    r = subtract(r, step);
  }
  if (quotient.empty()) quotient.push_back(zeros({1}, r.dtype()));
  if (o.trim_leading_zeros) {
    const Array small = less(abs(r), std::sqrt(linalg::kit::epsilon(r.dtype())));
    const Array kept = trim_zeros(logical_not(small), {.trim = "f"});
    r = fn::sliced(r, 0, n - kept.size(), n);
  }
  return {fn::joined(quotient, 0), r};
}

Array polyder(const Arg& p, int64_t m) {
  const ApiNameScope s("polyder", p.at());
  if (m < 0) fn::fail_shape(fmt::format("polyder: {} is not a number of derivatives", m));
  const Array v = fn::inexact(atleast_1d(p));
  need_vector("polyder", v);
  if (m == 0) return v;
  const int64_t left = std::max<int64_t>(0, v.size() - m);
  return multiply(fn::sliced(v, 0, 0, left), constants(falling(m, left, m), v.dtype()));
}
Array polyint(const Arg& p, int64_t m, const MaybeArray& k) {
  const ApiNameScope s("polyint", p.at());
  if (m < 0) fn::fail_shape(fmt::format("polyint: {} is not a number of integrals", m));
  const Arrays same = fn::same_dtype({atleast_1d(p), k ? atleast_1d(*k) : zeros({1}, Bool)});
  const Array v = fn::inexact(same[0]);
  need_vector("polyint", v);
  Array c = fn::inexact(same[1]);
  if (c.ndim() != 1 || (c.size() != 1 && c.size() != m))
    fn::fail_shape(
        fmt::format("polyint: needs one constant or one for each of {} integrals, got {}", m,
                    to_string(c.type())));
  if (m == 0) return v;
  c = fn::broadcast(c, {m});
  // The constant at power q comes from integral m - q, so it was integrated q more times.
  std::vector<double> all;
  for (int64_t q = 0; q < m; ++q) all.push_back(falling(q, 1, q)[0]);
  const std::vector<double> by = falling(m, v.size(), m);
  all.insert(all.end(), by.begin(), by.end());
  return divide(fn::joined({v, c}, 0), constants(all, v.dtype()));
}

Array poly(const Arg& roots) {
  const ApiNameScope s("poly", roots.at());
  Array v = without_weak(fn::inexact(atleast_1d(roots)));
  if (v.ndim() == 2 && v.shape()[0] == v.shape()[1] && v.shape()[0] > 0) v = linalg::eigvals(v);
  if (v.ndim() != 1)
    fn::fail_shape("poly: takes a vector of roots or a square matrix, got " +
                   to_string(roots->type()));
  if (v.size() == 0) return ones({}, v.dtype());
  Array p = ones({1}, v.dtype());
  for (int64_t i = 0; i < v.size(); ++i) {
    const Array zero = zeros({1}, v.dtype());
    p = subtract(fn::joined({p, zero}, 0), multiply(element(v, i), fn::joined({zero, p}, 0)));
  }
  return p;
}

namespace {
// The eigenvalues of the matrix whose first row is -p[1:] / p[0] and which has ones below the
// diagonal.
Array companion_values(const Array& p) {
  const int64_t n = p.size();
  const Array row = divide(negative(fn::sliced(p, 0, 1, n)), element(p, 0));
  const Array below = eye(n - 2, n - 1, 0, p.dtype());
  return linalg::eigvals(fn::joined({expand_dims(row, 0), below}, 0));
}
}  // namespace
Array roots(const Arg& p, const RootsOptions& o) {
  const ApiNameScope s("roots", p.at());
  Array v = without_weak(fn::inexact(atleast_1d(p)));
  need_vector("roots", v);
  const DType d = real_part(v.dtype()) == F64 ? C128 : C64;
  const Array zero = equal(v, 0);
  if (o.strip_zeros) {
    if (!concrete_or_null(v))
      throw ConcretizationError(
          "roots: how many roots there are depends on leading zeros of a traced array; give "
          "{.strip_zeros = false}, which returns NaNs at the end instead");
    v = trim_zeros(v, {.trim = "f"});
    return v.size() < 2 ? zeros({0}, d) : companion_values(v);
  }
  const int64_t n = v.size();
  if (n < 2) return zeros({0}, d);
  // Leading zeros are rotated to the end, where they become roots at 0. These are sorted after all
  // other roots.
  const Array leading = where(all(zero), n, argmin(zero));
  const Array turned = roll(where(equal(leading, n), 1, v), negative(leading));
  const Array values = companion_values(turned);
  const Array order = argsort(equal(values, 0));
  const auto nan = std::numeric_limits<double>::quiet_NaN();
  const Array missing = greater_equal(arange(n - 1), subtract(n - 1, leading));
  const Array lost =
      fn::as_dtype(lax::complex(full({}, nan, real_part(d)), full({}, nan, real_part(d))), d);
  return where(missing, lost, take(values, order, 0));
}

// ---- fits

namespace {
struct Fit {
  Array lhs, scale;  // scaled powers of x, and their scales
  linalg::LstSq solution;
  Array coefficients;
  double rcond;
};
Fit fitted(const Arg& x, const Arg& y, int64_t deg, const PolyfitOptions& o) {
  if (deg < 0) fn::fail_shape(fmt::format("polyfit: {} is not a degree", deg));
  if (x->ndim() != 1 || x->size() == 0)
    fn::fail_shape("polyfit: x must be a vector that is not empty, got " + to_string(x->type()));
  if (y->ndim() < 1 || y->ndim() > 2 || y->shape()[0] != x->size())
    fn::fail_shape(fmt::format("polyfit: y must have one value or row for each of {}, got {}",
                               to_string(x->type()), to_string(y->type())));
  const Arrays same = fn::same_dtype({x, y});
  const Array v = without_weak(fn::inexact(same[0]));
  Array rhs = without_weak(fn::inexact(same[1]));
  Fit f;
  f.rcond = o.rcond.value_or(static_cast<double>(v.size()) * linalg::kit::epsilon(v.dtype()));
  f.lhs = vander(v, deg + 1);
  if (o.w) {
    if (!(o.w->shape() == v.shape()))
      fn::fail_shape(fmt::format("polyfit: needs one weight a point, got {} for {}",
                                 to_string(o.w->type()), to_string(x->type())));
    const Array w = fn::inexact(*o.w);
    f.lhs = multiply(f.lhs, expand_dims(w, 1));
    rhs = multiply(rhs, rhs.ndim() == 2 ? expand_dims(w, 1) : w);
  }
  f.scale = sqrt(sum(multiply(f.lhs, f.lhs), 0));
  f.lhs = divide(f.lhs, f.scale);
  f.solution = linalg::lstsq(f.lhs, rhs, {.rcond = f.rcond});
  const Array& c = std::get<0>(f.solution);
  f.coefficients = divide(c, c.ndim() == 2 ? expand_dims(f.scale, 1) : f.scale);
  return f;
}
}  // namespace
Array polyfit(const Arg& x, const Arg& y, int64_t deg, const PolyfitOptions& o) {
  const ApiNameScope s("polyfit", x.at());
  return fitted(x, y, deg, o).coefficients;
}
PolyfitFull polyfit_full(const Arg& x, const Arg& y, int64_t deg, const PolyfitOptions& o) {
  const ApiNameScope s("polyfit_full", x.at());
  const Fit f = fitted(x, y, deg, o);
  const auto& [c, residuals, rank, values] = f.solution;
  return {f.coefficients, residuals, rank, values, full({}, f.rcond, f.lhs.dtype())};
}
PolyfitCov polyfit_cov(const Arg& x, const Arg& y, int64_t deg, const PolyfitOptions& o,
                       bool unscaled) {
  const ApiNameScope s("polyfit_cov", x.at());
  const Fit f = fitted(x, y, deg, o);
  const int64_t free = x->size() - deg - 1;
  if (!unscaled && free <= 0)
    fn::fail_shape(
        fmt::format("polyfit: {} points leave nothing to estimate the errors of {} "
                    "coefficients by; unscaled covariances need no errors",
                    x->size(), deg + 1));
  const Array base =
      divide(linalg::inv(dot(matrix_transpose(f.lhs), f.lhs)), outer(f.scale, f.scale));
  const Array factor = unscaled ? ones({1}, base.dtype())
                                : divide(std::get<1>(f.solution), static_cast<double>(free));
  if (y->ndim() == 1) return {f.coefficients, multiply(base, factor)};
  return {f.coefficients, multiply(expand_dims(base, -1), factor)};
}

Array vander(const Arg& x, std::optional<int64_t> n, bool increasing) {
  const ApiNameScope s("vander", x.at());
  if (x->ndim() != 1) fn::fail_shape("vander: needs a vector, got " + to_string(x->type()));
  const int64_t count = n.value_or(x->size());
  if (count < 0) fn::fail_shape(fmt::format("vander: {} is not a number of columns", count));
  const Array v = fn::numeric(x);
  Arrays columns;
  for (int64_t i = 0; i < count; ++i)
    columns.push_back(i ? expand_dims(lax::integer_pow(v, i), 1)
                        : fn::broadcast(fn::number_like(v, 1), {x->size(), 1}));
  if (!increasing) std::reverse(columns.begin(), columns.end());
  return columns.empty() ? zeros({x->size(), 0}, v.dtype()) : fn::joined(columns, 1);
}

}  // namespace weft
