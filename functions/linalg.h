// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/linalg.h: linear algebra, as jax.numpy.linalg and jax.scipy.linalg have it. Matrices
// are the last two axes; the axes before are broadcast.
#pragma once
#include "weft/tracer/array.h"

namespace weft::linalg {

struct CholeskyOptions {
  bool upper = false;            // L^H instead
  bool symmetrize_input = true;  // (a + a^H) / 2 is factored, not the lower triangle alone
};
// The lower triangular L with L L^H = a; NaN on and below the diagonal where a is not positive
// definite.
Array cholesky(const Arg& a, const CholeskyOptions& options = {});

enum class Trans { none, transpose, conjugate_transpose };
struct SolveTriangularOptions {
  Trans trans = Trans::none;  // what of a is multiplied with
  bool lower = false;         // the triangle of a that is read
  bool unit_diagonal = false;
};
// The x with a x = b, for vectors b, if b has one axis, else matrices. Infinities and NaN where a
// has a zero on its diagonal.
Array solve_triangular(const Arg& a, const Arg& b, const SolveTriangularOptions& options = {});

}  // namespace weft::linalg
