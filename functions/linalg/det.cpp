// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/linalg/det.cpp: determinants. Their derivatives of every order hold for matrices of
// every rank.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "functions/kit.h"
#include "functions/linalg/kit.h"
#include "ops/control/control_flow.h"
#include "ops/kit/axes.h"
#include "ops/linear/matrix.h"
#include "ops/structure/structure.h"
#include "tracer/base_ops.h"
#include "tracer/concrete.h"
#include "weft/lax/compare.h"
#include "weft/lax/convert.h"
#include "weft/lax/cumulative.h"
#include "weft/lax/elementary.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/linalg/lu.h"
#include "weft/lax/linalg/triangular_solve.h"
#include "weft/lax/reduce.h"
#include "weft/linalg.h"

namespace weft::linalg {

Array kit::parity(const lax::LU& f) {
  const auto& [packed, pivots, permutation] = f;
  const int last = pivots.ndim() - 1;
  const Array moved = lax::ne(pivots, iota(I32, pivots.shape(), last));
  const Array odd = lax::reduce_xor(moved, {last});
  const Array one = base::ones(Type(packed.dtype(), odd.shape()));
  return lax::select(odd, lax::neg(one), one);
}

namespace {

Array number_at(const Array& a, int64_t i, int64_t j) {
  const int last = a.ndim() - 1;
  return squeeze_axes(base::slice_axis(base::slice_axis(a, last - 1, i, i + 1), last, j, j + 1),
                      {last - 1, last});
}
Array small_det(const Array& a) {
  const int64_t n = a.shape()[a.ndim() - 1];
  if (n == 0) return base::ones(Type(a.dtype(), kit::batch_of(a)));
  if (n == 1) return number_at(a, 0, 0);
  const auto minor = [&](int64_t i, int64_t j, int64_t k, int64_t l) {
    return lax::sub(lax::mul(number_at(a, i, k), number_at(a, j, l)),
                    lax::mul(number_at(a, i, l), number_at(a, j, k)));
  };
  if (n == 2) return minor(0, 1, 0, 1);
  return base::add(lax::sub(lax::mul(number_at(a, 0, 0), minor(1, 2, 1, 2)),
                            lax::mul(number_at(a, 0, 1), minor(1, 2, 0, 2))),
                   lax::mul(number_at(a, 0, 2), minor(1, 2, 0, 1)));
}

Array det_of(const lax::LU& f) {
  const Array d = matrix::diagonal(std::get<0>(f));
  return lax::mul(kit::parity(f), lax::reduce_prod(d, {d.ndim() - 1}));
}
// tr(a b)
Array trace_of_product(const Array& a, const Array& b) {
  const int last = a.ndim() - 1;
  return base::reduce_sum(lax::mul(a, matrix::transposed(b)), {last - 1, last});
}
// The matrix P such that P x has the rows of x in the order of the factors.
Array permuted_identity(const lax::LU& f) {
  const Array& packed = std::get<0>(f);
  const Array column = iota(I32, packed.shape(), packed.ndim() - 1);
  const Array one = lax::eq(column, matrix::along_leading(std::get<2>(f), packed.shape()));
  return base::convert(one, packed.dtype());
}

// ---- the adjugate, by which the determinant is differentiated

// For each element of the last axis of x, the product of the elements before it, or after it if
// `later`.
Array products_of_others(const Array& x, bool later) {
  const int last = x.ndim() - 1;
  const int64_t n = x.shape()[last];
  const Array one = base::ones(Type(x.dtype(), x.shape().with(last, 1)));
  const Array moved = later ? base::concatenate({base::slice_axis(x, last, 1, n), one}, last)
                            : base::concatenate({one, base::slice_axis(x, last, 0, n - 1)}, last);
  return lax::cumprod(moved, last, later);
}

// Returns det(a) and adj(a) = det(P) adj(U) L^-1 P. adj(U) is polynomial in U. For a pivot u_i, let
// p_i be the product of the pivots before it, and s_i the product of the pivots after it. Above its
// diagonal, W has the numbers U_ij times the pivots between i and j. Then adj(U) = diag(p) (1 +
// W)^-1 diag(s). Nothing is divided by a pivot, so the rank does not matter.
Arrays det_and_adjugate(const Array& a) {
  const lax::LU f = lax::lu(a);
  const Array& packed = std::get<0>(f);
  const int last = a.ndim() - 1;
  const Array d = matrix::diagonal(packed), parity = kit::parity(f);
  const Array row = iota(I32, a.shape(), last - 1), column = iota(I32, a.shape(), last);
  // the pivot of the column, in each row
  const Array pivots = matrix::without(d, a.shape(), last - 1);
  const Array between = products_of_others(
      lax::select(lax::gt(column, row), pivots, base::ones(a.type().strong())), false);
  const Array w = lax::mul(matrix::triangle(packed, false, true), between);
  const Array y = lax::triangular_solve(packed, permuted_identity(f),
                                        {.left_side = true, .lower = true, .unit_diagonal = true});
  const Array z = lax::triangular_solve(w, matrix::scaled(y, products_of_others(d, true), last),
                                        {.left_side = true, .lower = false, .unit_diagonal = true});
  const Array before =
      lax::mul(products_of_others(d, false), matrix::along_leading(parity, d.shape()));
  return {lax::mul(parity, lax::reduce_prod(d, {last - 1})), matrix::scaled(z, before, last)};
}

// ---- derivatives of the adjugate. det(a + t e) is a polynomial in t. Its degree is at most the
// number k of nonzero columns of P e. So for any e, det(a) is the mean of det(a + t e) over the k +
// 1 roots of unity t. Its derivatives are the means of their derivatives. If e makes a + t e
// regular, all of these are derivatives of regular matrices.

// e = P^T L diag(c), and the number of nonzero c_i. c_i is nonzero only where the pivot u_i is at
// most its rounding error, or nearly underflows.
struct Shift {
  Array e, count;
};
Shift shift_of(const Array& a) {
  const lax::LU f = lax::lu(base::stop_gradient(a));
  const Array& packed = std::get<0>(f);
  const int last = a.ndim() - 1;
  const double n = static_cast<double>(a.shape()[last]);
  const bool wide = real_part(a.dtype()) == F64;
  const double eps = kit::epsilon(a.dtype()),
               tiny = (wide ? std::numeric_limits<double>::min()
                            : static_cast<double>(std::numeric_limits<float>::min())) /
                      eps;
  const Array one = base::ones(packed.type().strong());
  const Array on_diagonal = lax::eq(iota(I32, a.shape(), last - 1), iota(I32, a.shape(), last));
  const Array l = lax::select(on_diagonal, one, matrix::triangle(packed, true, true));
  const Array u = matrix::triangle(packed, false);
  // The sum of the sizes of the terms that make up each pivot, which is the diagonal of |L| |U|.
  const Array size =
      base::reduce_sum(lax::mul(lax::abs(l), lax::abs(matrix::transposed(u))), {last});
  const Array pivot = lax::abs(matrix::diagonal(packed));
  const auto all = [&](double v) {
    return fn::broadcast(fn::number_like(pivot, v), pivot.shape());
  };
  const Array largest = matrix::along_leading(lax::reduce_max(pivot, {last - 1}), pivot.shape());
  const Array lost = lax::le(pivot, lax::max(lax::mul(size, all(4 * n * eps)), all(tiny)));
  const Array by = lax::select(
      lax::gt(size, all(tiny)), size,
      lax::select(lax::gt(largest, all(tiny)), largest, base::ones(pivot.type().strong())));
  const Array c = lax::select(lost, by, base::zeros(pivot.type().strong()));
  const Array e = matrix::product(matrix::transposed(permuted_identity(f)),
                                  matrix::scaled(l, matrix::as_number(c, l.dtype()), last - 1));
  const Array each = lax::reduce_sum(base::convert(lost, I32), {last - 1});
  return {e, each.ndim() ? lax::reduce_max(each, axis_range(each.ndim())) : each};
}

// det(a), adj(a), and their tangents along b, for a regular matrix a.
Arrays regular_terms(const Array& a, const Array& b) {
  const lax::LU f = lax::lu(a);
  const Array whole = det_of(f);
  const Array inverse = lax::substituted(
      f,
      base::convert(lax::eq(iota(I32, a.shape(), a.ndim() - 2), iota(I32, a.shape(), a.ndim() - 1)),
                    a.dtype()));
  const auto times = [](const Array& number, const Array& m) {
    return lax::mul(matrix::along_leading(number, m.shape()), m);
  };
  const Array change = trace_of_product(inverse, b);
  const Array turned = matrix::product(matrix::product(inverse, b), inverse);
  return {whole, times(whole, inverse), lax::mul(whole, change),
          times(whole, lax::sub(times(change, inverse), turned))};
}

// The same for any matrix, as means over roots of unity. `x` holds a and b.
Arrays terms(const Arrays& x) {
  const Array &a = x[0], &b = x[1];
  const int64_t n = a.shape()[a.ndim() - 1];
  const bool is_real = !is_complex(a.dtype());
  const DType number = real_part(a.dtype()) == F64 ? C128 : C64, real = real_part(a.dtype());
  const auto wide = [&](const Array& v) { return base::convert(v, number); };
  const Shift shift = shift_of(a);
  const Type m(number, a.shape()), s(number, kit::batch_of(a));
  const Types sums = {s, m, s, m};
  const Arrays fixed = {wide(a), wide(b), wide(shift.e), shift.count};
  Types of_step = {Type(I32, {})};
  for (const Array& v : fixed) of_step.push_back(v.type().strong());
  for (const Type& t : sums) of_step.push_back(t);
  const ClosedJaxpr skip =
      record(of_step, [](const Arrays& v) { return Arrays(v.begin() + 5, v.end()); });
  const ClosedJaxpr add = record(of_step, [&](const Arrays& v) {
    const Array count = lax::add(base::convert(v[4], real), scalar_of(real, 1));
    const Array turns = lax::div(base::convert(v[0], real), count);
    const Array angle = lax::mul(turns, scalar_of(real, 2 * M_PI));
    const Array root = lax::complex(lax::cos(angle), lax::sin(angle));
    const Arrays here =
        regular_terms(base::add(v[1], lax::mul(matrix::all(root, v[3].shape()), v[3])), v[2]);
    Arrays out;
    for (size_t k = 0; k < here.size(); ++k) out.push_back(base::add(v[k + 5], here[k]));
    return out;
  });
  Types body_types = sums;
  body_types.push_back(Type(I32, {}));
  const ClosedJaxpr body = record(body_types, [&](const Arrays& c) {
    Arrays operands = {c[4]};
    operands.insert(operands.end(), fixed.begin(), fixed.end());
    operands.insert(operands.end(), c.begin(), c.begin() + 4);
    return cond_flat(base::convert(lax::le(c[4], fixed[3]), I32), {skip, add}, operands);
  });
  Arrays start;
  for (const Type& t : sums) start.push_back(base::zeros(t));
  Arrays out = scan_flat(body, start, {iota(I32, {n + 1}, 0)}, n + 1);
  const Array count = base::convert(lax::add(fixed[3], scalar_of_int(I32, 1)), number);
  for (Array& v : out) {
    v = lax::div(v, matrix::all(count, v.shape()));
    v = is_real ? lax::real(v) : v;
  }
  return out;
}

// The values are computed directly, without derivatives. The tangents are those of the means.
Arrays adjugate_rule(const Arrays& x) {
  Arrays out = terms(x);
  const Arrays values = det_and_adjugate(base::stop_gradient(x[0]));
  for (size_t k = 0; k < values.size(); ++k)
    out[k] = base::add(values[k], lax::sub(out[k], base::stop_gradient(out[k])));
  return out;
}

}  // namespace

Array det(const Arg& a) {
  const ApiNameScope s("det", a.at());
  const Array x = fn::inexact(a);
  kit::require_square("det", x);
  if (x.shape()[x.ndim() - 1] <= 3) return small_det(x);
  // A concrete matrix has no derivatives, and tracing their rules takes longer than computing the
  // value.
  if (concrete_or_null(x)) return det_of(lax::lu(x));
  const auto det_and_tangent = [](const Arrays& m) {
    const Arrays v = kit::with_rule(
        "adjugate", {m[0]}, [](const Arrays& y) { return det_and_adjugate(y[0]); },
        [](const Arrays& y) { return adjugate_rule(y); });
    return Arrays{v[0], trace_of_product(v[1], m[1])};
  };
  return kit::with_rule(
      "det", {x}, [](const Arrays& m) { return Arrays{det_of(lax::lu(m[0]))}; },
      det_and_tangent)[0];
}

}  // namespace weft::linalg
