// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/linalg.h: linear algebra, as in jax.numpy.linalg and jax.scipy.linalg. Matrices
// are the last two axes; the leading axes are broadcast.
#pragma once
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "weft/array.h"
#include "weft/numpy/products.h"
#include "weft/tree.h"

namespace weft::linalg {

struct CholeskyOptions {
  bool upper = false;            // returns L^H instead
  bool symmetrize_input = true;  // factors (a + a^H) / 2 instead of reading only the lower triangle
};
// Returns the lower triangular L with L L^H = a (…, n, n), or L^H with .upper. It is NaN on and
// below the diagonal where a is not positive definite. Raises ShapeError unless a is square.
// Source: jax.numpy.linalg.cholesky.
Array cholesky(const typing::Arg& a, const CholeskyOptions& options = {});

// The form in which a matrix is used: itself, its transpose, or its conjugate transpose.
enum class Trans { none, transpose, conjugate_transpose };
struct SolveTriangularOptions {
  Trans trans = Trans::none;  // the form of a in the product
  bool lower = false;         // the triangle of a that is read
  // Treats the diagonal as ones.
  bool unit_diagonal = false;
};
// Solves a x = b for x with a triangular a (…, n, n). b is a vector if it has one axis, else
// matrices (…, n, k). Gives infinities and NaN where a has a zero on its diagonal. Raises
// ShapeError unless a is square and b matches. Source: jax.scipy.linalg.solve_triangular.
Array solve_triangular(const typing::Arg& a, const typing::Arg& b,
                       const SolveTriangularOptions& options = {});

// The options of cho_factor and cho_solve.
struct ChoSolveOptions {
  // True: the factor is lower triangular; false: upper triangular.
  bool lower = true;
};
// Returns the triangular factor L with L L^H = a, or its conjugate transpose without .lower. It
// reads the same triangle of a. The result is NaN where a is not positive definite. Raises
// ShapeError unless a is square. Source: jax.scipy.linalg.cho_factor.
Array cho_factor(const typing::Arg& a, const ChoSolveOptions& options = {});
// Solves a x = b for x from c = cho_factor(a) with the same options, or from c = cholesky(a,
// {.upper = !lower}). b is a vector (n) or matrices (…, n, k). Raises ShapeError unless c is square
// and b matches. Source: jax.scipy.linalg.cho_solve.
Array cho_solve(const typing::Arg& c, const typing::Arg& b, const ChoSolveOptions& options = {});

// The factors that lu returns: p, l, u.
using LU = std::tuple<Array, Array, Array>;
// Returns the factors of p l u = a (…, m, n), with k = min(m, n). p (…, m, m) is a real permutation
// matrix. l (…, m, k) has ones on the diagonal, and u (…, k, n) is upper triangular. Raises
// ShapeError for fewer than two axes. Source: jax.scipy.linalg.lu.
LU lu(const typing::Arg& a);
// The result of lu_factor and the argument of lu_solve: lu, pivots.
using LUFactor = std::pair<Array, Array>;
// Returns both factors of square matrices in one array, with l below the diagonal. The pivots are
// the rows with which each row was exchanged in turn. Raises ShapeError unless a is square. Source:
// jax.scipy.linalg.lu_factor.
LUFactor lu_factor(const typing::Arg& a);
// The options of lu_solve.
struct LUSolveOptions {
  // The form of a in the system.
  Trans trans = Trans::none;
};
// Solves op(a) x = b for x from lu_factor(a). b is a vector (n) or matrices (…, n, k). Raises
// ShapeError unless it matches. Source: jax.scipy.linalg.lu_solve.
Array lu_solve(const LUFactor& factor, const typing::Arg& b, const LUSolveOptions& options = {});

// The factors that qr returns: q, r.
using QR = std::pair<Array, Array>;
struct QROptions {
  // The number of columns of q: "reduced" gives min(m, n), "complete" gives m.
  std::string_view mode = "reduced";
};
// Returns q r = a (…, m, n), where q (…, m, k) has orthonormal columns and r (…, k, n) is upper
// triangular. k is min(m, n), or m with "complete". See lax::qr for derivatives. Raises Error for
// another .mode, and ShapeError for fewer than two axes. Source: jax.numpy.linalg.qr.
QR qr(const typing::Arg& a, const QROptions& options = {});

// The results of eigh: eigenvalues, eigenvectors.
using Eigh = std::pair<Array, Array>;
struct EighOptions {
  // Without symmetrize_input: reads the upper triangle instead of the lower one.
  bool upper = false;
  // Uses (a + a^H) / 2 instead of reading one triangle.
  bool symmetrize_input = true;
};
// Returns the ascending eigenvalues (…, n) and the orthonormal eigenvectors (…, n, n), as columns,
// of Hermitian a. The matrix is (a + a^H) / 2, or the one whose lower triangle (with .upper the
// upper one) is read from a. lax::eigh describes how eigenvectors are normalized. Equal eigenvalues
// have derivatives, but their eigenvectors have none (NaN). Raises ShapeError unless a is square.
// Source: jax.numpy.linalg.eigh.
Eigh eigh(const typing::Arg& a, const EighOptions& options = {});
// Returns only the eigenvalues of eigh. Source: jax.numpy.linalg.eigvalsh.
Array eigvalsh(const typing::Arg& a, const EighOptions& options = {});

// The results of eig: eigenvalues, eigenvectors.
using Eig = std::pair<Array, Array>;
// Returns the complex eigenvalues (…, n) of square a and the eigenvectors (…, n, n), as columns of
// length 1: a v = v w. Works only on CPUs. lax::eig describes their normalization, their order and
// which derivatives exist. Raises ShapeError unless a is square. Source: jax.numpy.linalg.eig.
Eig eig(const typing::Arg& a);
// Returns only the eigenvalues of eig. Source: jax.numpy.linalg.eigvals.
Array eigvals(const typing::Arg& a);

// The results of svd: u, s, vh.
using SVD = std::tuple<Array, Array, Array>;
struct SVDOptions {
  // u and vh are square; else they have as many vectors as there are values.
  bool full_matrices = true;
  // Computes the svd of (a + a^H) / 2 from its eigenvectors.
  bool hermitian = false;
  // The values from the first index up to but excluding the second, and their vectors; none: all.
  std::optional<std::pair<int64_t, int64_t>> subset_by_index = {};
};
// Returns the singular value decomposition a = u s vh (…, m, n). The values s (…, min(m, n)) are
// descending; the columns of u and the rows of vh are orthonormal. u and vh are square, or without
// .full_matrices have as many vectors as there are values. lax::svd describes how vectors are
// normalized and which derivatives exist. Raises Error for a subset together with the vectors that
// .full_matrices adds. Raises IndexError for a subset out of range, and ShapeError for fewer than
// two axes. Source: jax.numpy.linalg.svd.
SVD svd(const typing::Arg& a, const SVDOptions& options = {});
// Returns only the singular values of svd. Source: jax.numpy.linalg.svdvals.
Array svdvals(const typing::Arg& a);

// Solves a x = b for x. b is a vector if it has one axis, else matrices. Gives infinities and NaN
// where a is singular. Source: jax.numpy.linalg.solve.
Array solve(const typing::Arg& a, const typing::Arg& b);
// Returns the inverse of a (…, n, n), computed by solve. Gives infinities and NaN where a is
// singular. Raises ShapeError unless a is square. Source: jax.numpy.linalg.inv.
//
//     linalg::inv(array({{2.}}))  // array([[0.5]], dtype=float32)
Array inv(const typing::Arg& a);
// Returns the determinant. Its derivatives of every order are correct for every rank. JAX's are NaN
// for ranks below n - 1, and so are its second derivatives for rank n - 1. Source:
// jax.numpy.linalg.det.
Array det(const typing::Arg& a);
// The results of slogdet: sign, logabsdet.
using SlogDet = std::pair<Array, Array>;
// Returns sign and logabsdet with det(a) = sign exp(logabsdet): a (…, n, n) -> (…) each. For
// singular matrices the sign is 0 and the logarithm -inf. Raises ShapeError unless a is square.
// Source: jax.numpy.linalg.slogdet.
SlogDet slogdet(const typing::Arg& a);

// Returns the n-th power of a, or of its inverse for negative n. For n >= 0 integers stay integers.
// Source: jax.numpy.linalg.matrix_power.
Array matrix_power(const typing::Arg& a, int64_t n);
// Returns the matrix exponential e^a for any finite norm. JAX gives NaN for norms above 2^16 times
// that of its quotient, about 3.5e5. The result is NaN where the norm is not finite. Source:
// jax.scipy.linalg.expm.
Array expm(const typing::Arg& a);
// Returns the product of all matrices in the order with the fewest multiplications. Source:
// jax.numpy.linalg.multi_dot.
Array multi_dot(const Arrays& matrices, typing::Location at = typing::Location::here());
// Transposes the last two axes: (…, m, n) -> (…, n, m). Raises ShapeError for fewer than two axes.
// Source: jax.numpy.linalg.matrix_transpose.
//
//     linalg::matrix_transpose(array({{1, 2}, {3, 4}}))  // array([[1, 3], [2, 4]], dtype=int32)
Array matrix_transpose(const typing::Arg& a);
// Returns the sum of the diagonal at `offset` above the main diagonal of the last two axes. Source:
// jax.numpy.linalg.trace.
Array trace(const typing::Arg& a, int64_t offset = 0);

// The results of expm_frechet: expm, derivative.
using ExpmFrechet = std::pair<Array, Array>;
// Returns e^a and its derivative with respect to a in the direction e, all (…, n, n). Raises
// ShapeError unless a and e are square and have one shape. Source: jax.scipy.linalg.expm_frechet.
ExpmFrechet expm_frechet(const typing::Arg& a, const typing::Arg& e);

// The options of pinv.
struct PinvOptions {
  // Singular values up to this times the largest are treated as 0: one number, or one for each
  // matrix. Default: 10 max(m, n) rounding units.
  std::optional<Array> rtol = {};
  // Uses (a + a^H) / 2.
  bool hermitian = false;
};
// Returns the Moore-Penrose pseudoinverse, (…, m, n) -> (…, n, m): pinv(a) a x = x for all x
// orthogonal to the null space of a. Singular values up to .rtol times the largest are treated
// as 0. Raises ShapeError for shapes that do not match, and DTypeError for a complex .rtol. Source:
// jax.numpy.linalg.pinv.
Array pinv(const typing::Arg& a, const PinvOptions& options = {});
// The options of matrix_rank.
struct RankOptions {
  // Singular values up to this absolute bound are treated as 0: one number, or one for each matrix.
  // Default: max(m, n) rounding units of the largest value.
  std::optional<Array> rtol = {};
  // Uses (a + a^H) / 2.
  bool hermitian = false;
};
// Returns the number of singular values of a (…, m, n) above .rtol: (…) I32. For a vector it is 1
// unless all elements are 0. Raises ShapeError for shapes that do not match, and DTypeError for a
// complex .rtol. Source: jax.numpy.linalg.matrix_rank.
Array matrix_rank(const typing::Arg& a, const RankOptions& options = {});
// The results of lstsq: x, residuals, rank, s.
using LstSq = std::tuple<Array, Array, Array, Array>;
struct LstSqOptions {
  std::optional<Array> rcond = {};  // a scalar
};
// Returns the x of smallest norm that minimizes |a x - b|. a is a matrix (m, n), and b is a vector
// (m) or a matrix (m, k). It also returns the squared residual of each column, the rank of a and
// its singular values. Singular values below .rcond times the largest are treated as 0. The default
// is max(m, n) rounding units; a negative .rcond means one unit. The solution has a derivative also
// where singular values are equal, where JAX's is NaN. Raises ShapeError for other axes and for an
// .rcond that is not a scalar. Source: jax.numpy.linalg.lstsq.
LstSq lstsq(const typing::Arg& a, const typing::Arg& b, const LstSqOptions& options = {});
// The factors that polar returns: u, p.
using Polar = std::pair<Array, Array>;
struct PolarOptions {
  // The side of p: "right" or "left".
  std::string_view side = "right";
};
// Returns the polar decomposition a = u p ("right") or p u ("left"). u has orthonormal columns, or
// orthonormal rows if there are fewer rows; p is positive semidefinite. Raises Error for another
// .side. Source: jax.scipy.linalg.polar.
Polar polar(const typing::Arg& a, const PolarOptions& options = {});
// Returns the inverse of a as a linear map from its last axes to its first `ind` axes.
// tensordot(tensorinv(a), a, ind) is the identity. Source: jax.numpy.linalg.tensorinv.
Array tensorinv(const typing::Arg& a, int64_t ind = 2);
// The options of tensorsolve.
struct TensorsolveOptions {
  // Axes of a that are first moved behind the others.
  std::vector<int64_t> axes = {};
};
// Solves tensordot(a, x, x.ndim()) = b for x, after .axes of a are moved behind the others. Raises
// ShapeError if a has fewer axes than b or is not a square system for it. Source:
// jax.numpy.linalg.tensorsolve.
Array tensorsolve(const typing::Arg& a, const typing::Arg& b,
                  const TensorsolveOptions& options = {});

// Returns a block-diagonal matrix of the arguments, with zeros elsewhere. Numbers and vectors are
// rows. Source: jax.scipy.linalg.block_diag.
Array block_diag(const Arrays& matrices, typing::Location at = typing::Location::here());
// Returns Toeplitz matrices, which are constant along their diagonals, from their first columns c
// and their first rows r without the corner. The default of r is conj(c). Raises ShapeError for
// scalars. Source: jax.scipy.linalg.toeplitz.
Array toeplitz(const typing::Arg& c, const std::optional<Array>& r = {});

// The same as weft::matmul. Source: jax.numpy.linalg.matmul.
using weft::matmul;
// The same as weft::tensordot. Source: jax.numpy.linalg.tensordot.
using weft::tensordot;
// The same as weft::vecdot. Source: jax.numpy.linalg.vecdot.
using weft::vecdot;
// Returns the cross product of vectors of 3 components along one axis of both. Raises ShapeError
// for other sizes. Source: jax.numpy.linalg.cross.
inline Array cross(const typing::Arg& x, const typing::Arg& y, int64_t axis = -1) {
  return weft::cross(x, y, -1, -1, -1, axis);
}
// Returns the outer product of two vectors. Raises ShapeError otherwise. Source:
// jax.numpy.linalg.outer.
Array outer(const typing::Arg& x, const typing::Arg& y);
// Returns the diagonals of the last two axes. Source: jax.numpy.linalg.diagonal.
Array diagonal(const typing::Arg& x, int64_t offset = 0);

// The options of vector_norm.
struct VectorNormOptions {
  // The order; vector_norm describes inf, -inf and 0.
  double ord = 2;
  // True: the reduced axes stay in the result, with size 1.
  bool keepdims = false;
};
// Returns (sum |x|^ord)^(1/ord) along the axes, by default over all elements. inf and -inf give the
// largest and the smallest |x|; 0 gives the number of nonzero elements. Source:
// jax.numpy.linalg.vector_norm.
//
//     linalg::vector_norm(array({3., 4.}))  // array(5., dtype=float32)
Array vector_norm(const typing::Arg& x, const typing::AxisList& axis = none,
                  const VectorNormOptions& options = {});
// A number, "fro", "nuc", or empty for the default order.
struct NormOrder {
  std::optional<double> number;
  std::string_view name;
  NormOrder() = default;
  NormOrder(double n) : number(n) {}
  // Without this overload, 0 could be a null pointer as well as a number.
  template <ir::Integer I>
  NormOrder(I n) : number(static_cast<double>(n)) {}
  NormOrder(const char* text) : name(text) {}
};
struct NormOptions {
  // The order of the norm; empty: the root of the sum of squares.
  NormOrder ord = {};
  // True: the reduced axes stay in the result, with size 1.
  bool keepdims = false;
};
// Returns the norms of the matrices on the last two axes. "fro" (the default) is the root of the
// sum of squares, and "nuc" the sum of the singular values. 2 and -2 are the largest and the
// smallest singular value. 1 and -1 are the largest and the smallest column sum of |a|, inf and
// -inf those of the rows. Raises Error for another order. Source: jax.numpy.linalg.matrix_norm.
Array matrix_norm(const typing::Arg& a, const NormOptions& options = {});
// Returns vector_norm along one axis, or matrix_norm along two axes (rows, columns). Without axis
// and order it is the root of the sum of all squares. Raises ShapeError for another number of axes.
// Source: jax.numpy.linalg.norm.
Array norm(const typing::Arg& x, const typing::AxisList& axis = none,
           const NormOptions& options = {});
// Returns the condition number norm(a) norm(inv(a)). With the default order, 2 or -2 it is computed
// from the singular values, for any matrix. Raises ShapeError for matrices without elements.
// Source: jax.numpy.linalg.cond.
Array cond(const typing::Arg& a, const NormOrder& p = {});

// The factors that schur and rsf2csf return: t, z.
using Schur = std::pair<Array, Array>;
struct SchurOptions {
  // "real", or "complex": a complex triangular t without blocks.
  std::string_view output = "real";
};
// Returns the Schur decomposition a = z t z^H with unitary z and triangular t. With "real", the t
// of a real a has 2 x 2 blocks for pairs of complex eigenvalues. With "complex", t is complex
// without blocks. Works only on CPUs and has no derivatives; see lax::schur. Raises Error for
// another .output, and ShapeError unless a is square. Source: jax.scipy.linalg.schur.
Schur schur(const typing::Arg& a, const SchurOptions& options = {});
// Converts a real Schur form to a complex one. Source: jax.scipy.linalg.rsf2csf.
Schur rsf2csf(const typing::Arg& t, const typing::Arg& z);
// The factors that hessenberg returns: h, q.
using Hessenberg = std::pair<Array, Array>;
struct HessenbergOptions {
  // Computes q; otherwise q is an empty handle.
  bool calc_q = false;
};
// Returns a = q h q^H with unitary q, which is an empty handle unless .calc_q, and h that is zero
// below its first subdiagonal. Works only on CPUs and has no derivatives; see lax::hessenberg.
// Raises ShapeError unless a is square. Source: jax.scipy.linalg.hessenberg.
Hessenberg hessenberg(const typing::Arg& a, const HessenbergOptions& options = {});
// Returns the complex x with x x = a whose eigenvalues are the principal square roots of those of
// a. Gives infinities and NaN where no such x exists. Works only on CPUs and has no derivatives.
// Source: jax.scipy.linalg.sqrtm.
Array sqrtm(const typing::Arg& a);
// The options of solve_sylvester.
struct SylvesterOptions {
  // "schur" uses Schur forms, "eigen" eigenvectors.
  std::string_view method = "schur";
  // Sums of eigenvalues smaller than this give NaN.
  double tol = 1e-8;
};
// Solves a x + x b = c for x: a (m, m), b (n, n), c (m, n). The result is NaN where an eigenvalue
// of a plus one of b is less than .tol in size. "schur" uses Schur forms; "eigen" uses
// eigenvectors, which is faster and less accurate. Works only on CPUs. Raises Error for another
// .method, and ShapeError for sizes that do not match. Source: jax.scipy.linalg.solve_sylvester.
Array solve_sylvester(const typing::Arg& a, const typing::Arg& b, const typing::Arg& c,
                      const SylvesterOptions& options = {});
// The results of eigh_tridiagonal: eigenvalues, eigenvectors.
using EighTridiagonal = std::pair<Array, Array>;
struct EighTridiagonalOptions {
  // Omits the eigenvectors: they are an empty handle.
  bool eigvals_only = false;
  // All ("a"), or those in select_range ("i").
  std::string_view select = "a";
  // The first and the last index, counted from 0.
  std::optional<std::pair<int64_t, int64_t>> select_range = {};
};
// Returns the ascending eigenvalues and the eigenvectors, as columns, of Hermitian tridiagonal
// matrices. They have the diagonals d (…, n), e (…, n - 1) above it and conj(e) below it. "a"
// returns all, "i" those from index .select_range.first to .second. Eigenvalues alone take time
// proportional to n^2. Raises Error for another .select and for a range without "i". Raises
// IndexError for a range that does not exist, and ShapeError for diagonals that do not match.
// Source: jax.scipy.linalg.eigh_tridiagonal.
EighTridiagonal eigh_tridiagonal(const typing::Arg& d, const typing::Arg& e,
                                 const EighTridiagonalOptions& options = {});

}  // namespace weft::linalg
