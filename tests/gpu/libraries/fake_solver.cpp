// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/gpu/libraries/fake_solver.cpp: implements cuSOLVER with LAPACK, on memory of the emulated
// device.
#include <cstring>
#include <utility>
#include <vector>

#include "gpu/libraries/fake_libraries.h"
#include "runtime/native/lapack.h"

extern "C" {
void sgesvd_(const char*, const char*, const int*, const int*, void*, const int*, void*, void*,
             const int*, void*, const int*, void*, const int*, int*, size_t, size_t);
void dgesvd_(const char*, const char*, const int*, const int*, void*, const int*, void*, void*,
             const int*, void*, const int*, void*, const int*, int*, size_t, size_t);
void cgesvd_(const char*, const char*, const int*, const int*, void*, const int*, void*, void*,
             const int*, void*, const int*, void*, const int*, void*, int*, size_t, size_t);
void zgesvd_(const char*, const char*, const int*, const int*, void*, const int*, void*, void*,
             const int*, void*, const int*, void*, const int*, void*, int*, size_t, size_t);
}

using namespace weft;
using weft::cuda::SolverHandle;
using weft::cuda::Status;
using weft::native::by_type;
using weft::native::real_of;
namespace number = weft::cuda::number;

namespace {

int give_up_at = 0;

// Returns the workspace size of each routine in elements. Every size is distinct from all other
// numbers of the call.
int potrf_room(int n) { return 3 * n + 17; }
int getrf_room(int m, int n) { return 5 * m + n + 19; }
int geqrf_room(int m, int n) { return 40 * n + m + 23; }
int orgqr_room(int m, int n) { return 41 * n + m + 29; }
int syevd_room(int n) { return 7 * n + 31; }
int gesvd_room(int m, int n) { return 11 * n + m + 37; }

template <class T>
constexpr int64_t item = sizeof(T);

// A routine on one matrix of m rows and n columns.
template <class T>
struct Routine : fake::Call {
  Routine(const char* entry, SolverHandle h, int m, int n, const void* a, int lda) : Call(entry) {
    on(h->stream);
    require(m > 0 && n > 0, "a matrix without elements");
    require(lda == m, "columns that are not one behind the other");
    inside(a, item<T> * m * n);
  }
  void room(void* work, int given, int wanted) {
    require(given == wanted, "another workspace than was asked for");
    work_ = work;
    bytes_ = item<T> * wanted;
    inside(work, bytes_);
  }
  Status run(int* info, std::function<int()> work) {
    inside(info, 4);
    return queue([=, at = work_, bytes = bytes_] {
      if (at) std::memset(at, 0xee, static_cast<size_t>(bytes));
      const int r = work();
      *info = fake::gives_up() ? 1 : r;
    });
  }

 private:
  void* work_ = nullptr;
  int64_t bytes_ = 0;
};

Status size(const char* entry, int* to, int n) {
  *to = n;
  return fake::Call(entry).status();
}

template <class T>
int factor(int uplo, int n, void* a) {
  int info = 0;
  constexpr auto f = by_type<T>(&spotrf_, &dpotrf_, &cpotrf_, &zpotrf_);
  f(uplo == number::upper ? "U" : "L", &n, a, &n, &info, 1);
  return info;
}
template <class T>
int eliminate(int m, int n, void* a, int* pivots) {
  int info = 0;
  constexpr auto f = by_type<T>(&sgetrf_, &dgetrf_, &cgetrf_, &zgetrf_);
  f(&m, &n, a, &m, pivots, &info);
  return info;
}
template <class T>
int reflect(int m, int n, void* a, void* tau) {
  int info = 0, room = 64 * n;
  std::vector<T> work(static_cast<size_t>(room));
  constexpr auto f = by_type<T>(&sgeqrf_, &dgeqrf_, &cgeqrf_, &zgeqrf_);
  f(&m, &n, a, &m, tau, work.data(), &room, &info);
  return info;
}
template <class T>
int multiply(int m, int n, int k, void* a, const void* tau) {
  int info = 0, room = 64 * n;
  std::vector<T> work(static_cast<size_t>(room));
  constexpr auto f = by_type<T>(&sorgqr_, &dorgqr_, &cungqr_, &zungqr_);
  f(&m, &n, &k, a, &m, tau, work.data(), &room, &info);
  return info;
}
template <class T>
int eigenvectors(int uplo, int n, void* a, void* w) {
  int info = 0, room = 2 * n * n + 6 * n + 1, integers = 5 * n + 3, reals = 2 * n * n + 5 * n + 1;
  std::vector<T> work(static_cast<size_t>(room));
  std::vector<int> iwork(static_cast<size_t>(integers));
  std::vector<real_of<T>> rwork(static_cast<size_t>(reals));
  const char* const triangle = uplo == number::upper ? "U" : "L";
  if constexpr (is_complex(dtype_of_v<T>)) {
    constexpr auto f = by_type<T>(&cheevd_, &cheevd_, &cheevd_, &zheevd_);
    f("V", triangle, &n, a, &n, w, work.data(), &room, rwork.data(), &reals, iwork.data(),
      &integers, &info, 1, 1);
  } else {
    constexpr auto f = by_type<T>(&ssyevd_, &dsyevd_, &ssyevd_, &dsyevd_);
    f("V", triangle, &n, a, &n, w, work.data(), &room, iwork.data(), &integers, &info, 1, 1);
  }
  return info;
}
template <class T>
int singular(char job, int m, int n, void* a, void* s, void* u, void* vt) {
  int info = 0, room = 64 * (m + n);
  std::vector<T> work(static_cast<size_t>(room));
  std::vector<real_of<T>> rwork(static_cast<size_t>(5 * n));
  if constexpr (is_complex(dtype_of_v<T>)) {
    constexpr auto f = by_type<T>(&cgesvd_, &cgesvd_, &cgesvd_, &zgesvd_);
    f(&job, &job, &m, &n, a, &m, s, u, &m, vt, &n, work.data(), &room, rwork.data(), &info, 1, 1);
  } else {
    constexpr auto f = by_type<T>(&sgesvd_, &dgesvd_, &sgesvd_, &dgesvd_);
    f(&job, &job, &m, &n, a, &m, s, u, &m, vt, &n, work.data(), &room, &info, 1, 1);
  }
  return info;
}

}  // namespace

bool fake::gives_up() {
  if (give_up_at == 0) return false;
  --give_up_at;
  return give_up_at == 0;
}

#pragma GCC visibility push(default)
extern "C" {

void fake_libraries_give_up(int nth) { give_up_at = nth; }

namespace weft::cuda {

Status cusolverDnCreate(SolverHandle* h) {
  const fake::Call c("cusolverDnCreate");
  if (!c) return c.status();
  *h = new SolverOf;
  ++fake::live.handles;
  return 0;
}
Status cusolverDnSetStream(SolverHandle h, StreamHandle s) {
  fake::Call c("cusolverDnSetStream");
  c.on(s);
  if (c) h->stream = s;
  return c.status();
}
Status cusolverGetProperty(int which, int* value) {
  return fake::property("cusolverGetProperty", which, value);
}
Status cusolverDnDlaswp(SolverHandle h, int n, void* a, int lda, int k1, int k2, const int* pivots,
                        int step) {
  fake::Call c("cusolverDnDlaswp");
  c.on(h->stream);
  c.require(k1 == 1 && step == 1 && n == 1, "other rows than all");
  c.inside(a, 8 * lda);
  c.inside(pivots, 4 * k2);
  return c.queue([=] {
    auto* const x = static_cast<double*>(a);
    for (int i = 0; i < k2; ++i) std::swap(x[i], x[pivots[i] - 1]);
  });
}

#define FAKE_SOLVER(L, T, U, E)                                                                  \
  Status cusolverDn##L##potrf_bufferSize(SolverHandle, int, int n, void*, int, int* to) {        \
    return size("cusolverDn" #L "potrf_bufferSize", to, potrf_room(n));                          \
  }                                                                                              \
  Status cusolverDn##L##potrf(SolverHandle h, int uplo, int n, void* a, int lda, void* work,     \
                              int room, int* info) {                                             \
    Routine<T> r("cusolverDn" #L "potrf", h, n, n, a, lda);                                      \
    r.room(work, room, potrf_room(n));                                                           \
    return r.run(info, [=] { return factor<T>(uplo, n, a); });                                   \
  }                                                                                              \
  Status cusolverDn##L##potrfBatched(SolverHandle h, int uplo, int n, void* const* all, int lda, \
                                     int* info, int batch) {                                     \
    fake::Call c("cusolverDn" #L "potrfBatched");                                                \
    c.on(h->stream);                                                                             \
    c.require(lda == n && batch > 1, "no batch of squares");                                     \
    c.inside(all, batch);                                                                        \
    c.inside(info, 4 * batch);                                                                   \
    return c.queue([=] {                                                                         \
      for (int i = 0; i < batch; ++i) info[i] = factor<T>(uplo, n, all[i]);                      \
    });                                                                                          \
  }                                                                                              \
  Status cusolverDn##L##getrf_bufferSize(SolverHandle, int m, int n, void*, int, int* to) {      \
    return size("cusolverDn" #L "getrf_bufferSize", to, getrf_room(m, n));                       \
  }                                                                                              \
  Status cusolverDn##L##getrf(SolverHandle h, int m, int n, void* a, int lda, void* work,        \
                              int* pivots, int* info) {                                          \
    Routine<T> r("cusolverDn" #L "getrf", h, m, n, a, lda);                                      \
    r.room(work, getrf_room(m, n), getrf_room(m, n));                                            \
    r.inside(pivots, 4 * std::min(m, n));                                                        \
    return r.run(info, [=] { return eliminate<T>(m, n, a, pivots); });                           \
  }                                                                                              \
  Status cusolverDn##L##geqrf_bufferSize(SolverHandle, int m, int n, void*, int, int* to) {      \
    return size("cusolverDn" #L "geqrf_bufferSize", to, geqrf_room(m, n));                       \
  }                                                                                              \
  Status cusolverDn##L##geqrf(SolverHandle h, int m, int n, void* a, int lda, void* tau,         \
                              void* work, int room, int* info) {                                 \
    Routine<T> r("cusolverDn" #L "geqrf", h, m, n, a, lda);                                      \
    r.room(work, room, geqrf_room(m, n));                                                        \
    r.inside(tau, item<T>* std::min(m, n));                                                      \
    return r.run(info, [=] { return reflect<T>(m, n, a, tau); });                                \
  }                                                                                              \
  Status cusolverDn##L##U##gqr_bufferSize(SolverHandle, int m, int n, int, const void*, int,     \
                                          const void*, int* to) {                                \
    return size("cusolverDn" #L#U "gqr_bufferSize", to, orgqr_room(m, n));                       \
  }                                                                                              \
  Status cusolverDn##L##U##gqr(SolverHandle h, int m, int n, int k, void* a, int lda,            \
                               const void* tau, void* work, int room, int* info) {               \
    Routine<T> r("cusolverDn" #L#U "gqr", h, m, n, a, lda);                                      \
    r.room(work, room, orgqr_room(m, n));                                                        \
    r.require(m >= n && n >= k, "fewer rows than columns, or columns than reflections");         \
    r.inside(tau, item<T>* k);                                                                   \
    return r.run(info, [=] { return multiply<T>(m, n, k, a, tau); });                            \
  }                                                                                              \
  Status cusolverDn##L##E##evd_bufferSize(SolverHandle, int, int, int n, const void*, int,       \
                                          const void*, int* to) {                                \
    return size("cusolverDn" #L#E "evd_bufferSize", to, syevd_room(n));                          \
  }                                                                                              \
  Status cusolverDn##L##E##evd(SolverHandle h, int job, int uplo, int n, void* a, int lda,       \
                               void* w, void* work, int room, int* info) {                       \
    Routine<T> r("cusolverDn" #L#E "evd", h, n, n, a, lda);                                      \
    r.room(work, room, syevd_room(n));                                                           \
    r.require(job == number::with_vectors, "no vectors");                                        \
    r.inside(w, item<real_of<T>>* n);                                                            \
    return r.run(info, [=] { return eigenvectors<T>(uplo, n, a, w); });                          \
  }                                                                                              \
  Status cusolverDn##L##gesvd_bufferSize(SolverHandle, int m, int n, int* to) {                  \
    return size("cusolverDn" #L "gesvd_bufferSize", to, gesvd_room(m, n));                       \
  }                                                                                              \
  Status cusolverDn##L##gesvd(SolverHandle h, signed char left, signed char right, int m, int n, \
                              void* a, int lda, void* s, void* u, int ldu, void* vt, int ldvt,   \
                              void* work, int room, void*, int* info) {                          \
    Routine<T> r("cusolverDn" #L "gesvd", h, m, n, a, lda);                                      \
    r.room(work, room, gesvd_room(m, n));                                                        \
    r.require(m >= n, "fewer rows than columns");                                                \
    r.require(left == right && ldu == m && ldvt == n, "other vectors than are wanted");          \
    r.inside(s, item<real_of<T>>* n);                                                            \
    if (left == 'S') r.inside(u, item<T>* m* n), r.inside(vt, item<T>* n* n);                    \
    return r.run(info, [=] { return singular<T>(static_cast<char>(left), m, n, a, s, u, vt); }); \
  }
FAKE_SOLVER(S, float, or, sy)
FAKE_SOLVER(D, double, or, sy)
FAKE_SOLVER(C, complex64_t, un, he)
FAKE_SOLVER(Z, complex128_t, un, he)

#define FAKE_GETRF(L, T)                                                                      \
  Status cublas##L##getrfBatched(BlasHandle h, int n, void* const* all, int lda, int* pivots, \
                                 int* info, int batch) {                                      \
    fake::Call c("cublas" #L "getrfBatched");                                                 \
    c.on(h->stream);                                                                          \
    c.require(lda == n && batch > 1, "no batch of squares");                                  \
    c.inside(all, batch);                                                                     \
    c.inside(info, 4 * batch);                                                                \
    c.inside(pivots, 4 * batch * n);                                                          \
    return c.queue([=] {                                                                      \
      for (int i = 0; i < batch; ++i) info[i] = eliminate<T>(n, n, all[i], pivots + i * n);   \
    });                                                                                       \
  }
FAKE_GETRF(S, float)
FAKE_GETRF(D, double)
FAKE_GETRF(C, complex64_t)
FAKE_GETRF(Z, complex128_t)

}  // namespace weft::cuda
}
#pragma GCC visibility pop
