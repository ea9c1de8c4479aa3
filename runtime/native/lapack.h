// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/lapack.h: LAPACK's functions under one name for the four element types. It also
// has the helpers of the files that call them: dispatch, batches on threads, transposition to
// column-major. Only those files include it.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/ir.h"
#include "weft/device/threads.h"
#include "weft/dtype.h"

// LAPACK's own names. The length of a string argument follows all other arguments.
extern "C" {
#define WEFT_LAPACK(name, ...)  \
  void s##name##_(__VA_ARGS__); \
  void d##name##_(__VA_ARGS__); \
  void c##name##_(__VA_ARGS__); \
  void z##name##_(__VA_ARGS__);
WEFT_LAPACK(potrf, const char*, const int*, void*, const int*, int*, size_t)
WEFT_LAPACK(getrf, const int*, const int*, void*, const int*, int*, int*)
WEFT_LAPACK(geqrf, const int*, const int*, void*, const int*, void*, void*, const int*, int*)
void sgeqp3_(const int*, const int*, void*, const int*, int*, void*, void*, const int*, int*);
void dgeqp3_(const int*, const int*, void*, const int*, int*, void*, void*, const int*, int*);
void cgeqp3_(const int*, const int*, void*, const int*, int*, void*, void*, const int*, void*,
             int*);
void zgeqp3_(const int*, const int*, void*, const int*, int*, void*, void*, const int*, void*,
             int*);
void sorgqr_(const int*, const int*, const int*, void*, const int*, const void*, void*, const int*,
             int*);
void dorgqr_(const int*, const int*, const int*, void*, const int*, const void*, void*, const int*,
             int*);
void cungqr_(const int*, const int*, const int*, void*, const int*, const void*, void*, const int*,
             int*);
void zungqr_(const int*, const int*, const int*, void*, const int*, const void*, void*, const int*,
             int*);
#undef WEFT_LAPACK
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

// Calls f(T*) for the element type.
template <class F>
void with_type(DType d, F f) {
  switch (d) {
    case F32: return f(static_cast<float*>(nullptr));
    case F64: return f(static_cast<double*>(nullptr));
    case C64: return f(static_cast<complex64_t*>(nullptr));
    default: return f(static_cast<complex128_t*>(nullptr));
  }
}

// Chooses one of four functions by the element type.
template <class T, class F>
constexpr F by_type(F s, F d, F c, F z) {
  if constexpr (std::is_same_v<T, float>) return s;
  if constexpr (std::is_same_v<T, double>) return d;
  if constexpr (std::is_same_v<T, complex64_t>) return c;
  return z;
}

// Calls f(i) for each matrix; `work` is the number of multiplications that one matrix needs.
template <class F>
void each_matrix(int64_t batch, double work, F f) {
  constexpr double worth_a_thread = 1e5;
  const double grain = std::max(1., worth_a_thread / std::max(1., work));
  parallel_for(batch, static_cast<int64_t>(grain), [&](int64_t lo, int64_t hi) {
    for (int64_t i = lo; i < hi; ++i) f(i);
  });
}

inline double cube(int64_t n) { return static_cast<double>(n) * static_cast<double>(n * n); }

template <class T>
T not_a_number() {
  if constexpr (is_complex(dtype_of_v<T>)) {
    using R = decltype(T{}.re);
    return {std::numeric_limits<R>::quiet_NaN(), std::numeric_limits<R>::quiet_NaN()};
  } else {
    return std::numeric_limits<T>::quiet_NaN();
  }
}

// The type of the real and imaginary parts of a number, and the complex type with such parts.
template <class T>
struct RealOf {
  using type = T;
};
template <class R>
struct RealOf<Complex<R>> {
  using type = R;
};
template <class T>
using real_of = typename RealOf<T>::type;
template <class T>
using complex_of = Complex<real_of<T>>;

template <class T>
double size_of(const T& x) {
  if constexpr (is_complex(dtype_of_v<T>))
    return std::hypot(static_cast<double>(x.re), static_cast<double>(x.im));
  else
    return std::fabs(static_cast<double>(x));
}

template <class T>
bool is_finite(const T& x) {
  if constexpr (is_complex(dtype_of_v<T>))
    return std::isfinite(x.re) && std::isfinite(x.im);
  else
    return std::isfinite(x);
}
template <class T>
bool all_finite(const T* x, int64_t n) {
  return std::all_of(x, x + n, is_finite<T>);
}

// Transposes a row-major m x n matrix to LAPACK's column-major layout; with m and n exchanged,
// back.
template <class T>
void turn(int64_t m, int64_t n, const T* from, T* to) {
  constexpr int64_t tile = 16;
  for (int64_t i0 = 0; i0 < m; i0 += tile)
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = i0; i < std::min(m, i0 + tile); ++i) to[j * m + i] = from[i * n + j];
}

}  // namespace weft::native
