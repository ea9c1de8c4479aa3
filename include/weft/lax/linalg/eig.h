// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/lax/linalg/eig.h: eig: eigenvalues and eigenvectors of general matrices.
#pragma once
#include <tuple>

#include "weft/array.h"

namespace weft::lax {

// The results of eig: eigenvalues, left eigenvectors, right eigenvectors.
using Eig = std::tuple<Array, Array, Array>;
struct EigOptions {
  // If false, the result is an empty handle.
  bool compute_left_eigenvectors = true;
  // If false, the result is an empty handle.
  bool compute_right_eigenvectors = true;
};
// Complex eigenvalues w in the order of LAPACK, and the requested eigenvectors as columns. Left
// vectors satisfy vl^H x = w vl^H, and right vectors x vr = vr w. Each vector has length 1, and its
// first element whose absolute value is at least 0.6 times the largest is real and positive. All
// results are NaN if x contains a NaN or an infinity. Derivatives, including those of vectors, are
// infinite or NaN if eigenvalues are equal. Runs only on CPUs; other devices throw CompileError.
// Takes F32, F64, C64 and C128. Source: jax.lax.linalg.eig.
Eig eig(const typing::Arg& x, const EigOptions& options = {});

}  // namespace weft::lax
