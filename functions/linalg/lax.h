// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/linalg/lax.h: factorisations under the names that jax.lax.linalg has for them.
#pragma once
#include <optional>

#include "weft/functions/lax.h"

namespace weft::lax::linalg {

using lax::cholesky;
using lax::cholesky_update;
using lax::eig;
using lax::eigh;
using lax::geqp3;
using lax::geqrf;
using lax::hessenberg;
using lax::householder_product;
using lax::lu;
using lax::lu_pivots_to_permutation;
using lax::ormqr;
using lax::pivoted_qr;
using lax::qr;
using lax::schur;
using lax::svd;
using lax::svdvals;
using lax::symmetric_product;
using lax::triangular_solve;
using lax::tridiagonal;
using lax::tridiagonal_solve;

// Polar factors x = u h of a matrix of full rank with no fewer rows than columns: orthonormal
// columns of u and a positive definite h, by steps until u changes by less than the third root of 5
// eps, or max_iterations of them; how many there were, and whether that was enough. ShapeError for
// other shapes. Source: jax.lax.linalg.qdwh.
struct Qdwh {
  Array u, h, num_iters, is_converged;
};
struct QdwhOptions {
  int64_t max_iterations = 10;
  std::optional<double> eps = {};  // default: a rounding of the dtype
};
Qdwh qdwh(const Arg& x, const QdwhOptions& options = {});

}  // namespace weft::lax::linalg
