// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/lax/linalg/tridiagonal_solve.h: systems with a tridiagonal matrix.
#pragma once
#include "weft/array.h"

namespace weft::lax {

// Sets how tridiagonal_solve treats singular matrices.
struct TridiagonalSolveOptions {
  // If true, a pivot near 0 is replaced by one rounding unit of the largest element of the
  // triangle.
  bool perturb_singular = false;
};
// The x with A x = b, where A(i, i - 1) = dl[i], A(i, i) = d[i] and A(i, i + 1) = du[i]. dl[0] and
// the last element of du are ignored. The diagonals have the batch axes and an axis of m elements,
// and b also has an axis of columns: (…, m) and (…, m, k) -> (…, m, k). Rows are exchanged to get
// the larger pivot. All results are NaN if a pivot is 0. With .perturb_singular, a pivot below the
// smallest normal number is replaced by one rounding unit of the largest element of the triangle.
// Throws ShapeError, and DTypeError unless all four are F32, F64, C64 or C128. Source:
// jax.lax.linalg.tridiagonal_solve.
Array tridiagonal_solve(const typing::Arg& dl, const typing::Arg& d, const typing::Arg& du,
                        const typing::Arg& b, const TridiagonalSolveOptions& options = {});

}  // namespace weft::lax
