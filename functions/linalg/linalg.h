// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/linalg/linalg.h: linear algebra, as jax.numpy.linalg and jax.scipy.linalg have it.
// Matrices are the last two axes; the axes before are broadcast.
#pragma once
#include <optional>
#include <string_view>

#include "weft/functions/numpy/linear.h"
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

// x of a x = b from c = cho_factor(a) with the same options, or cholesky(a, {.upper = !lower}).
// Source: jax.scipy.linalg.cho_solve.
struct ChoSolveOptions {
  bool lower = true;
};
// The triangular factor of a, of which the same triangle is read. Source:
// jax.scipy.linalg.cho_factor.
Array cho_factor(const Arg& a, const ChoSolveOptions& options = {});
Array cho_solve(const Arg& c, const Arg& b, const ChoSolveOptions& options = {});

// p l u = a: a permutation, of real numbers, ones on the diagonal of l, and an upper triangle.
// Source: jax.scipy.linalg.lu.
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

// Complex eigenvalues of square a and, as columns, eigenvectors of length 1: a v = v w. On CPUs
// alone. Which of an eigenvector's multiples is given, in which order, and where there are
// derivatives: lax::eig. Source: jax.numpy.linalg.eig.
struct Eig {
  Array eigenvalues, eigenvectors;
};
Eig eig(const Arg& a);
// The eigenvalues alone. Source: jax.numpy.linalg.eigvals.
Array eigvals(const Arg& a);

// a = u s vh with descending s, orthonormal columns of u and rows of vh: square matrices, or
// without full_matrices as many vectors as there are values. Which of a vector's multiples is
// given, and where there are derivatives: lax::svd. `hermitian`: of (a + a^H) / 2, by its
// eigenvectors. subset_by_index: the values from the first of the numbers on and before the second,
// and their vectors. Error for a subset beside vectors that full_matrices adds, IndexError for one
// that there is not. Source: jax.numpy.linalg.svd.
struct SVD {
  Array u, s, vh;
};
struct SVDOptions {
  bool full_matrices = true;
  bool hermitian = false;
  std::optional<std::pair<int64_t, int64_t>> subset_by_index = {};
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

// a multiplied with itself; for negative n the inverse is. Integers stay such for others. Source:
// jax.numpy.linalg.matrix_power.
Array matrix_power(const Arg& a, int64_t n);
// e^a. Source: jax.scipy.linalg.expm.
Array expm(const Arg& a);
// The product of all, in the order that multiplies least. Source: jax.numpy.linalg.multi_dot.
Array multi_dot(const Arrays& matrices, Location at = Location::here());
Array matrix_transpose(const Arg& a);
// The sum of the diagonal, `offset` above it, of the last two axes. Source: jax.numpy.linalg.trace.
Array trace(const Arg& a, int64_t offset = 0);

// e^a and its derivative by a along e. ShapeError unless a and e have one shape. Source:
// jax.scipy.linalg.expm_frechet.
struct ExpmFrechet {
  Array expm, derivative;
};
ExpmFrechet expm_frechet(const Arg& a, const Arg& e);

// The matrix of the least squares: pinv(a) a x = x for all x that a does not make 0. Values up to
// rtol times the largest count as 0, of one number or one for each matrix; default: 10 max(m, n)
// roundings. `hermitian`: of (a + a^H) / 2. Source: jax.numpy.linalg.pinv.
struct PinvOptions {
  std::optional<Array> rtol = {};
  bool hermitian = false;
};
Array pinv(const Arg& a, const PinvOptions& options = {});
// How many singular values are greater than rtol, one number or one for each matrix; default:
// max(m, n) roundings of the largest. Of vectors: 1 unless all is 0. `hermitian`: of (a + a^H) / 2.
// I32. Source: jax.numpy.linalg.matrix_rank.
struct RankOptions {
  std::optional<Array> rtol = {};
  bool hermitian = false;
};
Array matrix_rank(const Arg& a, const RankOptions& options = {});
// The smallest x among those with the smallest |a x - b|, for a matrix a and a vector or matrix b;
// the squares of what is left of each column; the rank of a and its singular values. Those below
// rcond times the largest count as 0; default: max(m, n) roundings, as for negative ones one.
// ShapeError for other axes and an rcond that is no scalar. Source: jax.numpy.linalg.lstsq.
struct LstSq {
  Array x, residuals, rank, s;
};
struct LstSqOptions {
  std::optional<Array> rcond = {};  // a scalar
};
LstSq lstsq(const Arg& a, const Arg& b, const LstSqOptions& options = {});
// a = u p ("right") or p u ("left"): orthonormal columns of u, or rows if there are fewer, and
// positive semidefinite p. Error for another side. Source: jax.scipy.linalg.polar.
struct Polar {
  Array u, p;
};
struct PolarOptions {
  std::string_view side = "right";
};
Polar polar(const Arg& a, const PolarOptions& options = {});
// The inverse of a as a map from its last axes to its first `ind`: tensordot(tensorinv(a), a, ind)
// is the identity. Source: jax.numpy.linalg.tensorinv.
Array tensorinv(const Arg& a, int64_t ind = 2);
// The x with tensordot(a, x, x.ndim()) = b, after `axes` of a have moved behind the others. Source:
// jax.numpy.linalg.tensorsolve.
struct TensorsolveOptions {
  std::vector<int64_t> axes = {};
};
Array tensorsolve(const Arg& a, const Arg& b, const TensorsolveOptions& options = {});

// Matrices of the arguments along a diagonal, numbers and vectors as rows; zeros elsewhere. Source:
// jax.scipy.linalg.block_diag.
Array block_diag(const Arrays& matrices, Location at = Location::here());
// Matrices that are constant along their diagonals, from their first columns c and, but for the
// corner, their first rows r; default: conj(c). ShapeError for scalars. Source:
// jax.scipy.linalg.toeplitz.
Array toeplitz(const Arg& c, const std::optional<Array>& r = {});

// Products under the names of jax.numpy.linalg.
using weft::matmul;
using weft::tensordot;
using weft::vecdot;
// Of vectors of 3 components along one axis of both. ShapeError for other sizes. Source:
// jax.numpy.linalg.cross.
inline Array cross(const Arg& x, const Arg& y, int64_t axis = -1) {
  return weft::cross(x, y, -1, -1, -1, axis);
}
// Of two vectors. ShapeError else. Source: jax.numpy.linalg.outer.
Array outer(const Arg& x, const Arg& y);
// Those of the last two axes. Source: jax.numpy.linalg.diagonal.
Array diagonal(const Arg& x, int64_t offset = 0);

// (sum |x|^ord)^(1/ord); inf and -inf: the largest and the smallest, 0: how many are not 0. Source:
// jax.numpy.linalg.vector_norm.
struct VectorNormOptions {
  double ord = 2;
  bool keepdims = false;
};
Array vector_norm(const Arg& x, const AxisList& axis = none, const VectorNormOptions& options = {});
// A number, "fro", "nuc" or nothing, which stands for what is usual.
struct NormOrder {
  std::optional<double> number;
  std::string_view name;
  NormOrder() = default;
  NormOrder(double n) : number(n) {}
  NormOrder(const char* name) : name(name) {}
};
struct NormOptions {
  NormOrder ord = {};
  bool keepdims = false;
};
// Of the matrices along the last two axes: the root of the sum of squares ("fro", or no order), the
// sum of the singular values ("nuc"), their largest (2) or smallest (-2), the largest (1) or
// smallest (-1) sum of sizes in a column, in a row (inf, -inf). Error for another order. Source:
// jax.numpy.linalg.matrix_norm.
Array matrix_norm(const Arg& a, const NormOptions& options = {});
// vector_norm along one axis, matrix_norm along two (rows, columns); without axis and order the
// root of the sum of all squares. ShapeError for another number of axes. Source:
// jax.numpy.linalg.norm.
Array norm(const Arg& x, const AxisList& axis = none, const NormOptions& options = {});
// How much a system of a can magnify errors: norm(a) norm(inv(a)), with no order, 2 or -2 of the
// singular values of any matrix. ShapeError for matrices without elements. Source:
// jax.numpy.linalg.cond.
Array cond(const Arg& a, const NormOrder& p = {});

// a = z t z^H with unitary z and triangular t. "real": of real a stand blocks of two rows for pairs
// of complex eigenvalues in t; "complex": complex numbers without such. On CPUs alone, without
// derivatives: lax::schur. Error for another output. Source: jax.scipy.linalg.schur.
struct Schur {
  Array t, z;
};
struct SchurOptions {
  std::string_view output = "real";
};
Schur schur(const Arg& a, const SchurOptions& options = {});
// The complex form from a real one. Source: jax.scipy.linalg.rsf2csf.
Schur rsf2csf(const Arg& t, const Arg& z);
// a = q h q^H with unitary q, an empty handle unless calc_q, and zeros in h below the diagonal
// beside its main one. On CPUs alone, without derivatives: lax::hessenberg. Source:
// jax.scipy.linalg.hessenberg.
struct Hessenberg {
  Array h, q;
};
struct HessenbergOptions {
  bool calc_q = false;
};
Hessenberg hessenberg(const Arg& a, const HessenbergOptions& options = {});
// The complex x with x x = a whose eigenvalues are the principal roots of those of a. Infinities
// and NaN where there is none. On CPUs alone, without derivatives. Source: jax.scipy.linalg.sqrtm.
Array sqrtm(const Arg& a);
// The x with a x + x b = c; NaN where an eigenvalue of a and one of b add up to less than tol. By
// Schur forms, or by eigenvectors ("eigen"), which is quicker and less exact. On CPUs alone. Error
// for another method, ShapeError for sizes that do not fit. Source:
// jax.scipy.linalg.solve_sylvester.
struct SylvesterOptions {
  std::string_view method = "schur";
  double tol = 1e-8;
};
Array solve_sylvester(const Arg& a, const Arg& b, const Arg& c,
                      const SylvesterOptions& options = {});
// Ascending eigenvalues and, as columns, eigenvectors of Hermitian matrices with the diagonals d,
// e above those and conj(e) below: all ("a"), or those from number select_range.first to .second
// ("i"). The eigenvalues alone cost n^2, and their vectors are an empty handle. Error for another
// select, IndexError for a range that they have not. Source: jax.scipy.linalg.eigh_tridiagonal.
struct EighTridiagonal {
  Array eigenvalues, eigenvectors;
};
struct EighTridiagonalOptions {
  bool eigvals_only = false;
  std::string_view select = "a";
  std::optional<std::pair<int64_t, int64_t>> select_range = {};
};
EighTridiagonal eigh_tridiagonal(const Arg& d, const Arg& e,
                                 const EighTridiagonalOptions& options = {});

WEFT_TREE(LU, p, l, u);
WEFT_TREE(LUFactor, lu, pivots);
WEFT_TREE(QR, q, r);
WEFT_TREE(Eigh, eigenvalues, eigenvectors);
WEFT_TREE(Eig, eigenvalues, eigenvectors);
WEFT_TREE(SVD, u, s, vh);
WEFT_TREE(ExpmFrechet, expm, derivative);
WEFT_TREE(LstSq, x, residuals, rank, s);
WEFT_TREE(Polar, u, p);
WEFT_TREE(Schur, t, z);
WEFT_TREE(SlogDet, sign, logabsdet);

}  // namespace weft::linalg
