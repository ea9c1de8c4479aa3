// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/lax/linalg/qr.h: orthogonal factors by Householder reflections.
#pragma once
#include <tuple>
#include <utility>

#include "weft/array.h"

namespace weft::lax {

// The results of geqrf: a, taus.
using Geqrf = std::pair<Array, Array>;
// Reflections H_j = 1 - tau_j v_j v_j^H whose product is Q in each matrix Q R. `a` contains R on
// and above the diagonal, and v_j below it. Element j of v_j is 1, and the elements before it are
// 0. Takes F32, F64, C64 and C128. Source: geqrf of LAPACK.
Geqrf geqrf(const typing::Arg& x);
// The results of geqp3: a, permutation, taus.
using Geqp3 = std::tuple<Array, Array, Array>;
// geqrf with column exchanges, so that each step uses the longest remaining column. Column j of the
// factored matrix is column permutation[j] of x. Source: geqp3 of LAPACK.
Geqp3 geqp3(const typing::Arg& x);
// The same, but the columns whose entry in `first` (I32, one entry for each column) is not 0 come
// first and remain there. In order, each is exchanged with the first column that is not fixed. Only
// the columns after them are chosen by length. Source: JPVT of LAPACK's geqp3.
Geqp3 geqp3(const typing::Arg& x, const typing::Arg& first);
// The first columns of H_0 H_1 …, as many as `a` has. Throws ShapeError for more columns than rows,
// or more taus than columns. Source: jax.lax.linalg.householder_product.
Array householder_product(const typing::Arg& a, const typing::Arg& taus);

// The side and form of Q in ormqr.
struct OrmqrOptions {
  // If true, the result is Q c, else c Q.
  bool left = true;
  // If true, Q^H replaces Q.
  bool transpose = false;
};
// Q c (with .left) or c Q. Q is the product of the reflections in the first columns of `a`, as many
// as there are taus. With .transpose, Q^H replaces Q. Q itself is not formed. Throws ShapeError if
// c does not fit the rows of `a`, and DTypeError for another dtype. Source: jax.lax.linalg.ormqr.
Array ormqr(const typing::Arg& a, const typing::Arg& taus, const typing::Arg& c,
            const OrmqrOptions& options = {});

// The results of qr: q, r.
using QR = std::pair<Array, Array>;
struct QROptions {
  // If true, Q is square; else it has min(m, n) columns.
  bool full_matrices = true;
};
// x = Q R, where Q has orthonormal columns and R is upper triangular. For m rows and n columns, Q
// has min(m, n) columns and R as many rows, or both have m with .full_matrices. There is no
// derivative for m > n with .full_matrices (DifferentiationError). For m < n, where JAX does not
// have a derivative, the first m columns must be independent. Takes F32, F64, C64 and C128. Source:
// jax.lax.linalg.qr.
QR qr(const typing::Arg& x, const QROptions& options = {});
// The results of pivoted_qr: q, r, and the order of the columns.
using PivotedQR = std::tuple<Array, Array, Array>;
// qr with column exchanges as in geqp3: column j of Q R is column permutation[j] of x. Source:
// jax.lax.linalg.qr with pivoting.
PivotedQR pivoted_qr(const typing::Arg& x, const QROptions& options = {});

}  // namespace weft::lax
