// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/cuda/libraries/blas.h: triangular systems by cuBLAS, products of matrices by cuBLASLt.
// Matrices are rows one behind the other, as the operands of ops are.
#pragma once
#include <memory>
#include <string>

#include "weft/core/loops/implementation.h"

namespace weft::cuda {

// op(A) X = B, or X op(A) = B unless `left`, of `batch` matrices A of n rows, of which one triangle
// is read. B has n rows and `columns`, unless `left` n columns and so many rows. Elements are F32,
// F64, C64 or C128. op transposes, and conjugates only if it does.
struct TriangularSystem {
  DType type = F32;
  int64_t batch = 1, n = 1, columns = 1;
  bool left = true, lower = true, transpose = false, conjugate = false, unit_diagonal = false;
};
std::string name_of_triangular(const TriangularSystem& t);
// X of operands A and B. If B may be written over, it becomes X, and there is no result.
void solve_triangular(const TriangularSystem& t, const NativeArgs& args);

// `batch` products of [m, k] with [k, n], one behind the other. A transposed operand lies as [k, m]
// or [n, k]. F32 and F64; BF16 and F16, whose sums are F32, and whose results may be.
struct MatrixProduct {
  int64_t batch = 1, m = 1, n = 1, k = 1;
  bool transposed_lhs = false, transposed_rhs = false;
  DType type = F32, result = F32;
};
// What the library has to be told of a product, and how it chose to compute it; made at the first
// run.
class Multiplier {
 public:
  virtual ~Multiplier() = default;
  virtual void run(const NativeArgs& args) = 0;
};
std::shared_ptr<Multiplier> make_multiplier(const MatrixProduct& p);
inline constexpr const char* name_of_matmul = "cublasLtMatmul";

}  // namespace weft::cuda
