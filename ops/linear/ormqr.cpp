// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/ormqr.cpp: ormqr: products with Q, without forming Q.
#include <algorithm>

#include "ops/kit/kit.h"
#include "ops/linear/matrix.h"
#include "tracer/base_ops.h"
#include "weft/error.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/linalg/qr.h"
#include "weft/lax/linalg/triangular_solve.h"

namespace weft::lax {

// Q is E - V D (1 + S D)^-1 V^H. D has the taus on its diagonal, and S is the part of V^H V above
// the diagonal.
Array ormqr(const Arg& a, const Arg& taus, const Arg& c, const OrmqrOptions& o) {
  const SourceScope s(a.at());
  const Types in = {a->type(), taus->type(), c->type()};
  matrix::require_matrices("ormqr", in);
  if (in[1].dtype() != in[0].dtype() || in[2].dtype() != in[0].dtype())
    reject_dtype("ormqr", "requires arguments to have the same dtypes", in);
  const int last = in[0].ndim() - 1;
  const Shape lead = in[0].shape().erased(last).erased(last - 1);
  const auto fits = [&](const Type& t, int kept) {
    Shape front = t.shape();
    for (int k = 0; k < kept; ++k) front = front.erased(front.ndim() - 1);
    return front == lead;
  };
  if (in[1].ndim() != last || in[2].ndim() != last + 1 || !fits(in[1], 1) || !fits(in[2], 2))
    reject_shape("ormqr", "takes matrices of reflections, taus and matrices with equal batch axes",
                 in);
  const int64_t m = in[0].shape()[last - 1], k = in[1].shape()[last - 1];
  if (in[2].shape()[o.left ? last - 1 : last] != m || k > std::min(m, in[0].shape()[last]))
    reject_shape("ormqr",
                 "takes a matrix that fits the rows of the reflections, and no more taus than "
                 "those have columns",
                 in);
  const Array some = base::slice_axis(a, last, 0, k);
  const Array v =
      base::add(matrix::triangle(some, true, true), matrix::identity(some.type().strong()));
  const Array vh = matrix::transposed(v, true);
  const Array inner = matrix::triangle(matrix::product(vh, v), false, true);
  const Array scaled = mul(inner, matrix::along(taus, inner.shape(), last));
  const TriangularSolve how{.left_side = o.left,
                            .transpose_a = o.transpose,
                            .conjugate_a = o.transpose,
                            .unit_diagonal = true};
  const Array factors = o.transpose ? matrix::conj(taus) : Array(taus);
  const auto times_taus = [&](const Array& x, int axis) {
    return mul(x, matrix::along(factors, x.shape(), axis));
  };
  // In Q, D is before the inverse; in Q^H it is after it.
  if (o.left) {
    Array x = matrix::product(vh, c);
    x = o.transpose ? triangular_solve(scaled, times_taus(x, last - 1), how)
                    : times_taus(triangular_solve(scaled, x, how), last - 1);
    return sub(c, matrix::product(v, x));
  }
  Array x = matrix::product(c, v);
  x = o.transpose ? times_taus(triangular_solve(scaled, x, how), last)
                  : triangular_solve(scaled, times_taus(x, last), how);
  return sub(c, matrix::product(x, vh));
}

}  // namespace weft::lax
