// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/lax/linalg.h: factorizations under their names in jax.lax.linalg.
#pragma once
#include <optional>
#include <tuple>

#include "weft/lax.h"

namespace weft::lax::linalg {

// The same as lax::cholesky. Source: jax.lax.linalg.cholesky.
using lax::cholesky;
// The same as lax::cholesky_update. Source: jax.lax.linalg.cholesky_update.
using lax::cholesky_update;
// The same as lax::eig. Source: jax.lax.linalg.eig.
using lax::eig;
// The same as lax::eigh. Source: jax.lax.linalg.eigh.
using lax::eigh;
// The same as lax::geqp3. Source: geqp3 of LAPACK.
using lax::geqp3;
// The same as lax::geqrf. Source: geqrf of LAPACK.
using lax::geqrf;
// The same as lax::hessenberg. Source: jax.lax.linalg.hessenberg.
using lax::hessenberg;
// The same as lax::householder_product. Source: jax.lax.linalg.householder_product.
using lax::householder_product;
// The same as lax::lu. Source: jax.lax.linalg.lu.
using lax::lu;
// The same as lax::lu_pivots_to_permutation. Source: jax.lax.linalg.lu_pivots_to_permutation.
using lax::lu_pivots_to_permutation;
// The same as lax::ormqr. Source: jax.lax.linalg.ormqr.
using lax::ormqr;
// The same as lax::pivoted_qr. Source: jax.lax.linalg.qr with pivoting.
using lax::pivoted_qr;
// The same as lax::qr. Source: jax.lax.linalg.qr.
using lax::qr;
// The same as lax::schur. Source: jax.lax.linalg.schur.
using lax::schur;
// The same as lax::svd. Source: jax.lax.linalg.svd.
using lax::svd;
// The same as lax::svdvals. Source: jax.lax.linalg.svd with compute_uv=False.
using lax::svdvals;
// The same as lax::symmetric_product. Source: jax.lax.linalg.symmetric_product.
using lax::symmetric_product;
// The same as lax::triangular_solve. Source: jax.lax.linalg.triangular_solve.
using lax::triangular_solve;
// The same as lax::tridiagonal. Source: jax.lax.linalg.tridiagonal.
using lax::tridiagonal;
// The same as lax::tridiagonal_solve. Source: jax.lax.linalg.tridiagonal_solve.
using lax::tridiagonal_solve;

// The results of qdwh: u, h, num_iters, is_converged.
using Qdwh = std::tuple<Array, Array, Array, Array>;
struct QdwhOptions {
  // The largest number of steps; Error for a negative number.
  int64_t max_iterations = 10;
  std::optional<double> eps = {};  // default: the rounding unit of the dtype
};
// Returns the polar factors x = u h of a matrix of full rank with at least as many rows as columns.
// u has orthonormal columns and h is positive definite. It iterates until u changes by less than
// the third root of 5 .eps, for at most .max_iterations steps. It also returns the number of steps
// and a flag for convergence. Raises ShapeError for other shapes. Source: jax.lax.linalg.qdwh.
Qdwh qdwh(const typing::Arg& x, const QdwhOptions& options = {});

}  // namespace weft::lax::linalg
