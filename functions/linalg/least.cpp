// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/linalg/least.cpp: least squares, pseudo-inverses and polar factors, by singular values.
#include <fmt/format.h>

#include <algorithm>

#include "functions/kit.h"
#include "functions/linalg/kit.h"
#include "ops/linear/matrix.h"
#include "ops/structure/structure.h"
#include "tracer/base_ops.h"
#include "weft/error.h"
#include "weft/lax/compare.h"
#include "weft/lax/convert.h"
#include "weft/lax/elementary.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/linalg/svd.h"
#include "weft/linalg.h"
#include "weft/numpy/reduce.h"
#include "weft/numpy/shape.h"

namespace weft::linalg {
namespace {

using matrix::as_number, matrix::product;
Array adjoint(const Array& x) { return matrix::transposed(x, true); }
lax::SVD reduced(const Array& x) { return lax::svd(x, {.full_matrices = false}); }
// Multiplies each column of v by its number in r.
Array times_columns(const Array& v, const Array& r) {
  return matrix::scaled(v, as_number(r, v.dtype()), v.ndim() - 2);
}

// `rtol` has one number for each matrix.
Array pinv_by_values(const Array& a, const Array& rtol, bool hermitian) {
  const auto [u, s, vh] = hermitian ? kit::hermitian_values(a) : reduced(a);
  const int last = s.ndim() - 1;
  const Array largest = squeeze_axes(base::slice_axis(s, last, 0, 1), {last});
  const Array least = matrix::along_leading(lax::mul(largest, rtol), s.shape());
  const Array inverse =
      lax::select(lax::gt(s, least), lax::div(base::ones(s.type()), s), matrix::zeros_like(s));
  return product(times_columns(adjoint(vh), inverse), adjoint(u));
}
Array symmetrized(const Array& a) {
  const Array sum = lax::add(a, adjoint(a));
  return lax::mul(sum, matrix::all(fn::number_like(sum, 0.5), sum.shape()));
}

// The derivative is a function of the pseudo-inverse (G. H. Golub and V. Pereyra, "The
// differentiation of pseudo-inverses and nonlinear least squares problems whose variables
// separate", SIAM J. Numer. Anal. 10 (1973)). That pseudo-inverse has the same derivative rule,
// nested `orders` times. Derivatives of higher order use those of the singular vectors, which do
// not exist for equal singular values.
constexpr int rule_orders = 3;
Array pinv_of_order(const Array& a, const Array& rtol, bool hermitian, int orders) {
  if (orders == 0) return pinv_by_values(a, rtol, hermitian);
  return kit::with_rule(
      "pinv", {a, rtol},
      [&](const Arrays& x) { return Arrays{pinv_by_values(x[0], x[1], hermitian)}; },
      [&](const Arrays& x) {
        const Array a = hermitian ? symmetrized(x[0]) : x[0],
                    da = hermitian ? symmetrized(x[2]) : x[2];
        const Array p = pinv_of_order(x[0], x[1], hermitian, orders - 1), ph = adjoint(p),
                    dh = adjoint(da);
        const Array s = product(p, product(ph, dh)), t = product(dh, product(ph, p));
        const Array inner = product(p, product(da, p));
        const Array left = lax::sub(s, product(s, product(a, p)));
        const Array right = lax::sub(t, product(p, product(a, t)));
        return Arrays{p, lax::sub(base::add(left, right), inner)};
      })[0];
}

// u p = a with p = v s v^H, for matrices with at least as many rows as columns. p' + u^H u' p = u^H
// a' determines the derivatives. u^H u' is antihermitian. In the basis of v its elements are (d -
// d^H)(i, j) / (s(i) + s(j)), with d = v^H u^H a' v.
Arrays polar_factors(const lax::SVD& f) {
  const auto& [u, s, vh] = f;
  return {product(u, vh), product(times_columns(adjoint(vh), s), vh)};
}
Arrays polar_rule(const Arrays& x) {
  const lax::SVD f = reduced(x[0]);
  const Arrays out = polar_factors(f);
  const auto& [directions, s, vh] = f;
  const Array &u = out[0], &p = out[1], &dx = x[1];
  const Array v = adjoint(vh), within = product(adjoint(u), dx);
  const Array d = product(vh, product(within, v));
  const int last = d.ndim() - 1;
  const Array sums =
      lax::add(matrix::along(s, d.shape(), last), matrix::along_leading(s, d.shape()));
  const Array quotient = lax::div(lax::sub(d, adjoint(d)), as_number(sums, d.dtype()));
  const Array turn = product(v, product(quotient, vh));
  Array du = product(u, turn);
  if (x[0].shape()[last - 1] > x[0].shape()[last]) {
    const Array outside = lax::sub(dx, product(u, within));
    const Array inverse = product(times_columns(v, lax::div(base::ones(s.type()), s)), vh);
    du = base::add(du, product(outside, inverse));
  }
  return {u, p, du, lax::sub(within, product(turn, p))};
}

}  // namespace

Array pinv(const Arg& a, const PinvOptions& o) {
  const ApiNameScope s("pinv", a.at());
  const Array x = fn::inexact(a);
  kit::require_matrices("pinv", x);
  const int last = x.ndim() - 1;
  const int64_t m = x.shape()[last - 1], n = x.shape()[last];
  if (x.type().elements() == 0)
    return base::zeros(Type(x.dtype(), x.shape().with(last - 1, n).with(last, m)));
  if (o.hermitian) kit::require_square("pinv", x);
  const double longer = static_cast<double>(std::max(m, n));
  const Array rtol = o.rtol.value_or(Array(10 * longer * kit::epsilon(x.dtype())));
  const Array least = kit::tolerances("pinv", rtol, real_part(x.dtype()), kit::batch_of(x));
  return pinv_of_order(x, least, o.hermitian, rule_orders);
}

namespace {
// The fraction of the largest singular value up to which other singular values count as 0.
Array part_of(const std::optional<Array>& rcond, const Array& like, double eps, int64_t size) {
  if (!rcond) return fn::number_like(like, eps * static_cast<double>(size));
  const Array given = fn::as_dtype(*rcond, like.dtype());
  return lax::select(lax::lt(given, fn::number_like(like, 0)), fn::number_like(like, eps), given);
}
// True for the singular values s that do not count as 0.
Array counted(const Array& s, const Array& part) {
  const Array first = squeeze_axes(fn::sliced(s, 0, 0, 1), {0});
  const Array least = matrix::all(lax::mul(first, part), s.shape());
  return lax::bitwise_and(lax::gt(s, matrix::zeros_like(s)), lax::ge(s, least));
}
// (a, b, part) -> the x with the least |a x - b|, and the singular values of a.
Arrays least_squares(const Arrays& in) {
  const auto [u, s, vh] = reduced(in[0]);
  const Array counts = counted(s, in[2]), one = base::ones(s.type());
  const Array inverse =
      lax::select(counts, lax::div(one, lax::select(counts, s, one)), matrix::zeros_like(s));
  return {product(times_columns(adjoint(vh), inverse), product(adjoint(u), in[1])), s};
}
// The derivative uses the pseudo-inverse, which also has a derivative where singular values are
// equal. Their singular vectors do not.
Arrays least_squares_rule(const Arrays& in) {
  const Array &a = in[0], &b = in[1], &da = in[3], &db = in[4];
  // pinv keeps only values greater than its bound, while lstsq also keeps values equal to it.
  const Array below = lax::mul(in[2], fn::number_like(in[2], 1 - kit::epsilon(in[2].dtype())));
  const Array p = pinv_of_order(a, below, false, rule_orders), ph = adjoint(p), dh = adjoint(da);
  const Array x = product(p, b), rest = lax::sub(b, product(a, x));
  const Array across = product(dh, product(ph, x));
  const Array within = base::add(product(p, lax::sub(db, product(da, x))),
                                 product(p, product(ph, product(dh, rest))));
  const Array dx = base::add(within, lax::sub(across, product(p, product(a, across))));
  const auto [u, s, vh] = reduced(a);
  const Array turned = lax::mul(matrix::conj(u), product(da, adjoint(vh)));
  const Array ds = base::reduce_sum(matrix::real_part_of(turned), {0});
  return {x, s, dx, ds};
}
}  // namespace
LstSq lstsq(const Arg& a, const Arg& b, const LstSqOptions& o) {
  const ApiNameScope source("lstsq", a.at());
  const Arrays both = fn::same_dtype({fn::inexact(a), fn::inexact(b)});
  const Array& x = both[0];
  const bool vector = both[1].ndim() == 1;
  if (x.ndim() != 2 || (!vector && both[1].ndim() != 2) || x.shape()[0] != both[1].shape()[0])
    fn::fail_shape(
        fmt::format("lstsq: takes a matrix and a vector or matrix of as many rows, got {} and {}",
                    to_string(x.type()), to_string(both[1].type())));
  const Array y = vector ? base::insert_axis(both[1], 1, 1) : both[1];
  const int64_t m = x.shape()[0], n = x.shape()[1];
  const double eps = kit::epsilon(x.dtype());
  if (o.rcond && o.rcond->ndim() != 0)
    fn::fail_shape("lstsq: .rcond must be a scalar, got " + to_string(o.rcond->type()));
  Array solution, rank, values;
  if (m == 0 || n == 0) {
    solution = base::zeros(Type(x.dtype(), {n, y.shape()[1]}));
    values = base::zeros(Type(real_part(x.dtype()), {0}));
    rank = base::zeros(Type(I32, {}));
  } else {
    const Type real(real_part(x.dtype()), {});
    const Array part = part_of(o.rcond, base::zeros(real), eps, std::max(m, n));
    const Arrays solved = kit::with_rule(
        "lstsq", {x, y, part}, [](const Arrays& in) { return least_squares(in); },
        [](const Arrays& in) { return least_squares_rule(in); });
    solution = solved[0], values = solved[1];
    rank = weft::sum(counted(values, part));
  }
  const Array residuals = base::reduce_sum(matrix::squares(lax::sub(y, product(x, solution))), {0});
  if (vector) solution = squeeze_axes(solution, {1});
  return {solution, residuals, rank, values};
}

Polar polar(const Arg& a, const PolarOptions& o) {
  const ApiNameScope s("polar", a.at());
  const Array x = fn::inexact(a);
  kit::require_matrices("polar", x);
  if (o.side != "right" && o.side != "left")
    throw Error(fmt::format("polar: side is \"right\" or \"left\", got \"{}\"", o.side));
  const bool left = o.side == "left";
  const Array tall = left ? adjoint(x) : x;
  const int last = tall.ndim() - 1;
  const auto factors = [](const Arrays& y) { return polar_factors(reduced(y[0])); };
  // With fewer rows than columns p is singular, so u is differentiated through the singular
  // vectors.
  const Arrays r =
      tall.shape()[last - 1] < tall.shape()[last]
          ? factors({tall})
          : kit::with_rule("polar", {tall}, factors, [](const Arrays& y) { return polar_rule(y); });
  return {left ? adjoint(r[0]) : r[0], r[1]};
}

Array tensorinv(const Arg& a, int64_t ind) {
  const ApiNameScope s("tensorinv", a.at());
  const Array x = fn::inexact(a);
  const std::vector<int64_t> sizes = x.shape().sizes();
  if (ind <= 0 || ind > x.ndim())
    throw Error(fmt::format("tensorinv: ind is from 1 to the number of axes, got {} for {}", ind,
                            to_string(x.type())));
  std::vector<int64_t> rows(sizes.begin(), sizes.begin() + ind),
      columns(sizes.begin() + ind, sizes.end());
  const int64_t m = Shape(rows).elements(), n = Shape(columns).elements();
  if (m != n)
    fn::fail_shape(fmt::format("tensorinv: {} axes of {} have {} elements, the others {}", ind,
                               to_string(x.type()), m, n));
  columns.insert(columns.end(), rows.begin(), rows.end());
  return base::reshape(inv(base::reshape(x, {m, n})), Shape(columns));
}

Array tensorsolve(const Arg& a, const Arg& b, const TensorsolveOptions& o) {
  const ApiNameScope s("tensorsolve", a.at());
  Arrays both = fn::same_dtype({fn::inexact(a), fn::inexact(b)});
  std::vector<int64_t> order, behind;
  (void)fn::axes_of("tensorsolve", o.axes, both[0].ndim());  // refuses an axis that occurs twice
  for (const int64_t k : o.axes) behind.push_back(fn::axis_of("tensorsolve", k, both[0].ndim()));
  for (int k = 0; k < both[0].ndim(); ++k)
    if (std::find(behind.begin(), behind.end(), k) == behind.end()) order.push_back(k);
  order.insert(order.end(), behind.begin(), behind.end());
  if (!behind.empty()) both[0] = transpose(both[0], order);
  const std::vector<int64_t> sizes = both[0].shape().sizes();
  const int lead = both[1].ndim();
  if (both[0].ndim() < lead)
    fn::fail_shape(fmt::format("tensorsolve: {} has fewer axes than {}", to_string(both[0].type()),
                               to_string(both[1].type())));
  const std::vector<int64_t> rest(sizes.begin() + lead, sizes.end());
  const int64_t m = both[1].type().elements(), n = Shape(rest).elements();
  if (m != n || Shape(std::vector<int64_t>(sizes.begin(), sizes.begin() + lead)).elements() != m)
    fn::fail_shape(fmt::format("tensorsolve: {} is not a square system for {}",
                               to_string(both[0].type()), to_string(both[1].type())));
  return base::reshape(solve(base::reshape(both[0], {m, n}), base::reshape(both[1], {m})),
                       Shape(rest));
}

}  // namespace weft::linalg
