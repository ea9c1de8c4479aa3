// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/gemm.h: dense products of matrices by a library (docs/decisions/0002-gemm.md).
#pragma once
#include <cstdint>
#include <optional>

#include "weft/core/loops/implementation.h"

namespace weft::native {

// `batch` products of [m, k] with [k, n], one behind the other in memory. A transposed operand lies
// as [k, m] or [n, k]; one that is interleaved has the batch between its two axes.
struct Product {
  int64_t batch = 1, m = 1, n = 1, k = 1;
  bool transposed_lhs = false, transposed_rhs = false;
  bool interleaved_lhs = false, interleaved_rhs = false;
};
// Of arrays whose pairs of batch axes are walked together and of contracted ones summed over.
// Nothing if the axes of an operand do not lie as those of matrices.
std::optional<Product> matrix_product(const Shape& lhs, const Ints& lhs_batch,
                                      const Ints& lhs_contract, const Shape& rhs,
                                      const Ints& rhs_batch, const Ints& rhs_contract);

// Computes p of elements F32 or F64 on all threads; no extent is 0.
void multiply(const Product& p, DType type, const NativeArgs& args);
// Bytes that the library takes beside the operands, about, meanwhile.
int64_t multiply_workspace(const Product& p, DType type);

}  // namespace weft::native
