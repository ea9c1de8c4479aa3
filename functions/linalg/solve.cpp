// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/linalg/solve.cpp: systems, inverses and determinants. Their derivatives use the factors
// that the values were found with.
#include <fmt/format.h>

#include "weft/functions/kit.h"
#include "weft/functions/linalg/kit.h"
#include "weft/functions/linalg/linalg.h"
#include "weft/ops/elementwise/compare.h"
#include "weft/ops/elementwise/convert.h"
#include "weft/ops/elementwise/elementary.h"
#include "weft/ops/elementwise/elementwise.h"
#include "weft/ops/index/index.h"
#include "weft/ops/linear/lu.h"
#include "weft/ops/linear/matrix.h"
#include "weft/ops/linear/triangular_solve.h"
#include "weft/ops/reduce/cumulative.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/structure/structure.h"
#include "weft/tracer/base_ops.h"

namespace weft::linalg {
namespace {

// a x = b gives a x' = b' - a' x.
Array solved(const Array& a, const Array& b) {
  return kit::with_rule(
      "solve", {a, b},
      [](const Arrays& x) { return Arrays{lax::substituted(lax::lu(x[0]), x[1])}; },
      [](const Arrays& x) {
        const lax::LU f = lax::lu(x[0]);
        const Array y = lax::substituted(f, x[1]);
        return Arrays{y, lax::substituted(f, lax::sub(x[3], matrix::product(x[2], y)))};
      })[0];
}

// 1, or -1 where an odd number of rows changed places.
Array parity(const lax::LU& f) {
  const auto& [packed, pivots, permutation] = f;
  const int last = pivots.ndim() - 1;
  const Array moved = lax::ne(pivots, iota(I32, pivots.shape(), last));
  const Array odd = lax::reduce_xor(moved, {last});
  const Array one = base::ones(Type(packed.dtype(), odd.shape()));
  return lax::select(odd, lax::neg(one), one);
}

Array traced(const Array& x) { return base::reduce_sum(matrix::diagonal(x), {x.ndim() - 2}); }

// The sign of a real NaN counts as 1.
Array sign_of(const Array& x) {
  if (is_complex(x.dtype())) return lax::sign(x);
  const Array zero = base::zeros(x.type().strong()), one = base::ones(x.type().strong());
  return lax::select(lax::lt(x, zero), lax::neg(one), lax::select(lax::eq(x, zero), zero, one));
}

Arrays sign_and_log(const lax::LU& f) {
  const Array d = matrix::diagonal(std::get<0>(f));
  const int last = d.ndim() - 1;
  const Array sign = lax::mul(parity(f), lax::reduce_prod(sign_of(d), {last}));
  return {sign, base::reduce_sum(lax::log(lax::abs(d)), {last})};
}
// The logarithm's derivative is tr(a^-1 a'); the sign of complex numbers turns by what is imaginary
// of that.
Arrays slogdet_rule(const Arrays& x) {
  const lax::LU f = lax::lu(x[0]);
  const Arrays out = sign_and_log(f);
  const Array change = traced(lax::substituted(f, x[1]));
  const Array turn =
      is_complex(change.dtype())
          ? lax::mul(out[0],
                     lax::sub(change, lax::complex(lax::real(change), base::zeros(out[1].type()))))
          : base::zeros(out[0].type());
  return {out[0], out[1], turn, matrix::real_part_of(change)};
}

// The determinant, and tr(adj(a) b). Only the last pivot of a matrix of full rank but one is 0: the
// others divide, and the product of the others stands for the quotient by the last.
Arrays det_and_cofactors(const Array& a, const Array& b) {
  const lax::LU f = lax::lu(a);
  const auto& [packed, pivots, permutation] = f;
  const int last = a.ndim() - 1;
  const int64_t n = a.shape()[last];
  const Array d = matrix::diagonal(packed);
  const Array products =
      lax::mul(lax::cumprod(d, last - 1), matrix::along_leading(parity(f), d.shape()));
  const Array whole = base::slice_axis(products, last - 1, n - 1, n);
  const Array before = base::slice_axis(products, last - 1, n - 2, n - 1);
  const Array i = iota(I32, a.shape(), last - 1), j = iota(I32, a.shape(), last);
  const Array end = matrix::all(Array(static_cast<int32_t>(n - 1)), a.shape());
  const auto wide = [&](const Array& v, const Shape& shape) {
    const Array flat = squeeze_axes(v, {last - 1});
    return matrix::along_leading(flat, shape);
  };
  const Array corner = lax::bitwise_and(lax::eq(i, end), lax::eq(j, end));
  const Array u =
      lax::select(corner, lax::div(base::ones(a.type().strong()), wide(before, a.shape())), packed);
  const Array rows = gather_along(b, matrix::along_leading(permutation, b.shape()), last - 1);
  const Array y = lax::triangular_solve(packed, rows,
                                        {.left_side = true, .lower = true, .unit_diagonal = true});
  const Array scaled = lax::select(lax::eq(i, end), y, lax::mul(y, wide(whole, y.shape())));
  const Array x = lax::triangular_solve(u, scaled, {.left_side = true, .lower = false});
  return {squeeze_axes(whole, {last - 1}), traced(x)};
}

Array element(const Array& a, int64_t i, int64_t j) {
  const int last = a.ndim() - 1;
  return squeeze_axes(base::slice_axis(base::slice_axis(a, last - 1, i, i + 1), last, j, j + 1),
                      {last - 1, last});
}
Array small_det(const Array& a) {
  const int64_t n = a.shape()[a.ndim() - 1];
  if (n == 0) return base::ones(Type(a.dtype(), kit::batch_of(a)));
  if (n == 1) return element(a, 0, 0);
  const auto minor = [&](int64_t i, int64_t j, int64_t k, int64_t l) {
    return lax::sub(lax::mul(element(a, i, k), element(a, j, l)),
                    lax::mul(element(a, i, l), element(a, j, k)));
  };
  if (n == 2) return minor(0, 1, 0, 1);
  return base::add(lax::sub(lax::mul(element(a, 0, 0), minor(1, 2, 1, 2)),
                            lax::mul(element(a, 0, 1), minor(1, 2, 0, 2))),
                   lax::mul(element(a, 0, 2), minor(1, 2, 0, 1)));
}

}  // namespace

Array solve(const Arg& a, const Arg& b) {
  const Calling s("solve", a.at());
  const kit::System y = kit::system("solve", a, b);
  return y.result(solved(y.a, y.b));
}

Array inv(const Arg& a) {
  const Calling s("inv", a.at());
  const Array x = fn::inexact(a);
  kit::require_square("inv", x);
  const int last = x.ndim() - 1;
  const Array one = lax::eq(iota(I32, x.shape(), last - 1), iota(I32, x.shape(), last));
  return solved(x, base::convert(one, x.dtype()));
}

Array det(const Arg& a) {
  const Calling s("det", a.at());
  const Array x = fn::inexact(a);
  kit::require_square("det", x);
  if (x.shape()[x.ndim() - 1] <= 3) return small_det(x);
  return kit::with_rule(
      "det", {x},
      [](const Arrays& m) {
        const lax::LU f = lax::lu(m[0]);
        const Array d = matrix::diagonal(std::get<0>(f));
        return Arrays{lax::mul(parity(f), lax::reduce_prod(d, {d.ndim() - 1}))};
      },
      [](const Arrays& m) { return det_and_cofactors(m[0], m[1]); })[0];
}

SlogDet slogdet(const Arg& a) {
  const Calling s("slogdet", a.at());
  const Array x = fn::inexact(a);
  kit::require_square("slogdet", x);
  Arrays r = kit::with_rule(
      "slogdet", {x}, [](const Arrays& m) { return sign_and_log(lax::lu(m[0])); },
      [](const Arrays& m) { return slogdet_rule(m); });
  return {std::move(r[0]), std::move(r[1])};
}

}  // namespace weft::linalg
