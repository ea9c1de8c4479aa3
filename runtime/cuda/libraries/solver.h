// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/cuda/libraries/solver.h: factorisations by cuSOLVER, and by cuBLAS where it has those of
// batches. Matrices are columns one behind the other, as LAPACK has them, and change in place.
#pragma once
#include <string>

#include "weft/core/loops/implementation.h"

namespace weft::cuda {

// `batch` matrices of elements F32, F64, C64 or C128, one behind the other.
struct Columns {
  DType type = F32;
  int64_t batch = 1, rows = 1, columns = 1;
  int64_t smaller() const { return rows < columns ? rows : columns; }
};
// What is called for those: "cusolverDnSpotrf".
std::string name_of_cholesky(const Columns& a);
std::string name_of_lu(const Columns& a);
std::string name_of_reflections(const Columns& a);
std::string name_of_product(const Columns& a);
std::string name_of_eigh(const Columns& a);
std::string name_of_svd(const Columns& a);

// Results are I32 unless said otherwise. `info`, one a matrix: 0, or where LAPACK gives up.
// The upper triangle of operand 0 becomes R, where it is R^H R; makes info.
void cholesky(const Columns& a, const NativeArgs& args);
// Operand 0 becomes its factors; makes the pivots' rows, from 1 on, and info. If `swaps`, the
// numbers of operand 1, F64, one a row, change places as the rows do.
bool lu_swaps(const Columns& a);
void lu(const Columns& a, const NativeArgs& args);
// Operand 0 becomes reflections and what they leave; makes their taus, of its type, and info.
void reflections(const Columns& a, const NativeArgs& args);
// The reflections of operand 0, whose taus are operand 1, become their product; makes info.
void product_of_reflections(const Columns& a, int64_t taus, const NativeArgs& args);
// Operand 0, of which the upper triangle is read, becomes its eigenvectors; makes eigenvalues,
// ascending, of the real type, and info.
void eigh(const Columns& a, const NativeArgs& args);
// Singular values of operand 0, which is lost, of no fewer rows than columns: of the real type,
// descending; then, if asked for, as many left vectors as columns and right ones, conjugated, as
// rows; then info.
void svd(const Columns& a, bool vectors, const NativeArgs& args);

}  // namespace weft::cuda
