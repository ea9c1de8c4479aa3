// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/linalg.cpp: calls of OpenBLAS, which has both; batches are shared out to threads.
#include "weft/runtime/native/linalg.h"

#include <cblas.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "weft/runtime/buffer.h"
#include "weft/runtime/native/library_threads.h"
#include "weft/runtime/threads.h"

// LAPACK's own names; the length of a text comes behind the arguments.
extern "C" {
void spotrf_(const char*, const int*, void*, const int*, int*, size_t);
void dpotrf_(const char*, const int*, void*, const int*, int*, size_t);
void cpotrf_(const char*, const int*, void*, const int*, int*, size_t);
void zpotrf_(const char*, const int*, void*, const int*, int*, size_t);
}

namespace weft::native {
namespace {

// f(i) for each matrix; `work` are the multiplications that it takes.
template <class F>
void each_matrix(int64_t batch, double work, F f) {
  constexpr double worth_a_thread = 1e5;
  const double grain = std::max(1., worth_a_thread / std::max(1., work));
  parallel_for(batch, static_cast<int64_t>(grain), [&](int64_t lo, int64_t hi) {
    for (int64_t i = lo; i < hi; ++i) f(i);
  });
}

double cube(int64_t n) { return static_cast<double>(n) * static_cast<double>(n * n); }

// ---- cholesky

void potrf(const int* n, float* a, int* info) { spotrf_("U", n, a, n, info, 1); }
void potrf(const int* n, double* a, int* info) { dpotrf_("U", n, a, n, info, 1); }
void potrf(const int* n, complex64_t* a, int* info) { cpotrf_("U", n, a, n, info, 1); }
void potrf(const int* n, complex128_t* a, int* info) { zpotrf_("U", n, a, n, info, 1); }

template <class T>
T not_a_number() {
  if constexpr (is_complex(dtype_of_v<T>)) {
    using R = decltype(T{}.re);
    return {std::numeric_limits<R>::quiet_NaN(), std::numeric_limits<R>::quiet_NaN()};
  } else {
    return std::numeric_limits<T>::quiet_NaN();
  }
}

// LAPACK reads columns, so what is the lower triangle here is the upper one there, of the conjugate
// of the matrix; its factor is the transposed conjugate of ours, and so lies as ours does.
template <class T>
void factor(int64_t n, const T* from, T* to) {
  if (n == 0) return;
  for (int64_t i = 0; i < n; ++i) {
    std::copy(from + i * n, from + i * n + i + 1, to + i * n);
    std::fill(to + i * n + i + 1, to + (i + 1) * n, T{});
  }
  const int size = static_cast<int>(n);
  int info = 0;
  potrf(&size, to, &info);
  if (info != 0)
    for (int64_t i = 0; i < n; ++i) std::fill(to + i * n, to + i * n + i + 1, not_a_number<T>());
}

template <class T>
void cholesky_as(const Squares& a, const NativeArgs& args) {
  const int64_t size = a.n * a.n;
  const T* from = args.in<T>(0, a.batch * size);
  T* to = args.out<T>(0, a.batch * size);
  each_matrix(a.batch, cube(a.n) / 6,
              [&](int64_t i) { factor(a.n, from + i * size, to + i * size); });
}

// ---- triangular systems

struct BlasFlags {
  CBLAS_SIDE side;
  CBLAS_UPLO triangle;
  CBLAS_TRANSPOSE op;
  CBLAS_DIAG diagonal;
  int rows, columns, n;  // of B; of A
};
void trsm(const BlasFlags& f, const float* a, float* b) {
  cblas_strsm(CblasRowMajor, f.side, f.triangle, f.op, f.diagonal, f.rows, f.columns, 1, a, f.n, b,
              f.columns);
}
void trsm(const BlasFlags& f, const double* a, double* b) {
  cblas_dtrsm(CblasRowMajor, f.side, f.triangle, f.op, f.diagonal, f.rows, f.columns, 1, a, f.n, b,
              f.columns);
}
void trsm(const BlasFlags& f, const complex64_t* a, complex64_t* b) {
  const complex64_t one{1, 0};
  cblas_ctrsm(CblasRowMajor, f.side, f.triangle, f.op, f.diagonal, f.rows, f.columns, &one, a, f.n,
              b, f.columns);
}
void trsm(const BlasFlags& f, const complex128_t* a, complex128_t* b) {
  const complex128_t one{1, 0};
  cblas_ztrsm(CblasRowMajor, f.side, f.triangle, f.op, f.diagonal, f.rows, f.columns, &one, a, f.n,
              b, f.columns);
}

template <class T>
std::vector<T> conjugated(const T* a, int64_t n) {
  std::vector<T> c(a, a + n);
  if constexpr (is_complex(dtype_of_v<T>))
    for (T& x : c) x.im = -x.im;
  return c;
}

template <class T>
void solve_as(const Triangular& t, const NativeArgs& args) {
  const int64_t n = t.a.n, size = n * n, values = n * t.columns;
  if (values == 0) return;
  const T* a = args.in<T>(0, t.a.batch * size);
  const T* b = args.in<T>(1, t.a.batch * values);
  T* x = args.out<T>(0, t.a.batch * values);
  const BlasFlags flags{t.left ? CblasLeft : CblasRight,
                        t.lower ? CblasLower : CblasUpper,
                        !t.transpose  ? CblasNoTrans
                        : t.conjugate ? CblasConjTrans
                                      : CblasTrans,
                        t.unit_diagonal ? CblasUnit : CblasNonUnit,
                        static_cast<int>(t.left ? n : t.columns),
                        static_cast<int>(t.left ? t.columns : n),
                        static_cast<int>(n)};
  each_matrix(t.a.batch, cube(n) / 2 * static_cast<double>(t.columns) / static_cast<double>(n),
              [&](int64_t i) {
                std::copy(b + i * values, b + (i + 1) * values, x + i * values);
                if (t.copies())
                  trsm(flags, conjugated(a + i * size, size).data(), x + i * values);
                else
                  trsm(flags, a + i * size, x + i * values);
              });
}

// f(T*) for the type of the elements.
template <class F>
void with_type(DType d, F f) {
  switch (d) {
    case F32: return f(static_cast<float*>(nullptr));
    case F64: return f(static_cast<double*>(nullptr));
    case C64: return f(static_cast<complex64_t*>(nullptr));
    default: return f(static_cast<complex128_t*>(nullptr));
  }
}

}  // namespace

void cholesky(const Squares& a, const NativeArgs& args) {
  one_blas_thread();
  with_type(a.type, [&](auto* p) { cholesky_as<std::remove_pointer_t<decltype(p)>>(a, args); });
}

void solve_triangular(const Triangular& t, const NativeArgs& args) {
  one_blas_thread();
  const Reserved workspace(solve_triangular_workspace(t));
  with_type(t.a.type, [&](auto* p) { solve_as<std::remove_pointer_t<decltype(p)>>(t, args); });
}

int64_t solve_triangular_workspace(const Triangular& t) {
  if (!t.copies()) return 0;
  return std::min<int64_t>(num_threads(), t.a.batch) * t.a.n * t.a.n * itemsize(t.a.type);
}

}  // namespace weft::native
