// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/linalg/schur.cpp: Schur and Hessenberg forms, and functions that use triangular forms:
// square roots and Sylvester's equation.
#include "weft/lax/linalg/schur.h"

#include <fmt/format.h>

#include <limits>

#include "functions/kit.h"
#include "functions/linalg/kit.h"
#include "ops/control/control_flow.h"
#include "ops/control/custom_flat.h"
#include "ops/linear/matrix.h"
#include "ops/structure/structure.h"
#include "tracer/base_ops.h"
#include "weft/error.h"
#include "weft/lax/compare.h"
#include "weft/lax/convert.h"
#include "weft/lax/elementary.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/linalg/eig.h"
#include "weft/lax/linalg/qr.h"
#include "weft/lax/linalg/triangular_solve.h"
#include "weft/lax/reduce.h"
#include "weft/linalg.h"

namespace weft::linalg {
namespace {

using matrix::as_number, matrix::element, matrix::product, matrix::zeros_like;

Array adjoint(const Array& x) { return matrix::transposed(x, true); }
Array as_complex(const Array& x) {
  if (is_complex(x.dtype())) return x;
  return fn::as_dtype(x, real_part(x.dtype()) == F64 ? C128 : C64);
}
Array one_like(const Array& x) { return base::ones(x.type().strong()); }
Array row_numbers(const Array& x) { return iota(I32, x.shape(), x.ndim() - 2); }
Array column_numbers(const Array& x) { return iota(I32, x.shape(), x.ndim() - 1); }
Array wide(const Array& number, const Array& like) {
  return matrix::along_leading(number, like.shape());
}

// ---- a real Schur form made complex. Each block of two rows, from the last to the first, is
// rotated so that it becomes triangular.

// A rotation of rows p and q = p + 1. One row of its matrix is conj(c) and s, the other -s and c. c
// = 1 and s = 0 where there is no block.
struct Turn {
  Array c, s;
};
Turn turn_of(const Array& t, const Array& p, const Array& q) {
  const int last = t.ndim() - 1;
  const Array a = matrix::number(t, p, p), b = matrix::number(t, p, q);
  const Array below = matrix::number(t, q, p), d = matrix::number(t, q, q);
  const auto row = [&](const Array& x, const Array& y) {
    const int end = x.ndim();
    return base::concatenate({base::insert_axis(x, end, 1), base::insert_axis(y, end, 1)}, end);
  };
  const Array block = base::concatenate(
      {base::insert_axis(row(a, b), last - 1, 1), base::insert_axis(row(below, d), last - 1, 1)},
      last - 1);
  const Array values = std::get<0>(
      lax::eig(block, {.compute_left_eigenvectors = false, .compute_right_eigenvectors = false}));
  const Array first = squeeze_axes(base::slice_axis(values, last - 1, 0, 1), {last - 1});
  const Array mu = lax::sub(first, d), size = lax::abs(below);
  const Array least =
      lax::mul(lax::add(lax::abs(a), lax::abs(d)), fn::number_like(size, kit::epsilon(t.dtype())));
  const Array turns = lax::gt(size, least), one = base::ones(size.type().strong());
  const Array length = lax::sqrt(lax::add(matrix::squares(mu), matrix::squares(below)));
  const Array divisor = as_number(lax::select(turns, length, one), t.dtype());
  return {lax::select(turns, lax::div(mu, divisor), base::ones(mu.type().strong())),
          lax::select(turns, lax::div(below, divisor), zeros_like(below))};
}

// Columns p and q of x times the adjoint of the rotation, in the rows where `counts` is true.
Array columns_turned(const Array& x, const Array& p, const Array& q, const Turn& g,
                     const Array& counts) {
  const int last = x.ndim() - 1;
  const Array cp = element(x, p, last), cq = element(x, q, last);
  const Array c = wide(g.c, cp), s = wide(g.s, cp);
  const Array np = lax::add(lax::mul(cp, c), lax::mul(cq, matrix::conj(s)));
  const Array nq = lax::sub(lax::mul(cq, matrix::conj(c)), lax::mul(cp, s));
  return matrix::with_element(matrix::with_element(x, lax::select(counts, np, cp), p, last),
                              lax::select(counts, nq, cq), q, last);
}

// (t, z), q -> the rotated t and z, in which t is 0 at (q, q - 1).
Arrays without_block(const Array& t, const Array& z, const Array& q) {
  const int last = t.ndim() - 1;
  const Array p = lax::sub(q, one_like(q));
  const Turn g = turn_of(t, p, q);
  const Array rp = element(t, p, last - 1), rq = element(t, q, last - 1);
  const Array place = iota(I32, rp.shape(), last - 1);
  const Array right = lax::ge(place, matrix::all(p, place.shape()));
  const Array c = wide(g.c, rp), s = wide(g.s, rp);
  const Array np = lax::add(lax::mul(matrix::conj(c), rp), lax::mul(s, rq));
  const Array nq = lax::sub(lax::mul(c, rq), lax::mul(s, rp));
  const Array rows =
      matrix::with_element(matrix::with_element(t, lax::select(right, np, rp), p, last - 1),
                           lax::select(right, nq, rq), q, last - 1);
  const Array above = lax::le(place, matrix::all(q, place.shape()));
  const Array form = columns_turned(rows, p, q, g, above);
  const Array corner =
      lax::bitwise_and(lax::eq(row_numbers(form), matrix::all(q, form.shape())),
                       lax::eq(column_numbers(form), matrix::all(p, form.shape())));
  return {lax::select(corner, zeros_like(form), form),
          columns_turned(z, p, q, g, lax::eq(place, place))};
}

// ---- square roots of a triangular matrix, column by column, each from the diagonal up (A. Bjorck
// and S. Hammarling, "A Schur method for the square root of a matrix", Linear Algebra Appl. 52/53
// (1983)).

// Column j of the root, computed from the columns before it, the diagonal d of the root, and t.
Array root_column(const Array& t, const Array& root, const Array& d, const Array& j) {
  const int last = t.ndim() - 1;
  const Array goal = element(t, j, last), own = element(d, j, last - 1);
  const Array place = iota(I32, d.shape(), last - 1);
  const Array start = lax::select(lax::eq(place, matrix::all(j, place.shape())), d, zeros_like(d));
  const ClosedJaxpr body = record({start.type(), Type(I32, {})}, [&](const Arrays& c) {
    const Array &x = c[0], &i = c[1];
    const Array sum = base::reduce_sum(lax::mul(element(root, i, last - 1), x), {last - 1});
    const Array left = lax::sub(element(goal, i, last - 1), sum);
    const Array none = lax::eq(left, zeros_like(left));
    const Array divisor = lax::add(element(d, i, last - 1), own);
    const Array value = lax::select(
        none, left, lax::div(left, lax::select(none, base::ones(left.type()), divisor)));
    const Array here = lax::bitwise_and(lax::eq(place, matrix::all(i, place.shape())),
                                        lax::lt(place, matrix::all(j, place.shape())));
    return Arrays{lax::select(here, wide(value, x), x)};
  });
  const int64_t n = t.shape()[last];
  return scan_flat(body, {start}, {iota(I32, {n}, 0)}, n, true)[0];
}

Array triangular_root(const Array& t) {
  const int last = t.ndim() - 1;
  const int64_t n = t.shape()[last];
  const Array d = lax::sqrt(matrix::diagonal(t));
  const Array on_diagonal = lax::eq(row_numbers(t), column_numbers(t));
  const Array start = lax::select(on_diagonal, matrix::along(d, t.shape(), last), zeros_like(t));
  const ClosedJaxpr body = record({start.type(), Type(I32, {})}, [&](const Arrays& c) {
    const Array column = root_column(t, c[0], d, c[1]);
    return Arrays{matrix::with_element(c[0], column, c[1], last)};
  });
  return scan_flat(body, {start}, {iota(I32, {n}, 0)}, n)[0];
}

// ---- Sylvester's equation

// Solves r y + y s = f for y column by column, where r and s are upper triangular.
Array triangular_sylvester(const Array& r, const Array& s, const Array& f) {
  const int last = f.ndim() - 1;
  const int64_t n = f.shape()[last];
  const Array on_diagonal = lax::eq(row_numbers(r), column_numbers(r));
  const ClosedJaxpr body = record({f.type(), Type(I32, {})}, [&](const Arrays& c) {
    const Array &y = c[0], &k = c[1], column = element(s, k, last);
    // Columns k and later of y are still zero.
    const Array known = product(y, base::insert_axis(column, last, 1));
    const Array right = lax::sub(base::insert_axis(element(f, k, last), last, 1), known);
    const Array own = wide(element(column, k, last - 1), r);
    const Array shifted = lax::select(on_diagonal, lax::add(r, own), r);
    const Array x = lax::triangular_solve(shifted, right, {.left_side = true, .lower = false});
    return Arrays{matrix::with_element(y, squeeze_axes(x, {last}), k, last)};
  });
  return scan_flat(body, {zeros_like(f)}, {iota(I32, {n}, 0)}, n)[0];
}

// Replaces x by NaN where an eigenvalue v of a and an eigenvalue w of b add up to less than tol.
Array where_regular(const Array& x, const Array& v, const Array& w, double tol) {
  const int last = x.ndim() - 1;
  const Array size =
      lax::abs(lax::add(matrix::along_leading(v, x.shape()), matrix::along(w, x.shape(), last)));
  const Array singular = lax::reduce_or(
      lax::lt(size, matrix::all(fn::number_like(size, tol), size.shape())), {last - 1, last});
  const Array nan = fn::number_like(x, std::numeric_limits<double>::quiet_NaN());
  return lax::select(wide(singular, x), matrix::all(nan, x.shape()), x);
}

Array sylvester(const Arrays& x, const SylvesterOptions& o) {
  const Array &a = x[0], &b = x[1], c = as_complex(x[2]);
  Array found;
  if (o.method == "eigen") {
    const auto [w, left, v] = lax::eig(a, {.compute_left_eigenvectors = false});
    const auto [w2, left2, v2] = lax::eig(b, {.compute_left_eigenvectors = false});
    const Array f = solve(v, product(c, v2));
    const Array sums =
        lax::add(matrix::along_leading(w, f.shape()), matrix::along(w2, f.shape(), f.ndim() - 1));
    // Computes y v2^-1 from its transpose: v2^T x^T = y^T.
    const Array y = product(v, lax::div(f, sums));
    const Array whole = matrix::transposed(solve(matrix::transposed(v2), matrix::transposed(y)));
    found = where_regular(whole, w, w2, o.tol);
  } else {
    const auto [t, z] = lax::schur(as_complex(a));
    const auto [t2, z2] = lax::schur(as_complex(b));
    const Array f = product(adjoint(z), product(c, z2));
    const Array y = triangular_sylvester(t, t2, f);
    found = where_regular(product(z, product(y, adjoint(z2))), matrix::diagonal(t),
                          matrix::diagonal(t2), o.tol);
  }
  return is_complex(x[2].dtype()) ? found : lax::real(found);
}

// The derivative follows from the linear equation. Reverse mode uses the transposed matrices.
Array sylvester_solution(const Array& a, const Array& b, const Array& c,
                         const SylvesterOptions& o) {
  const Types types = {c.type().strong()};
  const Array at = matrix::transposed(a), bt = matrix::transposed(b);
  const auto sum = [](const Array& l, const Array& x, const Array& r) {
    return Arrays{base::add(product(l, x), product(x, r))};
  };
  const ClosedJaxpr matvec = record(types, [&](const Arrays& x) { return sum(a, x[0], b); }),
                    vecmat = record(types, [&](const Arrays& x) { return sum(at, x[0], bt); }),
                    solved = record(
                        types, [&](const Arrays& y) { return Arrays{sylvester({a, b, y[0]}, o)}; }),
                    transposed = record(types, [&](const Arrays& y) {
                      return Arrays{sylvester({at, bt, y[0]}, o)};
                    });
  return linear_solve_flat({solved, matvec, &transposed, &vecmat},
                           {base::convert(c, c.dtype())})[0];
}

}  // namespace

Schur schur(const Arg& a, const SchurOptions& o) {
  const ApiNameScope s("schur", a.at());
  const Array x = fn::inexact(a);
  kit::require_square("schur", x);
  if (o.output != "real" && o.output != "complex")
    throw Error(fmt::format("schur: output is \"real\" or \"complex\", got \"{}\"", o.output));
  return lax::schur(o.output == "complex" ? as_complex(x) : x);
}

Schur rsf2csf(const Arg& t, const Arg& z) {
  const ApiNameScope s("rsf2csf", t.at());
  const Arrays both = fn::same_dtype({fn::inexact(t), fn::inexact(z)});
  kit::require_square("rsf2csf", both[0]);
  if (both[0].shape() != both[1].shape())
    fn::fail_shape(fmt::format("rsf2csf: both matrices must have one shape, got {} and {}",
                               to_string(both[0].type()), to_string(both[1].type())));
  const Array first = as_complex(both[0]), vectors = as_complex(both[1]);
  const int64_t n = first.shape()[first.ndim() - 1];
  if (n < 2) return {first, vectors};
  const ClosedJaxpr body = record(
      {first.type(), vectors.type(), Type(I32, {})},
      [](const Arrays& c) { return without_block(c[0], c[1], lax::add(c[2], one_like(c[2]))); });
  const Arrays r = scan_flat(body, {first, vectors}, {iota(I32, {n - 1}, 0)}, n - 1, true);
  return {r[0], r[1]};
}

Hessenberg hessenberg(const Arg& a, const HessenbergOptions& o) {
  const ApiNameScope s("hessenberg", a.at());
  const Array x = fn::inexact(a);
  kit::require_square("hessenberg", x);
  const int last = x.ndim() - 1;
  const int64_t n = x.shape()[last];
  const auto [packed, taus] = lax::hessenberg(x);
  const Array i = row_numbers(x), j = column_numbers(x);
  const Array h = lax::select(lax::le(i, lax::add(j, one_like(j))), packed, zeros_like(packed));
  if (!o.calc_q) return {h, {}};
  if (n == 0) return {h, h};
  const Array below = base::slice_axis(base::slice_axis(packed, last - 1, 1, n), last, 0, n - 1);
  const Array q = lax::householder_product(below, taus);
  std::vector<int64_t> front(static_cast<size_t>(x.ndim()), 0), none = front;
  front[front.size() - 1] = front[front.size() - 2] = 1;
  const Array corner = lax::eq(lax::add(i, j), zeros_like(i));
  return {h, lax::select(corner, base::ones(x.type().strong()),
                         pad_with(q, fn::number_like(q, 0), front, none, none))};
}

Array sqrtm(const Arg& a) {
  const ApiNameScope s("sqrtm", a.at());
  const Array x = as_complex(fn::inexact(a));
  kit::require_square("sqrtm", x);
  if (x.type().elements() == 0) return x;
  const auto [t, z] = lax::schur(x);
  return product(z, product(triangular_root(t), adjoint(z)));
}

Array solve_sylvester(const Arg& a, const Arg& b, const Arg& c, const SylvesterOptions& o) {
  const ApiNameScope s("solve_sylvester", a.at());
  if (o.method != "schur" && o.method != "eigen")
    throw Error(
        fmt::format("solve_sylvester: method is \"schur\" or \"eigen\", got \"{}\"", o.method));
  Arrays x = fn::same_dtype({fn::inexact(a), fn::inexact(b), fn::inexact(c)});
  for (int k = 0; k < 3; ++k) kit::require_matrices("solve_sylvester", x[static_cast<size_t>(k)]);
  const auto size = [&](size_t k, int from_end) { return x[k].shape()[x[k].ndim() - from_end]; };
  const int64_t m = size(2, 2), n = size(2, 1);
  if (size(0, 2) != m || size(0, 1) != m || size(1, 2) != n || size(1, 1) != n)
    fn::fail_shape(fmt::format("solve_sylvester: {} and {} are not square matrices that fit {}",
                               to_string(x[0].type()), to_string(x[1].type()),
                               to_string(x[2].type())));
  const Shape batch = broadcast_shapes(broadcast_shapes(kit::batch_of(x[0]), kit::batch_of(x[1])),
                                       kit::batch_of(x[2]));
  for (Array& each : x) each = kit::with_batch(each, batch, 2);
  if (x[2].type().elements() == 0) return x[2];
  return sylvester_solution(x[0], x[1], x[2], o);
}

}  // namespace weft::linalg
