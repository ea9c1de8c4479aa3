// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/linalg.cpp: promotion and broadcasting around the ops of matrices.
#include "weft/functions/linalg.h"

#include <fmt/format.h>

#include "weft/core/error.h"
#include "weft/functions/kit.h"
#include "weft/ops/linear/cholesky.h"
#include "weft/ops/linear/matrix.h"
#include "weft/ops/linear/triangular_solve.h"
#include "weft/tracer/base_ops.h"

namespace weft::linalg {
namespace {

void require_square(const char* name, const Array& a) {
  const int n = a.ndim();
  if (n < 2 || a.shape()[n - 1] != a.shape()[n - 2])
    fn::fail_shape(
        fmt::format("{}: argument 0 must be square matrices along its last two axes, "
                    "got {}",
                    name, to_string(a.type())));
}

// x with these axes in front of its last `kept`.
Array with_batch(const Array& x, const Shape& batch, int kept) {
  std::vector<int64_t> sizes = batch.sizes();
  for (int a = x.ndim() - kept; a < x.ndim(); ++a) sizes.push_back(x.shape()[a]);
  return fn::broadcast(x, Shape(sizes));
}
Shape batch_of(const Array& x) {
  const std::vector<int64_t> all = x.shape().sizes();
  return Shape(std::vector<int64_t>(all.begin(), all.end() - 2));
}

}  // namespace

Array cholesky(const Arg& a, const CholeskyOptions& o) {
  const Source s(a.at());
  const Array x = fn::inexact(a);
  require_square("cholesky", x);
  const Array l = lax::cholesky(x, o.symmetrize_input);
  return o.upper ? matrix::transposed(l, true) : l;
}

Array solve_triangular(const Arg& a, const Arg& b, const SolveTriangularOptions& o) {
  const Source s(a.at());
  const Arrays both = fn::same_dtype({fn::inexact(a), fn::inexact(b)});
  const Array& x = both[0];
  require_square("solve_triangular", x);
  const bool vectors = both[1].ndim() == 1;
  if (both[1].ndim() == 0) fn::fail_shape("solve_triangular: argument 1 must have an axis");
  const Array y = vectors ? base::insert_axis(both[1], 1, 1) : both[1];
  if (y.shape()[y.ndim() - 2] != x.shape()[x.ndim() - 1])
    fn::fail_shape(fmt::format("solve_triangular: {} does not fit {} rows of {}",
                               to_string(x.type()), y.shape()[y.ndim() - 2],
                               to_string(both[1].type())));
  const Shape batch = broadcast_shapes(batch_of(x), batch_of(y));
  const Array out = lax::triangular_solve(with_batch(x, batch, 2), with_batch(y, batch, 2),
                                          {.left_side = true,
                                           .lower = o.lower,
                                           .transpose_a = o.trans != Trans::none,
                                           .conjugate_a = o.trans == Trans::conjugate_transpose,
                                           .unit_diagonal = o.unit_diagonal});
  if (!vectors) return out;
  std::vector<int64_t> sizes = out.shape().sizes();
  sizes.pop_back();
  return base::reshape(out, Shape(sizes));
}

}  // namespace weft::linalg
