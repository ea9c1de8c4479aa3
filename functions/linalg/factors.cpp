// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/linalg/factors.cpp: factorizations of matrices and the systems they solve: promotion
// and broadcasting around the ops.
#include <fmt/format.h>

#include <limits>

#include "functions/kit.h"
#include "functions/linalg/kit.h"
#include "ops/control/custom_flat.h"
#include "ops/index/index.h"
#include "ops/linear/matrix.h"
#include "ops/structure/structure.h"
#include "tracer/base_ops.h"
#include "weft/error.h"
#include "weft/lax.h"
#include "weft/lax/compare.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/linalg/cholesky.h"
#include "weft/lax/linalg/eig.h"
#include "weft/lax/linalg/eigh.h"
#include "weft/lax/linalg/lu.h"
#include "weft/lax/linalg/qr.h"
#include "weft/lax/linalg/svd.h"
#include "weft/lax/linalg/triangular_solve.h"
#include "weft/linalg.h"

namespace weft::linalg {
namespace kit {

void require_matrices(const char* name, const Array& a) {
  if (a.ndim() < 2)
    fn::fail_shape(fmt::format("{}: argument 0 must be matrices along its last two axes, got {}",
                               name, to_string(a.type())));
}
void require_square(const char* name, const Array& a) {
  const int n = a.ndim();
  if (n < 2 || a.shape()[n - 1] != a.shape()[n - 2])
    fn::fail_shape(
        fmt::format("{}: argument 0 must be square matrices along its last two axes, "
                    "got {}",
                    name, to_string(a.type())));
}

Array with_batch(const Array& x, const Shape& batch, int kept) {
  std::vector<int64_t> sizes = batch.sizes();
  for (int a = x.ndim() - kept; a < x.ndim(); ++a) sizes.push_back(x.shape()[a]);
  return fn::broadcast(x, Shape(sizes));
}
Shape batch_of(const Array& x) {
  const std::vector<int64_t> all = x.shape().sizes();
  return Shape(std::vector<int64_t>(all.begin(), all.end() - 2));
}

System system(const char* name, const Array& a, const Array& b) {
  const Arrays both = fn::same_dtype({fn::inexact(a), fn::inexact(b)});
  System s;
  require_square(name, both[0]);
  s.vector = both[1].ndim() == 1;
  if (both[1].ndim() == 0) fn::fail_shape(fmt::format("{}: argument 1 must have an axis", name));
  const Array y = s.vector ? base::insert_axis(both[1], 1, 1) : both[1];
  if (y.shape()[y.ndim() - 2] != both[0].shape()[both[0].ndim() - 1])
    fn::fail_shape(fmt::format("{}: {} does not fit {} rows of {}", name, to_string(both[0].type()),
                               y.shape()[y.ndim() - 2], to_string(both[1].type())));
  const Shape batch = broadcast_shapes(batch_of(both[0]), batch_of(y));
  s.a = with_batch(both[0], batch, 2);
  s.b = with_batch(y, batch, 2);
  return s;
}
Array System::result(const Array& x) const {
  if (!vector) return x;
  std::vector<int64_t> sizes = x.shape().sizes();
  sizes.pop_back();
  return base::reshape(x, Shape(sizes));
}

Arrays with_rule(const char* name, const Arrays& x, Flat f, Flat rule) {
  Types types, both;
  for (const Array& a : x) types.push_back(a.type());
  both = types;
  for (const Array& a : x) both.push_back(a.type().strong());
  return custom_jvp_flat(record(types, f), record(both, rule), x, name);
}

double epsilon(DType d) {
  return real_part(d) == F64   ? std::numeric_limits<double>::epsilon()
         : real_part(d) == F32 ? std::numeric_limits<float>::epsilon()
         : d == F16            ? 0x1p-10
                               : 0x1p-7;
}

// Equal absolute values are ordered as their eigenvalues, the last one first.
lax::SVD hermitian_values(const Array& a) {
  const auto [vectors, w] = lax::eigh(a);
  const int last = w.ndim() - 1;
  const Arrays sorted = lax::sort({lax::abs(w), iota(I32, w.shape(), last)}, last, 1);
  const Array order = base::flip(sorted[1], last);
  const Array sign = gather_along(lax::sign(w), order, last);
  const Array u = gather_along(vectors, matrix::along(order, a.shape(), last + 1), last + 1);
  const Array v = matrix::scaled(u, matrix::as_number(sign, u.dtype()), last);
  return {u, base::flip(sorted[0], last), matrix::transposed(v, true)};
}

Array tolerances(const char* name, const Array& rtol, DType real, const Shape& batch) {
  fn::need_fit(name, ".rtol", rtol, batch);
  if (is_complex(rtol.dtype()))
    fn::fail_dtype(fmt::format("{}: rtol is real, got {}", name, to_string(rtol.type())));
  return fn::broadcast(fn::as_dtype(base::stop_gradient(rtol), real), batch);
}

}  // namespace kit

Array cholesky(const Arg& a, const CholeskyOptions& o) {
  const ApiNameScope s("cholesky", a.at());
  const Array x = fn::inexact(a);
  kit::require_square("cholesky", x);
  const Array l = lax::cholesky(x, o.symmetrize_input);
  return o.upper ? matrix::transposed(l, true) : l;
}

namespace {
// Solves op(a) x = b, reading only one triangle of a.
Array solved(const Array& a, const Array& b, bool lower, Trans trans, bool unit_diagonal = false) {
  return lax::triangular_solve(a, b,
                               {.left_side = true,
                                .lower = lower,
                                .transpose_a = trans != Trans::none,
                                .conjugate_a = trans == Trans::conjugate_transpose,
                                .unit_diagonal = unit_diagonal});
}
}  // namespace

Array solve_triangular(const Arg& a, const Arg& b, const SolveTriangularOptions& o) {
  const ApiNameScope s("solve_triangular", a.at());
  const kit::System y = kit::system("solve_triangular", a, b);
  return y.result(solved(y.a, y.b, o.lower, o.trans, o.unit_diagonal));
}

Array cho_factor(const Arg& a, const ChoSolveOptions& o) {
  const ApiNameScope s("cho_factor", a.at());
  const Array x = fn::inexact(a);
  kit::require_square("cho_factor", x);
  const Array l = lax::cholesky(o.lower ? x : matrix::transposed(x, true), false);
  return o.lower ? l : matrix::transposed(l, true);
}

Array cho_solve(const Arg& c, const Arg& b, const ChoSolveOptions& o) {
  const ApiNameScope s("cho_solve", c.at());
  const kit::System y = kit::system("cho_solve", c, b);
  constexpr Trans plain = Trans::none, turned = Trans::conjugate_transpose;
  const Array half = solved(y.a, y.b, o.lower, o.lower ? plain : turned);
  return y.result(solved(y.a, half, o.lower, o.lower ? turned : plain));
}

LU lu(const Arg& a) {
  const ApiNameScope s("lu", a.at());
  const Array x = fn::inexact(a);
  kit::require_matrices("lu", x);
  const auto [packed, pivots, permutation] = lax::lu(x);
  const int last = x.ndim() - 1;
  const int64_t k = std::min(x.shape()[last], x.shape()[last - 1]);
  const Array low = matrix::triangle(base::slice_axis(packed, last, 0, k), true, true);
  const Array on_diagonal = lax::eq(iota(I32, low.shape(), last - 1), iota(I32, low.shape(), last));
  const Shape square = permutation.shape().inserted(last, permutation.shape()[last - 1]);
  // Column j of p has its one in row permutation[j].
  const Array p =
      lax::eq(iota(I32, square, last - 1), matrix::without(permutation, square, last - 1));
  return {base::convert(p, real_part(x.dtype())),
          lax::select(on_diagonal, base::ones(low.type().strong()), low),
          matrix::triangle(base::slice_axis(packed, last - 1, 0, k), false)};
}

LUFactor lu_factor(const Arg& a) {
  const ApiNameScope s("lu_factor", a.at());
  const Array x = fn::inexact(a);
  kit::require_square("lu_factor", x);
  auto [packed, pivots, permutation] = lax::lu(x);
  return {std::move(packed), std::move(pivots)};
}

Array lu_solve(const LUFactor& factor, const Arg& b, const LUSolveOptions& o) {
  const ApiNameScope s("lu_solve", b.at());
  const kit::System y = kit::system("lu_solve", factor.first, b);
  const int last = y.b.ndim() - 1;
  const Array order = lax::lu_pivots_to_permutation(
      fn::broadcast(factor.second, y.a.shape().erased(last)), y.a.shape()[last]);
  if (o.trans == Trans::none) {
    const Array rows = gather_along(y.b, matrix::along_leading(order, y.b.shape()), last - 1);
    return y.result(solved(y.a, solved(y.a, rows, true, Trans::none, true), false, Trans::none));
  }
  const Array x = solved(y.a, solved(y.a, y.b, false, o.trans), true, o.trans, true);
  // Row i of x moves to row order[i]; `from` is the inverse permutation of `order`.
  const Shape square = order.shape().inserted(last, order.shape()[last - 1]);
  const Array there = lax::eq(matrix::along_leading(order, square), iota(I32, square, last));
  const Array number = iota(I32, square, last - 1);
  const Array from =
      base::reduce_sum(lax::select(there, number, base::zeros(number.type())), {last - 1});
  return y.result(gather_along(x, matrix::along_leading(from, x.shape()), last - 1));
}

QR qr(const Arg& a, const QROptions& o) {
  const ApiNameScope s("qr", a.at());
  const Array x = fn::inexact(a);
  kit::require_matrices("qr", x);
  if (o.mode != "reduced" && o.mode != "complete")
    throw Error(fmt::format("qr: mode is \"reduced\" or \"complete\", got \"{}\"", o.mode));
  return lax::qr(x, {.full_matrices = o.mode == "complete"});
}

Eigh eigh(const Arg& a, const EighOptions& o) {
  const ApiNameScope s("eigh", a.at());
  const Array x = fn::inexact(a);
  kit::require_square("eigh", x);
  auto [v, w] = lax::eigh(x, {.lower = !o.upper, .symmetrize_input = o.symmetrize_input});
  return {std::move(w), std::move(v)};
}

Array eigvalsh(const Arg& a, const EighOptions& o) {
  const ApiNameScope s("eigvalsh", a.at());
  const Array x = fn::inexact(a);
  kit::require_square("eigvalsh", x);
  return lax::eigh(x, {.lower = !o.upper, .symmetrize_input = o.symmetrize_input}).second;
}

Eig eig(const Arg& a) {
  const ApiNameScope s("eig", a.at());
  const Array x = fn::inexact(a);
  kit::require_square("eig", x);
  auto [w, left, right] = lax::eig(x, {.compute_left_eigenvectors = false});
  return {std::move(w), std::move(right)};
}

Array eigvals(const Arg& a) {
  const ApiNameScope s("eigvals", a.at());
  const Array x = fn::inexact(a);
  kit::require_square("eigvals", x);
  return std::get<0>(
      lax::eig(x, {.compute_left_eigenvectors = false, .compute_right_eigenvectors = false}));
}

SVD svd(const Arg& a, const SVDOptions& o) {
  const ApiNameScope s("svd", a.at());
  const Array x = fn::inexact(a);
  kit::require_matrices("svd", x);
  if (o.hermitian) kit::require_square("svd", x);
  const lax::SVDOptions options{o.full_matrices, o.subset_by_index};
  return o.hermitian ? lax::subset(kit::hermitian_values(x), options) : lax::svd(x, options);
}

Array svdvals(const Arg& a) {
  const ApiNameScope s("svdvals", a.at());
  const Array x = fn::inexact(a);
  kit::require_matrices("svdvals", x);
  return lax::svdvals(x);
}

}  // namespace weft::linalg
