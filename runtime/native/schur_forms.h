// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/schur_forms.h: forms of square matrices under unitary similarity (Schur,
// Hessenberg, tridiagonal) by LAPACK; each matrix runs on one thread.
#pragma once
#include "runtime/native/linalg.h"

namespace weft::native {

// The Schur form of operand 0 and, if `vectors`, the unitary matrix. A matrix that contains a NaN
// gives NaN.
void schur(const Squares& a, bool vectors, const NativeArgs& args);
int64_t schur_workspace(const Squares& a);

// The Hessenberg form of operand 0 with the reflectors below it, and their taus. A matrix that
// contains a NaN gives NaN.
void hessenberg(const Squares& a, const NativeArgs& args);

// The tridiagonal form of operand 0 and the reflectors, stored in its lower (or upper) triangle,
// the only one that is read. Further results are the diagonal, the off-diagonal and the taus. A
// matrix that contains a NaN gives NaN.
void tridiagonal(const Squares& a, bool lower, const NativeArgs& args);

// The workspace of hessenberg and tridiagonal.
int64_t reduction_workspace(const Squares& a);

}  // namespace weft::native
