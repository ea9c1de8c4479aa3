// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/gemm.cpp: oneDNN for float, OpenBLAS for double.
#include "weft/runtime/native/gemm.h"

#include <cblas.h>
#include <dlfcn.h>
#include <oneapi/dnnl/dnnl.h>

#include <algorithm>

#include "weft/core/error.h"

namespace weft::compiler {
namespace {

// oneDNN's threads are OpenMP's; threads are ours, so each caller is told to use one. The setting
// belongs to the thread.
void one_openmp_thread() {
  thread_local bool done = false;
  if (done) return;
  done = true;
  using Set = void (*)(int);
  if (const auto set = reinterpret_cast<Set>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"))) set(1);
}

}  // namespace

void gemm(const Gemm& g, const float* a, const float* b, float* c) {
  one_openmp_thread();
  const dnnl_status_t s = dnnl_sgemm(g.trans_a ? 'T' : 'N', g.trans_b ? 'T' : 'N', g.m, g.n, g.k,
                                     1.0f, a, g.lda, b, g.ldb, 0.0f, c, g.ldc);
  if (s != dnnl_success) throw OutOfMemoryError("oneDNN could not run a product");
}

void gemm(const Gemm& g, const double* a, const double* b, double* c) {
  static const bool once = (openblas_set_num_threads(1), true);
  (void)once;
  cblas_dgemm(CblasRowMajor, g.trans_a ? CblasTrans : CblasNoTrans,
              g.trans_b ? CblasTrans : CblasNoTrans, static_cast<int>(g.m), static_cast<int>(g.n),
              static_cast<int>(g.k), 1.0, a, static_cast<int>(g.lda), b, static_cast<int>(g.ldb),
              0.0, c, static_cast<int>(g.ldc));
}

// The blocks of the operands that are packed. What the libraries do is seen from the growth of
// resident memory for products of many shapes (docs/decisions/0012). They see the result
// transposed: its columns are their rows.
int64_t gemm_workspace(const Gemm& g, int64_t item) {
  constexpr int64_t kib = 1024;
  const int64_t rows = g.n, columns = g.m, shorter = std::min(rows, columns);
  if (item == sizeof(float)) {
    constexpr int64_t least = 256, most_deep = 384;  // small products are not packed
    const int64_t blocks = std::max<int64_t>(1, (g.k + most_deep - 1) / most_deep);
    return shorter <= least ? 0 : rows * (g.k / blocks) * item + 500 * kib;
  }
  constexpr int64_t least = 128, most_deep = 256, most_rows = 512;
  const int64_t deep = g.k >= 2 * most_deep ? most_deep : g.k > most_deep ? g.k / 2 : g.k;
  return shorter <= least ? 0 : (columns + std::min(rows, most_rows)) * deep * item + 100 * kib;
}

}  // namespace weft::compiler
