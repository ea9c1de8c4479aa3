// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/cholesky.h: the factor of a positive definite matrix.
#pragma once
#include "weft/tracer/array.h"

namespace weft::lax {

// The lower triangular L with L L^H = x, of the last two axes; zeros above the diagonal. Where x is
// not positive definite, NaN on and below it. x is made Hermitian, (x + x^H) / 2, or its lower
// triangle stands for the whole. F32, F64, C64, C128, DTypeError else; ShapeError unless x is
// square. Source: jax.lax.linalg.cholesky.
Array cholesky(const typing::Arg& x, bool symmetrize_input = true);

// The upper triangular factor of r^H r + w w^H from the upper triangular r, with a rotation a row.
// ShapeError unless r is square with as many rows as w has numbers; DTypeError for others than two
// of F32 or F64. Source: jax.lax.linalg.cholesky_update.
Array cholesky_update(const typing::Arg& r, const typing::Arg& w);

}  // namespace weft::lax
