// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/lax/linalg/schur.h: schur, hessenberg, tridiagonal: simpler forms of square
// matrices.
#pragma once
#include <tuple>
#include <utility>

#include "weft/array.h"

namespace weft::lax {

// The results of schur: t, z.
using Schur = std::pair<Array, Array>;
struct SchurOptions {
  // If false, z is an empty handle.
  bool compute_schur_vectors = true;
};
// x = z t z^H with unitary z, which is an empty handle unless it is requested. t has zeros below
// its diagonal, except for 2 by 2 blocks for pairs of complex eigenvalues of a real x. Eigenvalues
// are in the order of LAPACK. All results are NaN if x contains a NaN or an infinity. There are no
// derivatives (DifferentiationError). Runs only on CPUs; other devices throw CompileError. Takes
// F32, F64, C64 and C128. Source: jax.lax.linalg.schur.
Schur schur(const typing::Arg& x, const SchurOptions& options = {});

// The results of hessenberg: a, taus.
using Hessenberg = std::pair<Array, Array>;
// A Hessenberg form h with x = q h q^H. `a` contains h on and above the first subdiagonal. Below it
// are the vectors of the n - 1 reflections whose product is q, without their ones. The taus are the
// factors of the reflections. NaNs, derivatives, devices and dtypes are as for schur. Source:
// jax.lax.linalg.hessenberg.
Hessenberg hessenberg(const typing::Arg& x);

// The results of tridiagonal: a, d, e, taus.
using Tridiagonal = std::tuple<Array, Array, Array, Array>;
struct TridiagonalOptions {
  // If true, the lower triangle is read, else the upper one.
  bool lower = true;
};
// A real tridiagonal form of a Hermitian x, of which one triangle is read: its diagonal d and its
// off-diagonal e. That triangle of `a` contains the form and, outside of it, the vectors of the n -
// 1 reflections, whose factors are the taus. The other triangle is that of x. NaNs, derivatives,
// devices and dtypes are as for schur. Source: jax.lax.linalg.tridiagonal.
Tridiagonal tridiagonal(const typing::Arg& x, const TridiagonalOptions& options = {});

}  // namespace weft::lax
