// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/schur_forms.cpp: LAPACK's reductions; batches are distributed to threads.
#include "runtime/native/schur_forms.h"

#include <algorithm>
#include <vector>

#include "runtime/native/lapack.h"
#include "runtime/native/library_threads.h"
#include "weft/buffer.h"

extern "C" {
#define WEFT_LAPACK(s, d, c, z, ...) \
  void s##_(__VA_ARGS__);            \
  void d##_(__VA_ARGS__);            \
  void c##_(__VA_ARGS__);            \
  void z##_(__VA_ARGS__);
WEFT_LAPACK(sgehrd, dgehrd, cgehrd, zgehrd, const int*, const int*, const int*, void*, const int*,
            void*, void*, const int*, int*)
WEFT_LAPACK(ssytrd, dsytrd, chetrd, zhetrd, const char*, const int*, void*, const int*, void*,
            void*, void*, void*, const int*, int*, size_t)
#undef WEFT_LAPACK
// The third argument is a predicate that selects eigenvalues; the one before the last returns the
// selection.
void sgees_(const char*, const char*, void*, const int*, void*, const int*, int*, void*, void*,
            void*, const int*, void*, const int*, int*, int*, size_t, size_t);
void dgees_(const char*, const char*, void*, const int*, void*, const int*, int*, void*, void*,
            void*, const int*, void*, const int*, int*, int*, size_t, size_t);
void cgees_(const char*, const char*, void*, const int*, void*, const int*, int*, void*, void*,
            const int*, void*, const int*, void*, int*, int*, size_t, size_t);
void zgees_(const char*, const char*, void*, const int*, void*, const int*, int*, void*, void*,
            const int*, void*, const int*, void*, int*, int*, size_t, size_t);
}

namespace weft::native {
namespace {

constexpr int64_t own_columns = 66;  // columns of LAPACK's workspace

template <class T>
struct Workspace {
  std::vector<T> a, vectors, work, values;
  std::vector<real_of<T>> reals;
  Workspace(int64_t n, bool wants_vectors)
      : a(static_cast<size_t>(n * n)),
        vectors(static_cast<size_t>(wants_vectors ? n * n : 1)),
        work(static_cast<size_t>(own_columns * n)),
        values(static_cast<size_t>(2 * n)),
        reals(static_cast<size_t>(is_complex(dtype_of_v<T>) ? n : 0)) {}
};

template <class T>
int schur_of(int64_t n, bool vectors, Workspace<T>& r) {
  const int size = static_cast<int>(n), lwork = static_cast<int>(r.work.size());
  const char* job = vectors ? "V" : "N";
  int chosen = 0, info = 0;
  if constexpr (is_complex(dtype_of_v<T>)) {
    constexpr auto f = by_type<T>(&cgees_, &cgees_, &cgees_, &zgees_);
    f(job, "N", nullptr, &size, r.a.data(), &size, &chosen, r.values.data(), r.vectors.data(),
      &size, r.work.data(), &lwork, r.reals.data(), nullptr, &info, 1, 1);
  } else {
    constexpr auto f = by_type<T>(&sgees_, &dgees_, &sgees_, &dgees_);
    f(job, "N", nullptr, &size, r.a.data(), &size, &chosen, r.values.data(), r.values.data() + n,
      r.vectors.data(), &size, r.work.data(), &lwork, nullptr, &info, 1, 1);
  }
  return info;
}

template <class T>
void schur_as(const Squares& a, bool vectors, const NativeArgs& args) {
  const int64_t n = a.n, size = n * n;
  const T* from = args.in<T>(0, a.batch * size);
  T* forms = args.out<T>(0, a.batch * size);
  T* to = vectors ? args.out<T>(1, a.batch * size) : nullptr;
  if (n == 0) return;
  each_matrix(a.batch, 20 * cube(n), [&](int64_t b) {
    Workspace<T> workspace(n, vectors);
    turn(n, n, from + b * size, workspace.a.data());
    if (!all_finite(workspace.a.data(), size) || schur_of(n, vectors, workspace) != 0) {
      std::fill(workspace.a.begin(), workspace.a.end(), not_a_number<T>());
      std::fill(workspace.vectors.begin(), workspace.vectors.end(), not_a_number<T>());
    }
    turn(n, n, workspace.a.data(), forms + b * size);
    if (vectors) turn(n, n, workspace.vectors.data(), to + b * size);
  });
}

template <class T>
void hessenberg_as(const Squares& a, const NativeArgs& args) {
  const int64_t n = a.n, size = n * n, steps = std::max<int64_t>(n - 1, 0);
  const T* from = args.in<T>(0, a.batch * size);
  T* to = args.out<T>(0, a.batch * size);
  T* taus = args.out<T>(1, a.batch * steps);
  if (n == 0) return;
  constexpr auto f = by_type<T>(&sgehrd_, &dgehrd_, &cgehrd_, &zgehrd_);
  const int rows = static_cast<int>(n), first = 1;
  each_matrix(a.batch, 4 * cube(n), [&](int64_t b) {
    Workspace<T> workspace(n, false);
    const int lwork = static_cast<int>(workspace.work.size());
    T* factors = taus + b * steps;
    int info = 0;
    turn(n, n, from + b * size, workspace.a.data());
    const bool good = all_finite(workspace.a.data(), size);
    if (good)
      f(&rows, &first, &rows, workspace.a.data(), &rows, factors, workspace.work.data(), &lwork,
        &info);
    if (!good || info != 0) {
      std::fill(workspace.a.begin(), workspace.a.end(), not_a_number<T>());
      std::fill(factors, factors + steps, not_a_number<T>());
    }
    turn(n, n, workspace.a.data(), to + b * size);
  });
}

template <class T>
bool triangle_finite(int64_t n, const T* x, bool lower) {
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = lower ? 0 : i; j < (lower ? i + 1 : n); ++j)
      if (!is_finite(x[i * n + j])) return false;
  return true;
}

template <class T>
void tridiagonal_as(const Squares& a, bool lower, const NativeArgs& args) {
  using R = real_of<T>;
  const int64_t n = a.n, size = n * n, steps = std::max<int64_t>(n - 1, 0);
  const T* from = args.in<T>(0, a.batch * size);
  T* to = args.out<T>(0, a.batch * size);
  R* diagonals = args.out<R>(1, a.batch * n);
  R* beside = args.out<R>(2, a.batch * steps);
  T* taus = args.out<T>(3, a.batch * steps);
  if (n == 0) return;
  constexpr auto f = by_type<T>(&ssytrd_, &dsytrd_, &chetrd_, &zhetrd_);
  const int rows = static_cast<int>(n);
  each_matrix(a.batch, 2 * cube(n), [&](int64_t b) {
    Workspace<T> workspace(n, false);
    const int lwork = static_cast<int>(workspace.work.size());
    R *d = diagonals + b * n, *e = beside + b * steps;
    T* factors = taus + b * steps;
    int info = 0;
    const bool good = triangle_finite(n, from + b * size, lower);
    turn(n, n, from + b * size, workspace.a.data());
    if (good)
      f(lower ? "L" : "U", &rows, workspace.a.data(), &rows, d, e, factors, workspace.work.data(),
        &lwork, &info, 1);
    if (!good || info != 0) {
      std::fill(workspace.a.begin(), workspace.a.end(), not_a_number<T>());
      std::fill(d, d + n, not_a_number<R>());
      std::fill(e, e + steps, not_a_number<R>());
      std::fill(factors, factors + steps, not_a_number<T>());
    }
    turn(n, n, workspace.a.data(), to + b * size);
  });
}

int64_t bytes(const Squares& a, int64_t matrices) {
  return std::min<int64_t>(num_threads(), a.batch) * itemsize(a.type) *
         (matrices * a.n * a.n + (own_columns + 3) * a.n + 1);
}

}  // namespace

void schur(const Squares& a, bool vectors, const NativeArgs& args) {
  one_blas_thread();
  const Reserved workspace(schur_workspace(a));
  with_type(a.type,
            [&](auto* p) { schur_as<std::remove_pointer_t<decltype(p)>>(a, vectors, args); });
}
int64_t schur_workspace(const Squares& a) { return bytes(a, 2); }

void hessenberg(const Squares& a, const NativeArgs& args) {
  one_blas_thread();
  const Reserved workspace(reduction_workspace(a));
  with_type(a.type, [&](auto* p) { hessenberg_as<std::remove_pointer_t<decltype(p)>>(a, args); });
}

void tridiagonal(const Squares& a, bool lower, const NativeArgs& args) {
  one_blas_thread();
  const Reserved workspace(reduction_workspace(a));
  with_type(a.type,
            [&](auto* p) { tridiagonal_as<std::remove_pointer_t<decltype(p)>>(a, lower, args); });
}
int64_t reduction_workspace(const Squares& a) { return bytes(a, 1); }

}  // namespace weft::native
