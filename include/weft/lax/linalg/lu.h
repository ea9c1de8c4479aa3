// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/lax/linalg/lu.h: lu: triangular factors of matrices with row exchanges.
#pragma once
#include <tuple>

#include "weft/array.h"

namespace weft::lax {

// The results of lu: L and U in one matrix, the pivots, and the permutation of the rows.
using LU = std::tuple<Array, Array, Array>;
// Triangular factors of matrices with m rows and n columns, with row exchanges: row permutation[i]
// of x is row i of L U. `lu` contains L below the diagonal (its own diagonal is ones), and U on and
// above it. pivots[i] is the row, counted from 0, with which row i was exchanged, for the first
// min(m, n) rows in order. A singular matrix has a zero on the diagonal of U. Takes F32, F64, C64
// and C128, and throws DTypeError for other dtypes. Throws ShapeError for fewer than two axes.
// Source: jax.lax.linalg.lu.
LU lu(const typing::Arg& x);
// Returns the x with a x = b from the factors of a. The matrices b have the same batch axes.
Array substituted(const LU& f, const Array& b);
// Returns the order of m rows after these exchanges, along the last axis. Throws ShapeError for
// more pivots than rows. Source: jax.lax.linalg.lu_pivots_to_permutation.
Array lu_pivots_to_permutation(const typing::Arg& pivots, int64_t permutation_size);

}  // namespace weft::lax
