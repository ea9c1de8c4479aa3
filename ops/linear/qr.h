// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/qr.h: orthogonal factors by Householder reflections.
#pragma once
#include "weft/tracer/array.h"

namespace weft::lax {

// Reflections H_j = 1 - tau_j v_j v_j^H whose product is Q of each matrix Q R: R stands on and
// above the diagonal of `a`, below it v_j, whose number j is 1 and whose numbers before are 0. F32,
// F64, C64, C128. Source: geqrf of LAPACK.
struct Geqrf {
  Array a, taus;
};
Geqrf geqrf(const Arg& x);
// The same of matrices whose columns change places so that each step takes the longest one that is
// left: column j of what is factored is column permutation[j] of x. Source: geqp3 of LAPACK.
struct Geqp3 {
  Array a, permutation, taus;
};
Geqp3 geqp3(const Arg& x);
// The first columns of H_0 H_1 …, as many as `a` has. ShapeError for more of them than rows, or
// more taus than columns. Source: jax.lax.linalg.householder_product.
Array householder_product(const Arg& a, const Arg& taus);

// Q c ("left"), or c Q, for the product Q of the reflections that the first columns of `a` hold, as
// many as there are taus; with `transpose` Q^H stands for Q, which is not formed. ShapeError for c
// that does not fit the rows of `a`, DTypeError for another dtype. Source: jax.lax.linalg.ormqr.
struct OrmqrOptions {
  bool left = true;
  bool transpose = false;
};
Array ormqr(const Arg& a, const Arg& taus, const Arg& c, const OrmqrOptions& options = {});

// x = Q R, with orthonormal columns of Q and upper triangular R. Of m rows and n columns Q has
// min(m, n) columns and R so many rows, or m of both with full_matrices. The derivative is there
// for m >= n and, if m > n, without full_matrices; DifferentiationError else. With `pivoting`
// columns change places as in geqp3. Source: jax.lax.linalg.qr.
struct QR {
  Array q, r;
};
struct QROptions {
  bool full_matrices = true;
};
QR qr(const Arg& x, const QROptions& options = {});
struct PivotedQR {
  Array q, r, permutation;
};
PivotedQR pivoted_qr(const Arg& x, const QROptions& options = {});

}  // namespace weft::lax
