// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/linalg/linalg.h: linear algebra, as jax.numpy.linalg and jax.scipy.linalg have it.
// Matrices are the last two axes; the axes before are broadcast.
#pragma once
#include <string_view>

#include "weft/tracer/array.h"
#include "weft/tracer/tree.h"

namespace weft::linalg {

struct CholeskyOptions {
  bool upper = false;            // L^H instead
  bool symmetrize_input = true;  // (a + a^H) / 2 is factored, not the lower triangle alone
};
// The lower triangular L with L L^H = a; NaN on and below the diagonal where a is not positive
// definite.
Array cholesky(const Arg& a, const CholeskyOptions& options = {});

enum class Trans { none, transpose, conjugate_transpose };
struct SolveTriangularOptions {
  Trans trans = Trans::none;  // what of a is multiplied with
  bool lower = false;         // the triangle of a that is read
  bool unit_diagonal = false;
};
// The x with a x = b, for vectors b, if b has one axis, else matrices. Infinities and NaN where a
// has a zero on its diagonal.
Array solve_triangular(const Arg& a, const Arg& b, const SolveTriangularOptions& options = {});

// x of a x = b from c = cholesky(a, {.upper = !lower}). Source: jax.scipy.linalg.cho_solve.
struct ChoSolveOptions {
  bool lower = true;
};
Array cho_solve(const Arg& c, const Arg& b, const ChoSolveOptions& options = {});

// p l u = a: a permutation, ones on the diagonal of l, and an upper triangle. Source:
// jax.scipy.linalg.lu.
struct LU {
  Array p, l, u;
};
LU lu(const Arg& a);
// Both factors in one matrix, and the rows that rows changed places with, one after another.
// Source: jax.scipy.linalg.lu_factor.
struct LUFactor {
  Array lu, pivots;
};
LUFactor lu_factor(const Arg& a);
// The x with op(a) x = b from lu_factor(a). Source: jax.scipy.linalg.lu_solve.
struct LUSolveOptions {
  Trans trans = Trans::none;
};
Array lu_solve(const LUFactor& factor, const Arg& b, const LUSolveOptions& options = {});

// q r = a with orthonormal columns of q. "reduced": min(m, n) columns of q; "complete": m of them.
// Source: jax.numpy.linalg.qr.
struct QR {
  Array q, r;
};
struct QROptions {
  std::string_view mode = "reduced";
};
QR qr(const Arg& a, const QROptions& options = {});

// Ascending eigenvalues and, as columns, orthonormal eigenvectors of Hermitian a: of (a + a^H) / 2,
// or of the matrix whose lower triangle stands in a (with `upper` the upper one). Which of an
// eigenvector's multiples is given: lax::eigh. Source: jax.numpy.linalg.eigh.
struct Eigh {
  Array eigenvalues, eigenvectors;
};
struct EighOptions {
  bool upper = false;
  bool symmetrize_input = true;
};
Eigh eigh(const Arg& a, const EighOptions& options = {});
// The eigenvalues alone. Source: jax.numpy.linalg.eigvalsh.
Array eigvalsh(const Arg& a, const EighOptions& options = {});

// a = u s vh with descending s, orthonormal columns of u and rows of vh: square matrices, or
// without full_matrices as many vectors as there are values. Which of a vector's multiples is
// given, and where there are derivatives: lax::svd. Source: jax.numpy.linalg.svd.
struct SVD {
  Array u, s, vh;
};
struct SVDOptions {
  bool full_matrices = true;
};
SVD svd(const Arg& a, const SVDOptions& options = {});
// The singular values alone. Source: jax.numpy.linalg.svdvals.
Array svdvals(const Arg& a);

// The x with a x = b, for vectors b, if b has one axis, else matrices. Infinities and NaN where a
// is singular. Source: jax.numpy.linalg.solve.
Array solve(const Arg& a, const Arg& b);
// Source: jax.numpy.linalg.inv.
Array inv(const Arg& a);
// The product of the eigenvalues; with a derivative where it is 0, too. Source:
// jax.numpy.linalg.det.
Array det(const Arg& a);
// det(a) = sign exp(logabsdet); of singular matrices the sign is 0 and the logarithm -inf. Source:
// jax.numpy.linalg.slogdet.
struct SlogDet {
  Array sign, logabsdet;
};
SlogDet slogdet(const Arg& a);

// a multiplied with itself; for negative n the inverse is. Source: jax.numpy.linalg.matrix_power.
Array matrix_power(const Arg& a, int64_t n);
// e^a. Source: jax.scipy.linalg.expm.
Array expm(const Arg& a);
// The product of all, in the order that multiplies least. Source: jax.numpy.linalg.multi_dot.
Array multi_dot(const Arrays& matrices, Location at = Location::here());
Array matrix_transpose(const Arg& a);
// The sum of the diagonal, `offset` above it, of the last two axes. Source: jax.numpy.linalg.trace.
Array trace(const Arg& a, int64_t offset = 0);

// (sum |x|^ord)^(1/ord); inf and -inf: the largest and the smallest, 0: how many are not 0. Source:
// jax.numpy.linalg.vector_norm.
struct VectorNormOptions {
  double ord = 2;
  bool keepdims = false;
};
Array vector_norm(const Arg& x, const AxisList& axis = none, const VectorNormOptions& options = {});

WEFT_TREE(LU, p, l, u);
WEFT_TREE(LUFactor, lu, pivots);
WEFT_TREE(QR, q, r);
WEFT_TREE(Eigh, eigenvalues, eigenvectors);
WEFT_TREE(SVD, u, s, vh);
WEFT_TREE(SlogDet, sign, logabsdet);

}  // namespace weft::linalg
