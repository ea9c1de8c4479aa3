// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/qr.h: orthogonal factors by Householder reflections.
#pragma once
#include <tuple>
#include <utility>

#include "weft/tracer/array.h"

namespace weft::lax {

// What geqrf gives: a, taus.
using Geqrf = std::pair<Array, Array>;
// Reflections H_j = 1 - tau_j v_j v_j^H whose product is Q of each matrix Q R: R stands on and
// above the diagonal of `a`, below it v_j, whose number j is 1 and whose numbers before are 0. F32,
// F64, C64, C128. Source: geqrf of LAPACK.
Geqrf geqrf(const typing::Arg& x);
// What geqp3 gives: a, permutation, taus.
using Geqp3 = std::tuple<Array, Array, Array>;
// geqrf of matrices whose columns change places so that each step takes the longest one that is
// left: column j of what is factored is column permutation[j] of x. Source: geqp3 of LAPACK.
Geqp3 geqp3(const typing::Arg& x);
// The same of matrices of which the columns whose number in `first` (I32, a number a column) is not
// 0 come to the front and stay there: each in turn changes places with the first one that is not
// held, and only those behind take part in the choice. Source: JPVT of LAPACK's geqp3.
Geqp3 geqp3(const typing::Arg& x, const typing::Arg& first);
// The first columns of H_0 H_1 …, as many as `a` has. ShapeError for more of them than rows, or
// more taus than columns. Source: jax.lax.linalg.householder_product.
Array householder_product(const typing::Arg& a, const typing::Arg& taus);

// The side and form of Q in ormqr.
struct OrmqrOptions {
  // Q c, else c Q.
  bool left = true;
  // Q^H stands for Q.
  bool transpose = false;
};
// Q c (.left), or c Q, for the product Q of the reflections that the first columns of `a` hold, as
// many as there are taus; with .transpose Q^H stands for Q, which is not formed. ShapeError for c
// that does not fit the rows of `a`, DTypeError for another dtype. Source: jax.lax.linalg.ormqr.
Array ormqr(const typing::Arg& a, const typing::Arg& taus, const typing::Arg& c,
            const OrmqrOptions& options = {});

// The factors that qr gives: q, r.
using QR = std::pair<Array, Array>;
struct QROptions {
  // Q is square; else it has min(m, n) columns.
  bool full_matrices = true;
};
// x = Q R, with orthonormal columns of Q and upper triangular R. Of m rows and n columns Q has
// min(m, n) columns and R so many rows, or m of both with .full_matrices. The derivative is there
// but for m > n with .full_matrices (DifferentiationError); of m < n, which JAX has not, the first
// m columns must be independent. F32, F64, C64, C128. Source: jax.lax.linalg.qr.
QR qr(const typing::Arg& x, const QROptions& options = {});
// The factors q and r that pivoted_qr gives, and the order of the columns.
using PivotedQR = std::tuple<Array, Array, Array>;
// qr of matrices whose columns change places as in geqp3: column j of Q R is column permutation[j]
// of x. Source: jax.lax.linalg.qr with pivoting.
PivotedQR pivoted_qr(const typing::Arg& x, const QROptions& options = {});

}  // namespace weft::lax
