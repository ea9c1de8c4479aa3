// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/lax/linalg/triangular_solve.h: systems with a triangular matrix.
#pragma once
#include "weft/array.h"

namespace weft::lax {

// The side and form of the matrix in triangular_solve.
struct TriangularSolve {
  bool left_side = false;                         // solves op(a) x = b, else x op(a) = b
  bool lower = false;                             // a is the lower triangle of the operand
  bool transpose_a = false, conjugate_a = false;  // define op
  bool unit_diagonal = false;                     // the diagonal is taken to be ones
};
// The x with op(a) x = b (.left_side) or x op(a) = b, for each matrix a along the last two axes. b
// has the batch axes of a, then rows and columns, or the axis of one vector. On the side that a
// does not multiply, b can have any number of axes. Singular matrices give infinities and NaN.
// Source: jax.lax.linalg.triangular_solve.
Array triangular_solve(const typing::Arg& a, const typing::Arg& b, const TriangularSolve& options);

}  // namespace weft::lax
