// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/eigh.h: eigh: eigenvalues and eigenvectors of Hermitian matrices.
#pragma once
#include <utility>

#include "weft/tracer/array.h"

namespace weft::lax {

// What eigh gives: eigenvectors, eigenvalues.
using Eigh = std::pair<Array, Array>;
struct EighOptions {
  // The lower triangle is read, else the upper one.
  bool lower = true;
  // x becomes (x + x^H) / 2 first.
  bool symmetrize_input = true;
};
// x v = v w of Hermitian matrices: orthonormal columns of v and the real eigenvalues, ascending.
// One triangle of x is read, after x became (x + x^H) / 2 if asked for. Of each eigenvector the
// first number that is at least 0.6 times as large as its largest is real and positive. NaN
// throughout where x holds one, or an infinity. Derivatives of eigenvectors are infinite or NaN at
// equal eigenvalues. F32, F64, C64, C128, DTypeError else; ShapeError unless x is square. Source:
// jax.lax.linalg.eigh.
Eigh eigh(const typing::Arg& x, const EighOptions& options = {});

}  // namespace weft::lax
