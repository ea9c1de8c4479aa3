// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/lu.h: lu: triangular factors of matrices whose rows change places.
#pragma once
#include <tuple>

#include "weft/tracer/array.h"

namespace weft::lax {

// What lu gives: L and U in one matrix, the pivots, and the permutation of the rows.
using LU = std::tuple<Array, Array, Array>;
// Triangular factors of matrices of m rows and n columns, whose rows change places: row
// permutation[i] of x is row i of L U. Below the diagonal of `lu` stands L, whose own diagonal
// holds ones; on and above it U. Pivots: the rows, counted from 0, that the first min(m, n) rows
// changed places with, one after another. A singular matrix has a zero on the diagonal of U. F32,
// F64, C64, C128, DTypeError else; ShapeError for less than two axes. Source: jax.lax.linalg.lu.
LU lu(const typing::Arg& x);
// The x with a x = b from the factors of a, for matrices b with the same batch axes.
Array substituted(const LU& f, const Array& b);
// The order in which m rows are left by these changes of places, along the last axis.
// ShapeError for more pivots than rows. Source: jax.lax.linalg.lu_pivots_to_permutation.
Array lu_pivots_to_permutation(const typing::Arg& pivots, int64_t permutation_size);

}  // namespace weft::lax
