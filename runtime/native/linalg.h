// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/linalg.h: factorisations and triangular systems by LAPACK and BLAS, each matrix on
// one thread.
#pragma once
#include "weft/core/loops/implementation.h"

namespace weft::native {

// `batch` square matrices of n rows, one behind the other, of elements F32, F64, C64 or C128.
struct Squares {
  DType type = F32;
  int64_t batch = 1, n = 1;
};

// The lower factors L of operand 0 = L L^H, of which the lower triangle is read; zeros above. NaN
// on and below the diagonal where a matrix is not positive definite.
void cholesky(const Squares& a, const NativeArgs& args);

// `batch` matrices of such elements.
struct Matrices {
  DType type = F32;
  int64_t batch = 1, rows = 1, columns = 1;
  int64_t smaller() const { return rows < columns ? rows : columns; }
};

// The factors of operand 0 in one matrix, the pivots' rows from 0 on and the order of the rows.
void lu(const Matrices& a, const NativeArgs& args);
int64_t lu_workspace(const Matrices& a);

// Reflections of matrices and what they leave, in place of operand 0, and their taus behind it,
// after the order of the columns if they are pivoted; or the product of those that operands 0 and 1
// hold. An operand 1 of pivoted ones says by numbers that are not 0 which columns come first.
enum class Reflections { plain, pivoted, product };
void householder(Reflections what, const Matrices& a, int64_t taus, const NativeArgs& args);
int64_t householder_workspace(const Matrices& a);
// The order of columns in which those whose number in `first` is not 0, if there are such numbers
// (`leading`), have changed places with the first ones, as geqp3 of LAPACK has it; how many.
int64_t leading_first(int64_t columns, bool leading, const int32_t* first, int32_t* order);

// op(A) X = B, or X op(A) = B unless `left`. A is operand 0, of which one triangle is read, B
// operand 1 of n rows and `columns`, unless `left` of `columns` rows and n columns.
struct Triangular {
  Squares a;
  int64_t columns = 1;
  bool left = true, lower = true, transpose = false, conjugate = false, unit_diagonal = false;
  // Whether A is copied to be conjugated: BLAS conjugates only what it transposes.
  bool copies() const { return conjugate && !transpose && is_complex(a.type); }
};
void solve_triangular(const Triangular& t, const NativeArgs& args);
int64_t solve_triangular_workspace(const Triangular& t);

}  // namespace weft::native
