// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/spectral/forms.h: simpler forms of square matrices, which unitary matrices make of
// them, by LAPACK, each matrix on one thread.
#pragma once
#include "weft/runtime/native/linalg.h"

namespace weft::native {

// The Schur form of operand 0 and, if asked for, the vectors that make it. NaN where it holds one.
void schur(const Squares& a, bool vectors, const NativeArgs& args);
int64_t schur_workspace(const Squares& a);

// The Hessenberg form of operand 0 with the reflections below it, and their taus. NaN where it
// holds one.
void hessenberg(const Squares& a, const NativeArgs& args);

// Operand 0, in whose lower (upper) triangle, which alone is read, stand the tridiagonal form and
// the reflections; its diagonal, the diagonal beside it, and the taus. NaN where it holds one.
void tridiagonal(const Squares& a, bool lower, const NativeArgs& args);

// Of hessenberg and tridiagonal.
int64_t reduction_workspace(const Squares& a);

}  // namespace weft::native
