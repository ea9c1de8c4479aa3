// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/lax/linalg/cholesky.h: the Cholesky factor of positive definite matrices.
#pragma once
#include "weft/array.h"

namespace weft::lax {

// The lower triangular L with L L^H = x, for matrices along the last two axes, with zeros above the
// diagonal. If x is not positive definite, L is NaN on and below the diagonal. With
// symmetrize_input, x is first replaced by (x + x^H) / 2; otherwise only its lower triangle is
// read. Takes F32, F64, C64 and C128, and throws DTypeError for other dtypes. Throws ShapeError
// unless x is square. Source: jax.lax.linalg.cholesky.
Array cholesky(const typing::Arg& x, bool symmetrize_input = true);

// The upper triangular factor of r^H r + w w^H, computed from the upper triangular r with one
// rotation for each row. Throws ShapeError unless r is square with as many rows as w has elements.
// Throws DTypeError unless both are F32 or F64. Source: jax.lax.linalg.cholesky_update.
Array cholesky_update(const typing::Arg& r, const typing::Arg& w);

}  // namespace weft::lax
