// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/triangular_solve.h: systems with a triangular matrix.
#pragma once
#include "weft/tracer/array.h"

namespace weft::lax {

// Sides and forms of the matrix of triangular_solve.
struct TriangularSolve {
  bool left_side = false;                         // op(a) x = b, else x op(a) = b
  bool lower = false;                             // a is the lower triangle of what is given
  bool transpose_a = false, conjugate_a = false;  // op
  bool unit_diagonal = false;                     // the diagonal counts as ones
};
// The x with op(a) x = b (.left_side) or x op(a) = b, for each matrix a of the last two axes. b has
// the batch axes of a, then rows and columns, or those of one vector; or on the side that a is not
// multiplied from any number of axes. Singular matrices give infinities and NaN. Source:
// jax.lax.linalg.triangular_solve.
Array triangular_solve(const typing::Arg& a, const typing::Arg& b, const TriangularSolve& options);

}  // namespace weft::lax
