// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/gemm.h: dense products of matrices by a library (docs/decisions/0002).
#pragma once
#include <cstdint>
#include <optional>

#include "core/loops/implementation.h"

namespace weft::native {

// `batch` products of [m, k] with [k, n], contiguous in memory. A transposed operand is stored as
// [k, m] or [n, k]. An interleaved operand has the last batch axes between its two axes: an element
// of the first of these is followed by those of `interleaved` products.
struct Product {
  int64_t batch = 1, m = 1, n = 1, k = 1;
  bool transposed_lhs = false, transposed_rhs = false;
  int64_t interleaved_lhs = 1, interleaved_rhs = 1;
};
// Recognizes a dot_general as matrix products. Returns nothing if the axes of an operand are not in
// the order of batched matrices.
std::optional<Product> matrix_product(const Shape& lhs, const Ints& lhs_batch,
                                      const Ints& lhs_contract, const Shape& rhs,
                                      const Ints& rhs_batch, const Ints& rhs_contract);

// Computes p for elements F32 or F64 on all threads; no extent may be 0.
void multiply(const Product& p, DType type, const NativeArgs& args);
// Approximate bytes that the library allocates during the call.
int64_t multiply_workspace(const Product& p, DType type);

}  // namespace weft::native
