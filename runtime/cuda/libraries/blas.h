// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/cuda/libraries/blas.h: triangular systems by cuBLAS, products of matrices by cuBLASLt.
// Matrices are row-major and contiguous, like the operands of ops.
#pragma once
#include <memory>
#include <string>

#include "core/loops/implementation.h"

namespace weft::cuda {

// Solves op(A) X = B if `left`, else X op(A) = B, for `batch` matrices A of order n. Only one
// triangle of A is read. B has shape [n, columns] if `left`, else [columns, n]. Elements are F32,
// F64, C64 or C128. op is the transpose if `transpose`, and the conjugate transpose if `conjugate`
// is set too.
struct TriangularSystem {
  DType type = F32;
  int64_t batch = 1, n = 1, columns = 1;
  bool left = true, lower = true, transpose = false, conjugate = false, unit_diagonal = false;
};
std::string name_of_triangular(const TriangularSystem& t);
// Computes X from operands A and B. If B may be overwritten, X replaces B and there is no result.
void solve_triangular(const TriangularSystem& t, const NativeArgs& args);

// `batch` contiguous products of [m, k] with [k, n]. A transposed operand is stored as [k, m] or
// [n, k]. Types are F32, F64, BF16 and F16. BF16 and F16 products are summed in F32, and their
// results may be F32.
struct MatrixProduct {
  int64_t batch = 1, m = 1, n = 1, k = 1;
  bool transposed_lhs = false, transposed_rhs = false;
  DType type = F32, result = F32;
};
// The library's descriptors of a product and the algorithm that it chose. Both are made at the
// first run.
class Multiplier {
 public:
  virtual ~Multiplier() = default;
  virtual void run(const NativeArgs& args) = 0;
};
std::shared_ptr<Multiplier> make_multiplier(const MatrixProduct& p);
inline constexpr const char* name_of_matmul = "cublasLtMatmul";

}  // namespace weft::cuda
