// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/spectral/schur.h: schur, hessenberg, tridiagonal: simpler forms of square matrices.
#pragma once
#include <tuple>
#include <utility>

#include "weft/tracer/array.h"

namespace weft::lax {

// What schur gives: t, z.
using Schur = std::pair<Array, Array>;
struct SchurOptions {
  // Else z is an empty handle.
  bool compute_schur_vectors = true;
};
// x = z t z^H with unitary z, an empty handle unless it is asked for. t has zeros below its
// diagonal; of real x there stand blocks of 2 by 2 for pairs of complex eigenvalues. Eigenvalues
// come in LAPACK's order. NaN throughout where x holds one, or an infinity. No derivatives:
// DifferentiationError. On CPUs alone: a CompileError elsewhere. F32, F64, C64, C128. Source:
// jax.lax.linalg.schur.
Schur schur(const typing::Arg& x, const SchurOptions& options = {});

// What hessenberg gives: a, taus.
using Hessenberg = std::pair<Array, Array>;
// A Hessenberg form h with x = q h q^H: in and above the diagonal below the main one of `a` stands
// h, below the vectors of the n - 1 reflections whose product is q, with ones left out, and their
// factors are the taus. NaN, derivatives, machines and dtypes as of schur. Source:
// jax.lax.linalg.hessenberg.
Hessenberg hessenberg(const typing::Arg& x);

// What tridiagonal gives: a, d, e, taus.
using Tridiagonal = std::tuple<Array, Array, Array, Array>;
struct TridiagonalOptions {
  // The lower triangle is read, else the upper one.
  bool lower = true;
};
// A real tridiagonal form of Hermitian x, of which one triangle is read: its diagonal d and the
// diagonal e beside it. In that triangle of `a` stands the form, with the vectors of the n - 1
// reflections beyond it, whose factors are the taus; the other one is that of x. NaN, derivatives,
// machines and dtypes as of schur. Source: jax.lax.linalg.tridiagonal.
Tridiagonal tridiagonal(const typing::Arg& x, const TridiagonalOptions& options = {});

}  // namespace weft::lax
