// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/linalg/linalg.h: linear algebra, as jax.numpy.linalg and jax.scipy.linalg have it.
// Matrices are the last two axes; the axes before are broadcast.
#pragma once
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "weft/functions/numpy/linear.h"
#include "weft/tracer/array.h"
#include "weft/tracer/tree.h"

namespace weft::linalg {

struct CholeskyOptions {
  bool upper = false;            // L^H instead
  bool symmetrize_input = true;  // (a + a^H) / 2 is factored, not the lower triangle alone
};
// The lower triangular L with L L^H = a (…, n, n), or L^H with .upper; NaN on and below the
// diagonal where a is not positive definite. ShapeError unless a is square. Source:
// jax.numpy.linalg.cholesky.
Array cholesky(const typing::Arg& a, const CholeskyOptions& options = {});

// What of a matrix is meant: itself, its transpose, or its conjugate transpose.
enum class Trans { none, transpose, conjugate_transpose };
struct SolveTriangularOptions {
  Trans trans = Trans::none;  // what of a is multiplied with
  bool lower = false;         // the triangle of a that is read
  // The diagonal counts as ones.
  bool unit_diagonal = false;
};
// The x with a x = b of a triangular a (…, n, n), for vectors b, if b has one axis, else matrices
// (…, n, k). Infinities and NaN where a has a zero on its diagonal. ShapeError unless a is square
// and b fits. Source: jax.scipy.linalg.solve_triangular.
Array solve_triangular(const typing::Arg& a, const typing::Arg& b,
                       const SolveTriangularOptions& options = {});

// The form of the factor of cho_factor and cho_solve.
struct ChoSolveOptions {
  // It is the lower triangular one, else the upper one.
  bool lower = true;
};
// The triangular factor L with L L^H = a, or its conjugate transpose without .lower; the same
// triangle of a is read. NaN where a is not positive definite, ShapeError unless it is square.
// Source: jax.scipy.linalg.cho_factor.
Array cho_factor(const typing::Arg& a, const ChoSolveOptions& options = {});
// x of a x = b from c = cho_factor(a) with the same options, or cholesky(a, {.upper = !lower}); b
// is a vector (n) or matrices (…, n, k). ShapeError unless c is square and b fits. Source:
// jax.scipy.linalg.cho_solve.
Array cho_solve(const typing::Arg& c, const typing::Arg& b, const ChoSolveOptions& options = {});

// The factors that lu gives: p, l, u.
using LU = std::tuple<Array, Array, Array>;
// p l u = a (…, m, n): a permutation (…, m, m), of real numbers, l (…, m, k) with ones on the
// diagonal, and an upper triangle u (…, k, n), k = min(m, n). ShapeError for less than two axes.
// Source: jax.scipy.linalg.lu.
LU lu(const typing::Arg& a);
// What lu_factor gives and lu_solve takes: lu, pivots.
using LUFactor = std::pair<Array, Array>;
// Both factors of square matrices in one, l below the diagonal, and the rows that rows changed
// places with, one after another. ShapeError unless a is square. Source:
// jax.scipy.linalg.lu_factor.
LUFactor lu_factor(const typing::Arg& a);
// The form of the matrix in lu_solve.
struct LUSolveOptions {
  // What of a is meant.
  Trans trans = Trans::none;
};
// The x with op(a) x = b from lu_factor(a); b is a vector (n) or matrices (…, n, k). ShapeError
// unless it fits. Source: jax.scipy.linalg.lu_solve.
Array lu_solve(const LUFactor& factor, const typing::Arg& b, const LUSolveOptions& options = {});

// The factors that qr gives: q, r.
using QR = std::pair<Array, Array>;
struct QROptions {
  // How many columns q has: "reduced": min(m, n); "complete": m.
  std::string_view mode = "reduced";
};
// q r = a (…, m, n) with orthonormal columns of q (…, m, k) and upper triangular r (…, k, n), k =
// min(m, n), or m with "complete". Error for another .mode, ShapeError for less than two axes.
// Derivatives: lax::qr. Source: jax.numpy.linalg.qr.
QR qr(const typing::Arg& a, const QROptions& options = {});

// What eigh gives: eigenvalues, eigenvectors.
using Eigh = std::pair<Array, Array>;
struct EighOptions {
  // The upper triangle stands for both, where one does.
  bool upper = false;
  // (a + a^H) / 2 stands for a, else one triangle.
  bool symmetrize_input = true;
};
// Ascending eigenvalues (…, n) and, as columns, orthonormal eigenvectors (…, n, n) of Hermitian a:
// of (a + a^H) / 2, or of the matrix whose lower triangle stands in a (with .upper the upper one).
// Which of an eigenvector's multiples is given: lax::eigh. Where eigenvalues are equal, they have
// derivatives, eigenvectors have none (NaN). ShapeError unless a is square. Source:
// jax.numpy.linalg.eigh.
Eigh eigh(const typing::Arg& a, const EighOptions& options = {});
// The eigenvalues alone. Source: jax.numpy.linalg.eigvalsh.
Array eigvalsh(const typing::Arg& a, const EighOptions& options = {});

// What eig gives: eigenvalues, eigenvectors.
using Eig = std::pair<Array, Array>;
// Complex eigenvalues (…, n) of square a and, as columns, eigenvectors (…, n, n) of length 1: a v =
// v w. On CPUs alone. Which of an eigenvector's multiples is given, in which order, and where there
// are derivatives: lax::eig. ShapeError unless a is square. Source: jax.numpy.linalg.eig.
Eig eig(const typing::Arg& a);
// The eigenvalues alone. Source: jax.numpy.linalg.eigvals.
Array eigvals(const typing::Arg& a);

// What svd gives: u, s, vh.
using SVD = std::tuple<Array, Array, Array>;
struct SVDOptions {
  // u and vh are square; else as many vectors as values.
  bool full_matrices = true;
  // Of (a + a^H) / 2, by its eigenvectors.
  bool hermitian = false;
  // The values from the first number on and before the second, and their vectors; none: all.
  std::optional<std::pair<int64_t, int64_t>> subset_by_index = {};
};
// a = u s vh (…, m, n) with descending s (…, min(m, n)), orthonormal columns of u and rows of vh:
// square matrices, or without .full_matrices as many vectors as there are values. Which of a
// vector's multiples is given, and where there are derivatives: lax::svd. Error for a subset beside
// vectors that .full_matrices adds, IndexError for one that there is not, ShapeError for less than
// two axes. Source: jax.numpy.linalg.svd.
SVD svd(const typing::Arg& a, const SVDOptions& options = {});
// The singular values alone. Source: jax.numpy.linalg.svdvals.
Array svdvals(const typing::Arg& a);

// The x with a x = b, for vectors b, if b has one axis, else matrices. Infinities and NaN where a
// is singular. Source: jax.numpy.linalg.solve.
Array solve(const typing::Arg& a, const typing::Arg& b);
// The inverse of a (…, n, n), as solve finds it; infinities and NaN where a is singular. ShapeError
// unless a is square. Source: jax.numpy.linalg.inv.
//
//     linalg::inv(array({{2.}}))  // array([[0.5]], dtype=float32)
Array inv(const typing::Arg& a);
// The product of the eigenvalues. Its derivatives of every order hold for every rank, where JAX's
// are NaN for ranks below n - 1 and the second ones for n - 1. Source: jax.numpy.linalg.det.
Array det(const typing::Arg& a);
// What slogdet gives: sign, logabsdet.
using SlogDet = std::pair<Array, Array>;
// det(a) = sign exp(logabsdet) of a (…, n, n) -> (…) each; of singular matrices the sign is 0 and
// the logarithm -inf. ShapeError unless a is square. Source: jax.numpy.linalg.slogdet.
SlogDet slogdet(const typing::Arg& a);

// a multiplied with itself; for negative n the inverse is. Integers stay such for others. Source:
// jax.numpy.linalg.matrix_power.
Array matrix_power(const typing::Arg& a, int64_t n);
// e^a, of any finite norm (JAX gives NaN beyond 2^16 times that of its quotient, about 3.5e5; NaN
// here where the norm is no number). Source: jax.scipy.linalg.expm.
Array expm(const typing::Arg& a);
// The product of all, in the order that multiplies least. Source: jax.numpy.linalg.multi_dot.
Array multi_dot(const Arrays& matrices, typing::Location at = typing::Location::here());
// Rows and columns of the last two axes exchanged: (…, m, n) -> (…, n, m). ShapeError for less than
// two axes. Source: jax.numpy.linalg.matrix_transpose.
//
//     linalg::matrix_transpose(array({{1, 2}, {3, 4}}))  // array([[1, 3], [2, 4]], dtype=int32)
Array matrix_transpose(const typing::Arg& a);
// The sum of the diagonal, `offset` above it, of the last two axes. Source: jax.numpy.linalg.trace.
Array trace(const typing::Arg& a, int64_t offset = 0);

// What expm_frechet gives: expm, derivative.
using ExpmFrechet = std::pair<Array, Array>;
// e^a and its derivative by a along e, all (…, n, n). ShapeError unless a and e are square and have
// one shape. Source: jax.scipy.linalg.expm_frechet.
ExpmFrechet expm_frechet(const typing::Arg& a, const typing::Arg& e);

// What counts as 0 in pinv.
struct PinvOptions {
  // Values up to this times the largest count as 0: one number or one for each matrix; 10 max(m, n)
  // roundings.
  std::optional<Array> rtol = {};
  // Of (a + a^H) / 2.
  bool hermitian = false;
};
// The matrix of the least squares, (…, m, n) -> (…, n, m): pinv(a) a x = x for all x that a does
// not make 0. Singular values up to .rtol times the largest count as 0. ShapeError for shapes that
// do not fit, DTypeError for a complex .rtol. Source: jax.numpy.linalg.pinv.
Array pinv(const typing::Arg& a, const PinvOptions& options = {});
// What counts as 0 in matrix_rank.
struct RankOptions {
  // Values up to this, itself, count as 0: one number or one for each matrix; max(m, n) roundings
  // of the largest.
  std::optional<Array> rtol = {};
  // Of (a + a^H) / 2.
  bool hermitian = false;
};
// How many singular values of a (…, m, n) are greater than .rtol: (…) I32. Of vectors: 1 unless all
// is 0. ShapeError for shapes that do not fit, DTypeError for a complex .rtol. Source:
// jax.numpy.linalg.matrix_rank.
Array matrix_rank(const typing::Arg& a, const RankOptions& options = {});
// What lstsq gives: x, residuals, rank, s.
using LstSq = std::tuple<Array, Array, Array, Array>;
struct LstSqOptions {
  std::optional<Array> rcond = {};  // a scalar
};
// The smallest x among those with the smallest |a x - b|, for a matrix a (m, n) and a vector (m) or
// matrix b (m, k); the squares of what is left of each column; the rank of a and its singular
// values. Those below .rcond times the largest count as 0; default: max(m, n) roundings, as for
// negative ones one. The solution has a derivative also where singular values are equal, where
// JAX's is NaN. ShapeError for other axes and an .rcond that is no scalar. Source:
// jax.numpy.linalg.lstsq.
LstSq lstsq(const typing::Arg& a, const typing::Arg& b, const LstSqOptions& options = {});
// The factors that polar gives: u, p.
using Polar = std::pair<Array, Array>;
struct PolarOptions {
  // That of p: "right" or "left".
  std::string_view side = "right";
};
// a = u p ("right") or p u ("left"): orthonormal columns of u, or rows if there are fewer, and
// positive semidefinite p. Error for another .side. Source: jax.scipy.linalg.polar.
Polar polar(const typing::Arg& a, const PolarOptions& options = {});
// The inverse of a as a map from its last axes to its first `ind`: tensordot(tensorinv(a), a, ind)
// is the identity. Source: jax.numpy.linalg.tensorinv.
Array tensorinv(const typing::Arg& a, int64_t ind = 2);
// The order of the axes of tensorsolve.
struct TensorsolveOptions {
  // Axes of a that move behind the others first.
  std::vector<int64_t> axes = {};
};
// The x with tensordot(a, x, x.ndim()) = b, after .axes of a have moved behind the others.
// ShapeError where a has fewer axes than b or is no square system for it. Source:
// jax.numpy.linalg.tensorsolve.
Array tensorsolve(const typing::Arg& a, const typing::Arg& b,
                  const TensorsolveOptions& options = {});

// Matrices of the arguments along a diagonal, numbers and vectors as rows; zeros elsewhere. Source:
// jax.scipy.linalg.block_diag.
Array block_diag(const Arrays& matrices, typing::Location at = typing::Location::here());
// Matrices that are constant along their diagonals, from their first columns c and, but for the
// corner, their first rows r; default: conj(c). ShapeError for scalars. Source:
// jax.scipy.linalg.toeplitz.
Array toeplitz(const typing::Arg& c, const std::optional<Array>& r = {});

// The same as weft::matmul. Source: jax.numpy.linalg.matmul.
using weft::matmul;
// The same as weft::tensordot. Source: jax.numpy.linalg.tensordot.
using weft::tensordot;
// The same as weft::vecdot. Source: jax.numpy.linalg.vecdot.
using weft::vecdot;
// Of vectors of 3 components along one axis of both. ShapeError for other sizes. Source:
// jax.numpy.linalg.cross.
inline Array cross(const typing::Arg& x, const typing::Arg& y, int64_t axis = -1) {
  return weft::cross(x, y, -1, -1, -1, axis);
}
// Of two vectors. ShapeError else. Source: jax.numpy.linalg.outer.
Array outer(const typing::Arg& x, const typing::Arg& y);
// Those of the last two axes. Source: jax.numpy.linalg.diagonal.
Array diagonal(const typing::Arg& x, int64_t offset = 0);

// Which norm vector_norm computes.
struct VectorNormOptions {
  // The order; inf, -inf and 0 as below.
  double ord = 2;
  // The axes stay, with size 1.
  bool keepdims = false;
};
// (sum |x|^ord)^(1/ord) along axes, by default of all elements; inf and -inf: the largest and the
// smallest, 0: how many are not 0. Source: jax.numpy.linalg.vector_norm.
//
//     linalg::vector_norm(array({3., 4.}))  // array(5., dtype=float32)
Array vector_norm(const typing::Arg& x, const typing::AxisList& axis = none,
                  const VectorNormOptions& options = {});
// A number, "fro", "nuc" or nothing, which stands for what is usual.
struct NormOrder {
  std::optional<double> number;
  std::string_view name;
  NormOrder() = default;
  NormOrder(double n) : number(n) {}
  // Else 0 would be a null pointer as well as a number.
  template <ir::Integer I>
  NormOrder(I n) : number(static_cast<double>(n)) {}
  NormOrder(const char* text) : name(text) {}
};
struct NormOptions {
  // Which norm; none: the root of the sum of squares.
  NormOrder ord = {};
  // The axes stay, with size 1.
  bool keepdims = false;
};
// Of the matrices along the last two axes: the root of the sum of squares ("fro", or no order), the
// sum of the singular values ("nuc"), their largest (2) or smallest (-2), the largest (1) or
// smallest (-1) sum of sizes in a column, in a row (inf, -inf). Error for another order. Source:
// jax.numpy.linalg.matrix_norm.
Array matrix_norm(const typing::Arg& a, const NormOptions& options = {});
// vector_norm along one axis, matrix_norm along two (rows, columns); without axis and order the
// root of the sum of all squares. ShapeError for another number of axes. Source:
// jax.numpy.linalg.norm.
Array norm(const typing::Arg& x, const typing::AxisList& axis = none,
           const NormOptions& options = {});
// How much a system of a can magnify errors: norm(a) norm(inv(a)), with no order, 2 or -2 of the
// singular values of any matrix. ShapeError for matrices without elements. Source:
// jax.numpy.linalg.cond.
Array cond(const typing::Arg& a, const NormOrder& p = {});

// The factors that schur and rsf2csf give: t, z.
using Schur = std::pair<Array, Array>;
struct SchurOptions {
  // "real", or "complex": complex numbers without blocks.
  std::string_view output = "real";
};
// a = z t z^H with unitary z and triangular t. "real": of real a stand blocks of two rows for pairs
// of complex eigenvalues in t; "complex": complex numbers without such. On CPUs alone, without
// derivatives: lax::schur. Error for another .output, ShapeError unless a is square. Source:
// jax.scipy.linalg.schur.
Schur schur(const typing::Arg& a, const SchurOptions& options = {});
// The complex form from a real one. Source: jax.scipy.linalg.rsf2csf.
Schur rsf2csf(const typing::Arg& t, const typing::Arg& z);
// The factors that hessenberg gives: h, q.
using Hessenberg = std::pair<Array, Array>;
struct HessenbergOptions {
  // q is computed, else it is an empty handle.
  bool calc_q = false;
};
// a = q h q^H with unitary q, an empty handle unless .calc_q, and zeros in h below the diagonal
// beside its main one. On CPUs alone, without derivatives: lax::hessenberg. ShapeError unless a is
// square. Source: jax.scipy.linalg.hessenberg.
Hessenberg hessenberg(const typing::Arg& a, const HessenbergOptions& options = {});
// The complex x with x x = a whose eigenvalues are the principal roots of those of a. Infinities
// and NaN where there is none. On CPUs alone, without derivatives. Source: jax.scipy.linalg.sqrtm.
Array sqrtm(const typing::Arg& a);
// How solve_sylvester computes.
struct SylvesterOptions {
  // By Schur forms, or by eigenvectors ("eigen").
  std::string_view method = "schur";
  // Sums of eigenvalues that are smaller give NaN.
  double tol = 1e-8;
};
// The x with a x + x b = c, a (m, m), b (n, n), c (m, n); NaN where an eigenvalue of a and one of b
// add up to less than .tol. By Schur forms, or by eigenvectors ("eigen"), which is quicker and less
// exact. On CPUs alone. Error for another .method, ShapeError for sizes that do not fit. Source:
// jax.scipy.linalg.solve_sylvester.
Array solve_sylvester(const typing::Arg& a, const typing::Arg& b, const typing::Arg& c,
                      const SylvesterOptions& options = {});
// What eigh_tridiagonal gives: eigenvalues, eigenvectors.
using EighTridiagonal = std::pair<Array, Array>;
struct EighTridiagonalOptions {
  // The vectors are an empty handle.
  bool eigvals_only = false;
  // All ("a"), or those of select_range ("i").
  std::string_view select = "a";
  // The first and the last number, counted from 0.
  std::optional<std::pair<int64_t, int64_t>> select_range = {};
};
// Ascending eigenvalues and, as columns, eigenvectors of Hermitian matrices with the diagonals d
// (…, n), e (…, n - 1) above those and conj(e) below: all ("a"), or those from number
// .select_range.first to .second ("i"). The eigenvalues alone cost n^2. Error for another .select
// and for a range without "i", IndexError for one that they have not, ShapeError for diagonals that
// do not fit. Source: jax.scipy.linalg.eigh_tridiagonal.
EighTridiagonal eigh_tridiagonal(const typing::Arg& d, const typing::Arg& e,
                                 const EighTridiagonalOptions& options = {});

}  // namespace weft::linalg
