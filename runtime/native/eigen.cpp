// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/eigen.cpp: LAPACK's divide and conquer, batches shared out to threads.
#include "weft/runtime/native/eigen.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "weft/runtime/buffer.h"
#include "weft/runtime/native/lapack.h"
#include "weft/runtime/native/library_threads.h"

extern "C" {
void ssyevd_(const char*, const char*, const int*, void*, const int*, void*, void*, const int*,
             int*, const int*, int*, size_t, size_t);
void dsyevd_(const char*, const char*, const int*, void*, const int*, void*, void*, const int*,
             int*, const int*, int*, size_t, size_t);
void cheevd_(const char*, const char*, const int*, void*, const int*, void*, void*, const int*,
             void*, const int*, int*, const int*, int*, size_t, size_t);
void zheevd_(const char*, const char*, const int*, void*, const int*, void*, void*, const int*,
             void*, const int*, int*, const int*, int*, size_t, size_t);
}

namespace weft::native {
namespace {

template <class T>
struct RealOf {
  using type = T;
};
template <>
struct RealOf<complex64_t> {
  using type = float;
};
template <>
struct RealOf<complex128_t> {
  using type = double;
};
template <class T>
using real_of = typename RealOf<T>::type;

// What LAPACK works in.
template <class T>
struct Room {
  static constexpr bool complex = is_complex(dtype_of_v<T>);
  std::vector<T> vectors, work;
  std::vector<real_of<T>> reals;
  std::vector<int> integers;
  explicit Room(int64_t n)
      : vectors(static_cast<size_t>(n * n)),
        work(static_cast<size_t>(complex ? 2 * n + n * n : 1 + 6 * n + 2 * n * n)),
        reals(static_cast<size_t>(complex ? 1 + 5 * n + 2 * n * n : 0)),
        integers(static_cast<size_t>(3 + 5 * n)) {}
};

template <class T>
int solve(int64_t n, Room<T>& r, real_of<T>* values) {
  const int size = static_cast<int>(n), work = static_cast<int>(r.work.size()),
            integers = static_cast<int>(r.integers.size());
  int info = 0;
  if constexpr (Room<T>::complex) {
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

template <class T>
double size_of(const T& x) {
  if constexpr (is_complex(dtype_of_v<T>))
    return std::hypot(static_cast<double>(x.re), static_cast<double>(x.im));
  else
    return std::fabs(static_cast<double>(x));
}

// v, whose numbers LAPACK conjugated, as column k of `to`, turned so that its leading number is
// positive.
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
    Room<T> room(n);
    const T* x = from + b * size;
    real_of<T>* w = values + b * n;
    bool finite = true;
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j <= i; ++j) finite = finite && std::isfinite(size_of(x[i * n + j]));
    // What is the lower triangle here is the upper one of columns, of the conjugate.
    std::copy(x, x + size, room.vectors.data());
    if (!finite || solve(n, room, w) != 0) {
      std::fill(vectors + b * size, vectors + (b + 1) * size, not_a_number<T>());
      std::fill(w, w + n, not_a_number<real_of<T>>());
      return;
    }
    for (int64_t k = 0; k < n; ++k)
      put_vector(n, room.vectors.data() + k * n, k, vectors + b * size);
  });
}

}  // namespace

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

}  // namespace weft::native
