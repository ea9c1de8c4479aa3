// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/cuda/libraries/solver.h: factorizations by cuSOLVER, or by cuBLAS where it has a batched
// one. Matrices are column-major and contiguous, as in LAPACK, and are overwritten.
#pragma once
#include <string>

#include "core/loops/implementation.h"

namespace weft::cuda {

// `batch` contiguous matrices with elements F32, F64, C64 or C128.
struct Columns {
  DType type = F32;
  int64_t batch = 1, rows = 1, columns = 1;
  int64_t smaller() const { return rows < columns ? rows : columns; }
};
// The names of the library functions: "cusolverDnSpotrf".
std::string name_of_cholesky(const Columns& a);
std::string name_of_lu(const Columns& a);
std::string name_of_reflections(const Columns& a);
std::string name_of_product(const Columns& a);
std::string name_of_eigh(const Columns& a);
std::string name_of_svd(const Columns& a);

// Results are I32 unless stated otherwise. `info` has one element per matrix: 0, or LAPACK's info
// value for a failure. cholesky: the upper triangle of operand 0 becomes R with A = R^H R; returns
// info.
void cholesky(const Columns& a, const NativeArgs& args);
// Operand 0 becomes its LU factors. Returns the pivot rows, counted from 1, and info. If
// lu_swaps(), the values of operand 1 (F64, one per row) are permuted as the rows are.
bool lu_swaps(const Columns& a);
void lu(const Columns& a, const NativeArgs& args);
// QR: operand 0 becomes R and the Householder reflectors below it. Returns their taus, of the same
// type, and info.
void reflections(const Columns& a, const NativeArgs& args);
// The reflectors in operand 0, with taus in operand 1, become their product; returns info.
void product_of_reflections(const Columns& a, int64_t taus, const NativeArgs& args);
// Operand 0, of which only the upper triangle is read, becomes its eigenvectors. Returns the
// eigenvalues in ascending order, of the real type, and info.
void eigh(const Columns& a, const NativeArgs& args);
// Singular value decomposition of operand 0, which is overwritten and has at least as many rows as
// columns. Returns the singular values in descending order, of the real type. If `vectors`, it also
// returns the left vectors as columns and the conjugated right vectors as rows, as many as columns.
// The last result is info.
void svd(const Columns& a, bool vectors, const NativeArgs& args);

}  // namespace weft::cuda
