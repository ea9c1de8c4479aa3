// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/spectral/eig.h: eig: eigenvalues and eigenvectors of general matrices.
#pragma once
#include <tuple>

#include "weft/tracer/array.h"

namespace weft::lax {

// What eig gives: eigenvalues, left, right.
using Eig = std::tuple<Array, Array, Array>;
struct EigOptions {
  // Else an empty handle.
  bool compute_left_eigenvectors = true;
  // Else an empty handle.
  bool compute_right_eigenvectors = true;
};
// Complex eigenvalues w in LAPACK's order and, as columns if asked for, left vectors, vl^H x = w
// vl^H, and right ones, x vr = vr w. Each has length 1, and its first number that is at least 0.6
// times as large as its largest is real and positive. NaN throughout where x holds one, or an
// infinity. Derivatives, of vectors too, are infinite or NaN at equal eigenvalues. On CPUs alone: a
// CompileError elsewhere. F32, F64, C64, C128. Source: jax.lax.linalg.eig.
Eig eig(const typing::Arg& x, const EigOptions& options = {});

}  // namespace weft::lax
