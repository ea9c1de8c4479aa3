// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/gemm.h: dense products by a library, one thread a call
// (docs/decisions/0002-gemm.md).
#pragma once
#include <cstdint>

namespace weft::compiler {

// c = op(a) op(b), row-major; op transposes where trans_… is set. ld…: elements between rows as
// stored.
struct Gemm {
  bool trans_a = false, trans_b = false;
  int64_t m = 0, n = 0, k = 0, lda = 0, ldb = 0, ldc = 0;
};
void gemm(const Gemm& g, const float* a, const float* b, float* c);
void gemm(const Gemm& g, const double* a, const double* b, double* c);
// Bytes that the library takes beside the operands, about, while it computes g with elements of so
// many bytes.
int64_t gemm_workspace(const Gemm& g, int64_t item);

}  // namespace weft::compiler
