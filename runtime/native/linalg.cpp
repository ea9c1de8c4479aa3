// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/linalg.cpp: calls OpenBLAS, which contains LAPACK; distributes batches to threads.
#include "runtime/native/linalg.h"

#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <numeric>
#include <vector>

#include "runtime/native/lapack.h"
#include "runtime/native/library_threads.h"
#include "weft/buffer.h"

namespace weft::native {
namespace {

// OpenBLAS multiplies by the inverses of pivots, which overflow for the smallest numbers. If its
// result is not finite, the textbook algorithm, which divides, is used instead.
template <class T>
struct PlainOf {
  using type = T;
};
template <>
struct PlainOf<complex64_t> {
  using type = std::complex<float>;
};
template <>
struct PlainOf<complex128_t> {
  using type = std::complex<double>;
};
template <class T>
auto* plain(T* x) {
  if constexpr (std::is_const_v<T>)
    return reinterpret_cast<const typename PlainOf<std::remove_const_t<T>>::type*>(x);
  else
    return reinterpret_cast<typename PlainOf<T>::type*>(x);
}

// Returns true if the inverse of a pivot overflows; pivots are `apart` elements apart.
template <class T>
bool inverse_overflows(const T* pivots, int64_t n, int64_t apart) {
  using R = real_of<T>;
  for (int64_t k = 0; k < n; ++k) {
    const R size = static_cast<R>(size_of(pivots[k * apart]));
    if (size > 0 && !std::isfinite(1 / size)) return true;
  }
  return false;
}

// ---- cholesky

// LAPACK is column-major, so our lower triangle is its upper triangle of the conjugate matrix. Its
// factor is the conjugate transpose of ours, and therefore has our memory layout.
template <class T>
void factor(int64_t n, const T* from, T* to) {
  if (n == 0) return;
  for (int64_t i = 0; i < n; ++i) {
    std::copy(from + i * n, from + i * n + i + 1, to + i * n);
    std::fill(to + i * n + i + 1, to + (i + 1) * n, T{});
  }
  const int size = static_cast<int>(n);
  int info = 0;
  constexpr auto potrf = by_type<T>(&spotrf_, &dpotrf_, &cpotrf_, &zpotrf_);
  potrf("U", &size, to, &size, &info, 1);
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

// ---- Householder reflections

// The number of columns per block in LAPACK's workspace.
constexpr int64_t block_columns = 32;

template <class T>
struct Columns {
  std::vector<T> a, work;
  std::vector<double> more;  // geqp3's workspace for complex elements
  explicit Columns(const Matrices& m)
      : a(static_cast<size_t>(m.rows * m.columns)),
        work(static_cast<size_t>((m.columns + 1) * block_columns + 2 * m.columns)),
        more(is_complex(m.type) ? static_cast<size_t>(2 * m.columns) : 0) {}
};

template <class T>
void householder_as(Reflections what, const Matrices& a, int64_t taus, const NativeArgs& args) {
  const int64_t size = a.rows * a.columns;
  const bool pivoted = what == Reflections::pivoted, product = what == Reflections::product;
  // Empty arrays have null addresses, so `what` alone tells which operands and results exist.
  const bool leading = pivoted && args.in_bytes.size() > 1;
  const T* from = args.in<T>(0, a.batch * size);
  T* to = args.out<T>(0, a.batch * size);
  const int32_t* first = leading ? args.in<int32_t>(1, a.batch * a.columns) : nullptr;
  int32_t* order = pivoted ? args.out<int32_t>(1, a.batch * a.columns) : nullptr;
  const T* given = product ? args.in<T>(1, a.batch * taus) : nullptr;
  T* made = product ? nullptr : args.out<T>(pivoted ? 2 : 1, a.batch * taus);
  const int m = static_cast<int>(a.rows), n = static_cast<int>(a.columns),
            k = static_cast<int>(taus);
  each_matrix(a.batch, 2 * static_cast<double>(size) * static_cast<double>(taus), [&](int64_t b) {
    Columns<T> c(a);
    const int lwork = static_cast<int>(c.work.size());
    int info = 0;
    turn(a.rows, a.columns, from + b * size, c.a.data());
    int32_t* columns = pivoted ? order + b * a.columns : nullptr;
    const int32_t* in_front = leading ? first + b * a.columns : nullptr;
    if (n == 0 || m == 0) {
      if (pivoted) leading_first(a.columns, leading, in_front, columns);
      return;
    }
    if (leading) std::copy(in_front, in_front + a.columns, columns);
    if (pivoted && !leading) std::fill(columns, columns + a.columns, 0);
    if (product) {
      constexpr auto orgqr = by_type<T>(&sorgqr_, &dorgqr_, &cungqr_, &zungqr_);
      orgqr(&m, &n, &k, c.a.data(), &m, given + b * taus, c.work.data(), &lwork, &info);
    } else if (pivoted) {
      if constexpr (is_complex(dtype_of_v<T>)) {
        constexpr auto factor = by_type<T>(&cgeqp3_, &cgeqp3_, &cgeqp3_, &zgeqp3_);
        factor(&m, &n, c.a.data(), &m, columns, made + b * taus, c.work.data(), &lwork,
               c.more.data(), &info);
      } else {
        constexpr auto factor = by_type<T>(&sgeqp3_, &dgeqp3_, &sgeqp3_, &dgeqp3_);
        factor(&m, &n, c.a.data(), &m, columns, made + b * taus, c.work.data(), &lwork, &info);
      }
      for (int64_t j = 0; j < a.columns; ++j) --columns[j];
    } else {
      constexpr auto factor = by_type<T>(&sgeqrf_, &dgeqrf_, &cgeqrf_, &zgeqrf_);
      factor(&m, &n, c.a.data(), &m, made + b * taus, c.work.data(), &lwork, &info);
    }
    turn(a.columns, a.rows, c.a.data(), to + b * size);
  });
}

// ---- triangular systems

struct BlasFlags {
  CBLAS_SIDE side;
  CBLAS_UPLO triangle;
  CBLAS_TRANSPOSE op;
  CBLAS_DIAG diagonal;
  int rows, columns, n;  // rows and columns of B; order of A
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

// Solves in place of b, one column (or row, if A is on the right) after another.
template <class P>
void substitute(const Triangular& t, const P* a, P* b) {
  const int64_t n = t.a.n;
  const bool turned = t.transpose == t.left, forward = t.lower != turned;
  const auto number = [&](int64_t i, int64_t k) -> P {
    const P x = turned ? a[k * n + i] : a[i * n + k];
    if constexpr (!std::is_floating_point_v<P>)
      if (t.conjugate) return std::conj(x);
    return x;
  };
  for (int64_t c = 0; c < t.columns; ++c) {
    const auto at = [&](int64_t i) -> P& { return b[t.left ? i * t.columns + c : c * n + i]; };
    for (int64_t step = 0; step < n; ++step) {
      const int64_t k = forward ? step : n - 1 - step;
      if (!t.unit_diagonal) at(k) /= number(k, k);
      for (int64_t left = step + 1; left < n; ++left) {
        const int64_t i = forward ? left : n - 1 - left;
        at(i) -= number(i, k) * at(k);
      }
    }
  }
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
                T* to = x + i * values;
                std::copy(b + i * values, b + (i + 1) * values, to);
                if (t.copies())
                  trsm(flags, conjugated(a + i * size, size).data(), to);
                else
                  trsm(flags, a + i * size, to);
                if (!inverse_overflows(a + i * size, n, n + 1) || all_finite(to, values)) return;
                std::copy(b + i * values, b + (i + 1) * values, to);
                substitute(t, plain(a + i * size), plain(to));
              });
}

// ---- lu

template <class P>
double magnitude(const P& x) {
  if constexpr (std::is_floating_point_v<P>)
    return std::fabs(static_cast<double>(x));
  else
    return std::fabs(static_cast<double>(x.real())) + std::fabs(static_cast<double>(x.imag()));
}
// Computes the result of getrf for an m x n matrix in column-major order.
template <class P>
void eliminate(int64_t m, int64_t n, P* a, int32_t* swaps) {
  const auto at = [&](int64_t i, int64_t j) -> P& { return a[j * m + i]; };
  for (int64_t j = 0; j < std::min(m, n); ++j) {
    int64_t p = j;
    for (int64_t i = j + 1; i < m; ++i)
      if (magnitude(at(i, j)) > magnitude(at(p, j))) p = i;
    swaps[j] = static_cast<int32_t>(p + 1);
    for (int64_t k = 0; k < n && p != j; ++k) std::swap(at(j, k), at(p, k));
    if (magnitude(at(j, j)) == 0) continue;
    for (int64_t i = j + 1; i < m; ++i) at(i, j) /= at(j, j);
    for (int64_t k = j + 1; k < n; ++k)
      for (int64_t i = j + 1; i < m; ++i) at(i, k) -= at(i, j) * at(j, k);
  }
}

template <class T>
void lu_as(const Matrices& a, const NativeArgs& args) {
  const int64_t size = a.rows * a.columns, k = a.smaller();
  const T* from = args.in<T>(0, a.batch * size);
  T* to = args.out<T>(0, a.batch * size);
  auto* pivots = args.out<int32_t>(1, a.batch * k);
  auto* permutation = args.out<int32_t>(2, a.batch * a.rows);
  const double work = static_cast<double>(size) * static_cast<double>(k) / 3;
  const int m = static_cast<int>(a.rows), n = static_cast<int>(a.columns);
  each_matrix(a.batch, work, [&](int64_t b) {
    std::vector<T> columns(size);
    turn(a.rows, a.columns, from + b * size, columns.data());
    int32_t* swaps = pivots + b * k;
    int info = 0;
    constexpr auto getrf = by_type<T>(&sgetrf_, &dgetrf_, &cgetrf_, &zgetrf_);
    if (k > 0) getrf(&m, &n, columns.data(), &m, swaps, &info);
    if (inverse_overflows(columns.data(), k, a.rows + 1) && !all_finite(columns.data(), size) &&
        all_finite(from + b * size, size)) {
      turn(a.rows, a.columns, from + b * size, columns.data());
      eliminate(a.rows, a.columns, plain(columns.data()), swaps);
    }
    turn(a.columns, a.rows, columns.data(), to + b * size);
    int32_t* order = permutation + b * a.rows;
    std::iota(order, order + a.rows, 0);
    for (int64_t i = 0; i < k; ++i) std::swap(order[i], order[--swaps[i]]);
  });
}

}  // namespace

int64_t leading_first(int64_t columns, bool leading, const int32_t* first, int32_t* order) {
  std::iota(order, order + columns, 0);
  int64_t in_front = 0;
  for (int64_t j = 0; leading && j < columns; ++j)
    if (first[j] != 0) std::swap(order[j], order[in_front++]);
  return in_front;
}

void cholesky(const Squares& a, const NativeArgs& args) {
  one_blas_thread();
  with_type(a.type, [&](auto* p) { cholesky_as<std::remove_pointer_t<decltype(p)>>(a, args); });
}

void lu(const Matrices& a, const NativeArgs& args) {
  one_blas_thread();
  const Reserved workspace(lu_workspace(a));
  with_type(a.type, [&](auto* p) { lu_as<std::remove_pointer_t<decltype(p)>>(a, args); });
}

int64_t lu_workspace(const Matrices& a) {
  return std::min<int64_t>(num_threads(), a.batch) * a.rows * a.columns * itemsize(a.type);
}

void householder(Reflections what, const Matrices& a, int64_t taus, const NativeArgs& args) {
  one_blas_thread();
  const Reserved workspace(householder_workspace(a));
  with_type(a.type, [&](auto* p) {
    householder_as<std::remove_pointer_t<decltype(p)>>(what, a, taus, args);
  });
}

int64_t householder_workspace(const Matrices& a) {
  const int64_t one = (a.rows + block_columns + 2) * a.columns + block_columns;
  return std::min<int64_t>(num_threads(), a.batch) *
         (one * itemsize(a.type) +
          (is_complex(a.type) ? 2 * a.columns * static_cast<int64_t>(sizeof(double)) : 0));
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
