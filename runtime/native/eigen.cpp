// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/eigen.cpp: LAPACK's divide-and-conquer routines; batches are distributed to
// threads.
#include "runtime/native/eigen.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "runtime/native/lapack.h"
#include "runtime/native/library_threads.h"
#include "weft/buffer.h"

extern "C" {
void sgesdd_(const char*, const int*, const int*, void*, const int*, void*, void*, const int*,
             void*, const int*, void*, const int*, int*, int*, size_t);
void dgesdd_(const char*, const int*, const int*, void*, const int*, void*, void*, const int*,
             void*, const int*, void*, const int*, int*, int*, size_t);
void cgesdd_(const char*, const int*, const int*, void*, const int*, void*, void*, const int*,
             void*, const int*, void*, const int*, void*, int*, int*, size_t);
void sgeev_(const char*, const char*, const int*, void*, const int*, void*, void*, void*,
            const int*, void*, const int*, void*, const int*, int*, size_t, size_t);
void dgeev_(const char*, const char*, const int*, void*, const int*, void*, void*, void*,
            const int*, void*, const int*, void*, const int*, int*, size_t, size_t);
void cgeev_(const char*, const char*, const int*, void*, const int*, void*, void*, const int*,
            void*, const int*, void*, const int*, void*, int*, size_t, size_t);
void zgeev_(const char*, const char*, const int*, void*, const int*, void*, void*, const int*,
            void*, const int*, void*, const int*, void*, int*, size_t, size_t);
void zgesdd_(const char*, const int*, const int*, void*, const int*, void*, void*, const int*,
             void*, const int*, void*, const int*, void*, int*, int*, size_t);
}

namespace weft::native {
namespace {

// LAPACK's workspace.
template <class T>
struct Workspace {
  static constexpr bool complex = is_complex(dtype_of_v<T>);
  std::vector<T> vectors, work;
  std::vector<real_of<T>> reals;
  std::vector<int> integers;
  explicit Workspace(int64_t n)
      : vectors(static_cast<size_t>(n * n)),
        work(static_cast<size_t>(complex ? 2 * n + n * n : 1 + 6 * n + 2 * n * n)),
        reals(static_cast<size_t>(complex ? 1 + 5 * n + 2 * n * n : 0)),
        integers(static_cast<size_t>(3 + 5 * n)) {}
};

template <class T>
int solve(int64_t n, Workspace<T>& r, real_of<T>* values) {
  const int size = static_cast<int>(n), work = static_cast<int>(r.work.size()),
            integers = static_cast<int>(r.integers.size());
  int info = 0;
  if constexpr (Workspace<T>::complex) {
    constexpr auto f = by_type<T>(&cheevd_, &cheevd_, &cheevd_, &zheevd_);
    const int reals = static_cast<int>(r.reals.size());
    f("V", "U", &size, r.vectors.data(), &size, values, r.work.data(), &work, r.reals.data(),
      &reals, r.integers.data(), &integers, &info, 1, 1);
  } else {
    constexpr auto f = by_type<T>(&ssyevd_, &dsyevd_, &ssyevd_, &dsyevd_);
    f("V", "U", &size, r.vectors.data(), &size, values, r.work.data(), &work, r.integers.data(),
      &integers, &info, 1, 1);
  }
  return info;
}

// Stores v as column k of `to`. LAPACK has conjugated the elements of v, which is undone here. v is
// scaled by a unit factor so that its leading element is positive.
template <class T>
void put_vector(int64_t n, const T* v, int64_t k, T* to) {
  const T lead = v[leading_number(n, [&](int64_t i) { return size_of(v[i]); })];
  for (int64_t i = 0; i < n; ++i) {
    if constexpr (is_complex(dtype_of_v<T>)) {
      // conj(v) conj(conj(lead)) / |lead|
      using R = real_of<T>;
      const auto scale = static_cast<R>(size_of(lead));
      const R re = lead.re / scale, im = lead.im / scale;
      to[i * n + k] = {v[i].re * re + v[i].im * im, v[i].re * im - v[i].im * re};
    } else {
      to[i * n + k] = lead < 0 ? -v[i] : v[i];
    }
  }
}

template <class T>
void eigh_as(const Squares& a, const NativeArgs& args) {
  const int64_t n = a.n, size = n * n;
  const T* from = args.in<T>(0, a.batch * size);
  T* vectors = args.out<T>(0, a.batch * size);
  auto* values = args.out<real_of<T>>(1, a.batch * n);
  if (n == 0) return;
  each_matrix(a.batch, 9 * cube(n), [&](int64_t b) {
    Workspace<T> workspace(n);
    const T* x = from + b * size;
    real_of<T>* w = values + b * n;
    bool finite = true;
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j <= i; ++j) finite = finite && is_finite(x[i * n + j]);
    // Our row-major lower triangle is, column-major, the upper triangle of the conjugate matrix.
    std::copy(x, x + size, workspace.vectors.data());
    if (!finite || solve(n, workspace, w) != 0) {
      std::fill(vectors + b * size, vectors + (b + 1) * size, not_a_number<T>());
      std::fill(w, w + n, not_a_number<real_of<T>>());
      return;
    }
    for (int64_t k = 0; k < n; ++k)
      put_vector(n, workspace.vectors.data() + k * n, k, vectors + b * size);
  });
}

// ---- svd

// Sizes of LAPACK's workspaces: in elements, in real numbers and in integers.
struct SvdWorkspaceSizes {
  int64_t work, reals, integers;
  explicit SvdWorkspaceSizes(const Matrices& a) {
    constexpr int64_t block_columns = 64;
    const int64_t k = a.smaller(), longer = a.rows + a.columns - k;
    work =
        (is_complex(a.type) ? 2 * k * k + 3 * k : 4 * k * k + 7 * k) + (k + longer) * block_columns;
    reals = is_complex(a.type) ? std::max(5 * k * k + 5 * k, 2 * longer * k + 2 * k * k + k) : 0;
    integers = 8 * k;
  }
};

// LAPACK reads our row-major matrix as its transpose. The left vectors of the transpose are our
// right vectors, and the memory layout of the results matches ours.
template <class T>
int decompose(const Matrices& a, bool vectors, T* x, real_of<T>* s, T* u, T* vh) {
  const SvdWorkspaceSizes sizes(a);
  std::vector<T> work(sizes.work);
  std::vector<int> integers(sizes.integers);
  const int m = static_cast<int>(a.rows), n = static_cast<int>(a.columns),
            k = static_cast<int>(a.smaller()), lwork = static_cast<int>(sizes.work);
  const char* job = vectors ? "S" : "N";
  int info = 0;
  if constexpr (Workspace<T>::complex) {
    constexpr auto f = by_type<T>(&cgesdd_, &cgesdd_, &cgesdd_, &zgesdd_);
    std::vector<real_of<T>> reals(sizes.reals);
    f(job, &n, &m, x, &n, s, vh, &n, u, &k, work.data(), &lwork, reals.data(), integers.data(),
      &info, 1);
  } else {
    constexpr auto f = by_type<T>(&sgesdd_, &dgesdd_, &sgesdd_, &dgesdd_);
    f(job, &n, &m, x, &n, s, vh, &n, u, &k, work.data(), &lwork, integers.data(), &info, 1);
  }
  return info;
}

// Scales column j of u and row j of vh by a unit factor so that the leading element of the column
// is positive.
template <class T>
void turn_vectors(const Matrices& a, int64_t j, T* u, T* vh) {
  const int64_t k = a.smaller();
  const T lead =
      u[leading_number(a.rows, [&](int64_t i) { return size_of(u[i * k + j]); }) * k + j];
  if constexpr (is_complex(dtype_of_v<T>)) {
    using R = real_of<T>;
    const auto scale = static_cast<R>(size_of(lead));
    const R re = lead.re / scale, im = lead.im / scale;
    for (int64_t i = 0; i < a.rows; ++i) {
      T& x = u[i * k + j];
      x = {x.re * re + x.im * im, x.im * re - x.re * im};
    }
    for (int64_t i = 0; i < a.columns; ++i) {
      T& x = vh[j * a.columns + i];
      x = {x.re * re - x.im * im, x.im * re + x.re * im};
    }
  } else if (lead < 0) {
    for (int64_t i = 0; i < a.rows; ++i) u[i * k + j] = -u[i * k + j];
    for (int64_t i = 0; i < a.columns; ++i) vh[j * a.columns + i] = -vh[j * a.columns + i];
  }
}

template <class T>
void svd_as(const Matrices& a, bool vectors, const NativeArgs& args) {
  const int64_t k = a.smaller(), size = a.rows * a.columns;
  const T* from = args.in<T>(0, a.batch * size);
  auto* values = args.out<real_of<T>>(0, a.batch * k);
  T* left = vectors ? args.out<T>(1, a.batch * a.rows * k) : nullptr;
  T* right = vectors ? args.out<T>(2, a.batch * k * a.columns) : nullptr;
  if (k == 0) return;
  const double work = 10 * static_cast<double>(size) * static_cast<double>(k);
  each_matrix(a.batch, work, [&](int64_t b) {
    std::vector<T> x(from + b * size, from + (b + 1) * size);
    real_of<T>* s = values + b * k;
    T *u = vectors ? left + b * a.rows * k : nullptr,
      *vh = vectors ? right + b * k * a.columns : nullptr;
    if (!all_finite(x.data(), size) || decompose(a, vectors, x.data(), s, u, vh) != 0) {
      std::fill(s, s + k, not_a_number<real_of<T>>());
      if (vectors) {
        std::fill(u, u + a.rows * k, not_a_number<T>());
        std::fill(vh, vh + k * a.columns, not_a_number<T>());
      }
      return;
    }
    for (int64_t j = 0; vectors && j < k; ++j) turn_vectors(a, j, u, vh);
  });
}

// ---- eig

constexpr int64_t eig_columns = 66;  // columns of LAPACK's workspace

template <class T>
struct EigWorkspace {
  std::vector<T> a, left, right, work;
  // LAPACK's workspace, or the real and imaginary parts of the values
  std::vector<real_of<T>> reals;
  EigWorkspace(int64_t n, bool wants_left, bool wants_right)
      : a(static_cast<size_t>(n * n)),
        left(static_cast<size_t>(wants_left ? n * n : 1)),
        right(static_cast<size_t>(wants_right ? n * n : 1)),
        work(static_cast<size_t>(eig_columns * n)),
        reals(static_cast<size_t>(2 * n)) {}
};

// Computes the vectors into `left` and `right`. For real matrices, a complex-conjugate pair is
// stored as its real part and its imaginary part in adjacent columns.
template <class T>
int eigenproblem(int64_t n, bool left, bool right, EigWorkspace<T>& r, complex_of<T>* values) {
  const int size = static_cast<int>(n), lwork = static_cast<int>(r.work.size());
  const char *of_left = left ? "V" : "N", *of_right = right ? "V" : "N";
  int info = 0;
  if constexpr (Workspace<T>::complex) {
    constexpr auto f = by_type<T>(&cgeev_, &cgeev_, &cgeev_, &zgeev_);
    f(of_left, of_right, &size, r.a.data(), &size, values, r.left.data(), &size, r.right.data(),
      &size, r.work.data(), &lwork, r.reals.data(), &info, 1, 1);
  } else {
    constexpr auto f = by_type<T>(&sgeev_, &dgeev_, &sgeev_, &dgeev_);
    real_of<T>*re = r.reals.data(), *im = re + n;
    f(of_left, of_right, &size, r.a.data(), &size, re, im, r.left.data(), &size, r.right.data(),
      &size, r.work.data(), &lwork, &info, 1, 1);
    for (int64_t k = 0; k < n; ++k) values[k] = {re[k], im[k]};
  }
  return info;
}

// Stores LAPACK's vector k as column k of `to`, scaled by a unit factor so that its leading element
// is positive.
template <class T, class C>
void put_eigenvector(int64_t n, const std::vector<T>& from, const C* values, int64_t k, C* to) {
  std::vector<C> v(n);
  const T* column = from.data() + k * n;
  for (int64_t i = 0; i < n; ++i) {
    C& x = v[i];
    if constexpr (Workspace<T>::complex)
      x = column[i];
    else if (values[k].im == 0)
      x = {column[i], 0};
    else if (values[k].im > 0)  // the first of a pair
      x = {column[i], column[i + n]};
    else
      x = {column[i - n], -column[i]};
  }
  const C lead = v[leading_number(n, [&](int64_t i) { return size_of(v[i]); })];
  const auto size = static_cast<real_of<T>>(size_of(lead));
  const real_of<T> re = lead.re / size, im = lead.im / size;
  for (int64_t i = 0; i < n; ++i) {
    const C& x = v[i];
    to[i * n + k] = {x.re * re + x.im * im, x.im * re - x.re * im};
  }
}

template <class T>
void eig_as(const Squares& a, bool left, bool right, const NativeArgs& args) {
  using C = complex_of<T>;
  const int64_t n = a.n, size = n * n;
  const T* from = args.in<T>(0, a.batch * size);
  C* values = args.out<C>(0, a.batch * n);
  C* to[] = {left ? args.out<C>(1, a.batch * size) : nullptr,
             right ? args.out<C>(left ? 2 : 1, a.batch * size) : nullptr};
  if (n == 0) return;
  each_matrix(a.batch, 25 * cube(n), [&](int64_t b) {
    EigWorkspace<T> workspace(n, left, right);
    turn(n, n, from + b * size, workspace.a.data());
    C* w = values + b * n;
    const bool good =
        all_finite(workspace.a.data(), size) && eigenproblem(n, left, right, workspace, w) == 0;
    if (!good) std::fill(w, w + n, not_a_number<C>());
    for (int side = 0; side < 2; ++side) {
      if (!(side == 0 ? left : right)) continue;
      C* vectors = to[side] + b * size;
      if (!good) std::fill(vectors, vectors + size, not_a_number<C>());
      for (int64_t k = 0; good && k < n; ++k)
        put_eigenvector(n, side == 0 ? workspace.left : workspace.right, w, k, vectors);
    }
  });
}

}  // namespace

void eig(const Squares& a, bool left, bool right, const NativeArgs& args) {
  one_blas_thread();
  const Reserved workspace(eig_workspace(a));
  with_type(a.type,
            [&](auto* p) { eig_as<std::remove_pointer_t<decltype(p)>>(a, left, right, args); });
}

int64_t eig_workspace(const Squares& a) {
  return std::min<int64_t>(num_threads(), a.batch) * itemsize(a.type) *
         (3 * a.n * a.n + (eig_columns + 4) * a.n);
}

void eigh(const Squares& a, const NativeArgs& args) {
  one_blas_thread();
  const Reserved workspace(eigh_workspace(a));
  with_type(a.type, [&](auto* p) { eigh_as<std::remove_pointer_t<decltype(p)>>(a, args); });
}

int64_t eigh_workspace(const Squares& a) {
  const int64_t n = a.n, item = itemsize(a.type);
  const int64_t reals = is_complex(a.type) ? (1 + 5 * n + 2 * n * n) * item / 2 : 0;
  return std::min<int64_t>(num_threads(), a.batch) *
         (item * (1 + 6 * n + 3 * n * n) + reals + (3 + 5 * n) * static_cast<int64_t>(sizeof(int)));
}

void svd(const Matrices& a, bool vectors, const NativeArgs& args) {
  one_blas_thread();
  const Reserved workspace(svd_workspace(a));
  with_type(a.type, [&](auto* p) { svd_as<std::remove_pointer_t<decltype(p)>>(a, vectors, args); });
}

int64_t svd_workspace(const Matrices& a) {
  const SvdWorkspaceSizes sizes(a);
  const int64_t item = itemsize(a.type);
  return std::min<int64_t>(num_threads(), a.batch) *
         (item * (a.rows * a.columns + sizes.work) + sizes.reals * item / 2 +
          sizes.integers * static_cast<int64_t>(sizeof(int)));
}

}  // namespace weft::native
