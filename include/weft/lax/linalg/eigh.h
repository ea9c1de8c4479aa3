// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/lax/linalg/eigh.h: eigh: eigenvalues and eigenvectors of Hermitian matrices.
#pragma once
#include <utility>

#include "weft/array.h"

namespace weft::lax {

// The results of eigh: eigenvectors, eigenvalues.
using Eigh = std::pair<Array, Array>;
struct EighOptions {
  // If true, only the lower triangle is read, else only the upper triangle.
  bool lower = true;
  // If true, x is first replaced by (x + x^H) / 2.
  bool symmetrize_input = true;
};
// Solves x v = v w for Hermitian matrices: the columns of v are orthonormal, and the eigenvalues w
// are real and ascending. Only one triangle of x is read, after x is replaced by (x + x^H) / 2 if
// the options say so. In each eigenvector, the first element whose absolute value is at least 0.6
// times the largest is real and positive. All results are NaN if x contains a NaN or an infinity.
// Derivatives of eigenvectors are infinite or NaN if eigenvalues are equal. Takes F32, F64, C64 and
// C128, and throws DTypeError for other dtypes. Throws ShapeError unless x is square. Source:
// jax.lax.linalg.eigh.
Eigh eigh(const typing::Arg& x, const EighOptions& options = {});

}  // namespace weft::lax
