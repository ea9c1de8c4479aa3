// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/systems/tridiagonal_solve.h: systems with a tridiagonal matrix.
#pragma once
#include "weft/tracer/array.h"

namespace weft::lax {

// How tridiagonal_solve treats singular matrices.
struct TridiagonalSolveOptions {
  // A pivot of almost 0 becomes a rounding of the triangle's largest number.
  bool perturb_singular = false;
};
// The x with A x = b, where A(i, i - 1) = dl[i], A(i, i) = d[i] and A(i, i + 1) = du[i]; dl[0] and
// the last number of du do not count. The diagonals have the batch axes and an axis of m numbers, b
// one of columns besides: (…, m) and (…, m, k) -> (…, m, k). Rows change places for the larger
// pivot; NaN throughout where a pivot is 0. With .perturb_singular a pivot below the least normal
// number becomes what a rounding of the largest number of the triangle is. ShapeError, DTypeError
// for others than four of F32, F64, C64 or C128. Source: jax.lax.linalg.tridiagonal_solve.
Array tridiagonal_solve(const typing::Arg& dl, const typing::Arg& d, const typing::Arg& du,
                        const typing::Arg& b, const TridiagonalSolveOptions& options = {});

}  // namespace weft::lax
