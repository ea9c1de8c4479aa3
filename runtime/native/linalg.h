// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/linalg.h: factorizations and triangular systems by LAPACK and BLAS; each matrix
// runs on one thread.
#pragma once
#include "core/loops/implementation.h"

namespace weft::native {

// `batch` contiguous square matrices of order n with elements F32, F64, C64 or C128.
struct Squares {
  DType type = F32;
  int64_t batch = 1, n = 1;
};

// The lower factors L with operand 0 = L L^H; only the lower triangle is read, and zeros are stored
// above the diagonal. A matrix that is not positive definite gives NaN on and below the diagonal.
void cholesky(const Squares& a, const NativeArgs& args);

// `batch` contiguous matrices with such elements.
struct Matrices {
  DType type = F32;
  int64_t batch = 1, rows = 1, columns = 1;
  int64_t smaller() const { return rows < columns ? rows : columns; }
};

// The LU factors of operand 0 in one matrix, the pivot rows counted from 0, and the row
// permutation.
void lu(const Matrices& a, const NativeArgs& args);
int64_t lu_workspace(const Matrices& a);

// plain and pivoted compute a QR factorization. Results: R and the reflectors in the shape of
// operand 0, then the column permutation if pivoted, then the taus. Nonzero elements of an optional
// operand 1 of `pivoted` mark columns to move to the front. product computes the product of the
// reflectors in operand 0 with the taus in operand 1.
enum class Reflections { plain, pivoted, product };
void householder(Reflections what, const Matrices& a, int64_t taus, const NativeArgs& args);
int64_t householder_workspace(const Matrices& a);
// Computes the column order after the columns with nonzero `first` have been swapped to the front,
// as geqp3 of LAPACK does. `leading` is false if there is no such array. Returns the number of
// columns moved.
int64_t leading_first(int64_t columns, bool leading, const int32_t* first, int32_t* order);

// Solves op(A) X = B if `left`, else X op(A) = B. A is operand 0, of which one triangle is read. B
// is operand 1, of shape [n, columns] if `left`, else [columns, n].
struct Triangular {
  Squares a;
  int64_t columns = 1;
  bool left = true, lower = true, transpose = false, conjugate = false, unit_diagonal = false;
  // Returns true if A must be copied to be conjugated: BLAS conjugates only together with a
  // transpose.
  bool copies() const { return conjugate && !transpose && is_complex(a.type); }
};
void solve_triangular(const Triangular& t, const NativeArgs& args);
int64_t solve_triangular_workspace(const Triangular& t);

}  // namespace weft::native
