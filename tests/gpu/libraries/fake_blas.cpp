// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/gpu/libraries/fake_blas.cpp: implements cuBLAS with BLAS and cuBLASLt with loops, on memory
// of the emulated device.
#include <cblas.h>

#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <set>

#include "gpu/libraries/fake_libraries.h"

using namespace weft;
using weft::cuda::BlasHandle;
using weft::cuda::Status;
namespace number = weft::cuda::number;

namespace weft::cuda {

struct MatmulOf {
  int compute = 0, scale = 0;
  int32_t a = 0, b = 0;
};
struct LayoutOf {
  int type = 0;
  int64_t rows = 0, columns = 0, ld = 0, offset = 0;
  int32_t batch = 1;
};
struct PreferenceOf {
  uint64_t workspace = 0;
  uint32_t alignment[4] = {256, 256, 256, 256};
};

}  // namespace weft::cuda

namespace {

using fake::item, fake::read, fake::write, fake::made, fake::destroyed;
using weft::cuda::LayoutOf;

struct Solve {
  CBLAS_SIDE side;
  CBLAS_UPLO triangle;
  CBLAS_TRANSPOSE op;
  CBLAS_DIAG diagonal;
  int m, n, lda, ldb;
  const void* one;
};
Solve solve_of(int side, int uplo, int op, int diagonal, int m, int n, const void* one, int lda,
               int ldb) {
  return {side == number::left ? CblasLeft : CblasRight,
          uplo == number::lower ? CblasLower : CblasUpper,
          op == number::as_it_is    ? CblasNoTrans
          : op == number::transpose ? CblasTrans
                                    : CblasConjTrans,
          diagonal == number::unit ? CblasUnit : CblasNonUnit,
          m,
          n,
          lda,
          ldb,
          one};
}
void run(const Solve& s, const float* a, float* b) {
  cblas_strsm(CblasColMajor, s.side, s.triangle, s.op, s.diagonal, s.m, s.n, 1, a, s.lda, b, s.ldb);
}
void run(const Solve& s, const double* a, double* b) {
  cblas_dtrsm(CblasColMajor, s.side, s.triangle, s.op, s.diagonal, s.m, s.n, 1, a, s.lda, b, s.ldb);
}
void run(const Solve& s, const complex64_t* a, complex64_t* b) {
  const complex64_t one{1, 0};
  cblas_ctrsm(CblasColMajor, s.side, s.triangle, s.op, s.diagonal, s.m, s.n, &one, a, s.lda, b,
              s.ldb);
}
void run(const Solve& s, const complex128_t* a, complex128_t* b) {
  const complex128_t one{1, 0};
  cblas_ztrsm(CblasColMajor, s.side, s.triangle, s.op, s.diagonal, s.m, s.n, &one, a, s.lda, b,
              s.ldb);
}

// Returns true if the factor, which the caller keeps on the host, is one.
template <class T>
bool is_one(const void* x) {
  T value{};
  std::memcpy(&value, x, sizeof value);
  if constexpr (requires { value.re; })
    return value == T{1, 0};
  else
    return value == 1;
}

template <class T>
void begin_solve(fake::Call& c, BlasHandle h, const Solve& s) {
  c.on(h->stream);
  const int order = s.side == CblasLeft ? s.m : s.n;
  c.require(s.lda == order && s.ldb == s.m, "columns that are not one behind the other");
  c.require(is_one<T>(s.one), "a factor other than 1");
}

// ---- products

int64_t bytes_of(const LayoutOf& l) { return l.batch * l.rows * l.columns * item(l.type); }

constexpr size_t room = 4096 + 128;
constexpr uint64_t algorithm = 0x77656674;

struct Matmul {
  weft::cuda::MatmulOf of;
  LayoutOf a, b, d;
  const void *from_a, *from_b;
  void* to;
};
void run(const Matmul& p) {
  const int64_t k = p.of.a == number::transpose ? p.a.rows : p.a.columns;
  for (int64_t batch = 0; batch < p.d.batch; ++batch)
    for (int64_t i = 0; i < p.d.rows; ++i)
      for (int64_t j = 0; j < p.d.columns; ++j) {
        double sum = 0;
        for (int64_t t = 0; t < k; ++t) {
          const int64_t a = p.of.a == number::transpose ? i * p.a.ld + t : t * p.a.ld + i,
                        b = p.of.b == number::transpose ? t * p.b.ld + j : j * p.b.ld + t;
          sum += read(p.a.type, p.from_a, batch * p.a.offset + a) *
                 read(p.b.type, p.from_b, batch * p.b.offset + b);
        }
        write(p.d.type, p.to, batch * p.d.offset + j * p.d.ld + i, sum);
      }
}
// Checks that the rows and columns of both factors and of the result match.
bool fits(const Matmul& p) {
  const bool ta = p.of.a == number::transpose, tb = p.of.b == number::transpose;
  return (ta ? p.a.columns : p.a.rows) == p.d.rows &&
         (tb ? p.b.rows : p.b.columns) == p.d.columns &&
         (ta ? p.a.rows : p.a.columns) == (tb ? p.b.columns : p.b.rows) && p.a.batch == p.d.batch &&
         p.b.batch == p.d.batch;
}

}  // namespace

FakeLibrariesLive fake::live{};

double fake::read(int type, const void* at, int64_t i) {
  const auto* bits = static_cast<const uint16_t*>(at) + i;
  if (type == number::r_32f) return static_cast<const float*>(at)[i];
  if (type == number::r_64f) return static_cast<const double*>(at)[i];
  uint32_t word = 0;
  float f = 0;
  if (type == number::r_16bf) {
    word = uint32_t{*bits} << 16;
    std::memcpy(&f, &word, 4);
    return f;
  }
  _Float16 h;
  std::memcpy(&h, bits, 2);
  return static_cast<double>(h);
}
void fake::write(int type, void* at, int64_t i, double x) {
  auto* bits = static_cast<uint16_t*>(at) + i;
  if (type == number::r_32f) static_cast<float*>(at)[i] = static_cast<float>(x);
  if (type == number::r_64f) static_cast<double*>(at)[i] = x;
  if (type == number::r_16bf) {
    const auto f = static_cast<float>(x);
    uint32_t word = 0;
    std::memcpy(&word, &f, 4);
    *bits = static_cast<uint16_t>((word + 0x7fff + (word >> 16 & 1)) >> 16);
  }
  if (type == number::r_16f) {
    const auto h = static_cast<_Float16>(static_cast<float>(x));
    std::memcpy(bits, &h, 2);
  }
}
int64_t fake::item(int type) { return type == number::r_64f ? 8 : type == number::r_32f ? 4 : 2; }

#pragma GCC visibility push(default)
extern "C" {

extern const int weft_emulated_library;
const int weft_emulated_library = 1;

FakeLibrariesLive fake_libraries_live() { return fake::live; }
const char* const* fake_libraries_entries() {
#define FAKE_NAME(name, symbol, parameters) #symbol,
#define FAKE_NAMES(entries)                                                                 \
  entries(FAKE_NAME, S, or, sy) entries(FAKE_NAME, D, or, sy) entries(FAKE_NAME, C, un, he) \
      entries(FAKE_NAME, Z, un, he)
  static const char* const names[] = {
      WEFT_CUSOLVER_ENTRIES(FAKE_NAME) FAKE_NAMES(WEFT_CUSOLVER_ENTRIES_OF)
          WEFT_CUBLAS_ENTRIES(FAKE_NAME) FAKE_NAMES(WEFT_CUBLAS_ENTRIES_OF)
              WEFT_CUBLASLT_ENTRIES(FAKE_NAME) WEFT_CUFFT_ENTRIES(FAKE_NAME)
                  WEFT_CUDNN_ENTRIES(FAKE_NAME) nullptr};
  return names;
}

namespace weft::cuda {

Status cublasCreate_v2(BlasHandle* h) {
  const fake::Call c("cublasCreate_v2");
  if (!c) return c.status();
  *h = new BlasOf;
  ++fake::live.handles;
  return 0;
}
Status cublasSetStream_v2(BlasHandle h, StreamHandle s) {
  fake::Call c("cublasSetStream_v2");
  c.on(s);
  if (c) h->stream = s;
  return c.status();
}
Status cublasGetProperty(int which, int* value) {
  return fake::property("cublasGetProperty", which, value);
}

#define FAKE_BLAS(L, T)                                                                           \
  Status cublas##L##trsm_v2(BlasHandle h, int side, int uplo, int op, int diagonal, int m, int n, \
                            const void* one, const void* a, int lda, void* b, int ldb) {          \
    fake::Call c("cublas" #L "trsm_v2");                                                          \
    const Solve s = solve_of(side, uplo, op, diagonal, m, n, one, lda, ldb);                      \
    begin_solve<T>(c, h, s);                                                                      \
    c.inside(a, int64_t{lda} * lda * static_cast<int64_t>(sizeof(T)));                            \
    c.inside(b, int64_t{m} * n * static_cast<int64_t>(sizeof(T)));                                \
    return c.queue([=] { run(s, static_cast<const T*>(a), static_cast<T*>(b)); });                \
  }                                                                                               \
  Status cublas##L##trsmBatched(BlasHandle h, int side, int uplo, int op, int diagonal, int m,    \
                                int n, const void* one, const void* const* a, int lda,            \
                                void* const* b, int ldb, int batch) {                             \
    fake::Call c("cublas" #L "trsmBatched");                                                      \
    const Solve s = solve_of(side, uplo, op, diagonal, m, n, one, lda, ldb);                      \
    begin_solve<T>(c, h, s);                                                                      \
    c.inside(a, batch);                                                                           \
    c.inside(b, batch);                                                                           \
    return c.queue([=] {                                                                          \
      for (int i = 0; i < batch; ++i) run(s, static_cast<const T*>(a[i]), static_cast<T*>(b[i])); \
    });                                                                                           \
  }
FAKE_BLAS(S, float)
FAKE_BLAS(D, double)
FAKE_BLAS(C, complex64_t)
FAKE_BLAS(Z, complex128_t)

// ---- products

Status cublasLtCreate(BlasLtHandle* h) {
  const fake::Call c("cublasLtCreate");
  if (!c) return c.status();
  *h = new BlasLtOf;
  ++fake::live.handles;
  return 0;
}
Status cublasLtGetProperty(int which, int* value) {
  return fake::property("cublasLtGetProperty", which, value);
}
Status cublasLtMatmulDescCreate(MatmulHandle* h, int compute, int scale) {
  return made<MatmulOf>("cublasLtMatmulDescCreate", h, {compute, scale});
}
Status cublasLtMatmulDescDestroy(MatmulHandle h) {
  return destroyed("cublasLtMatmulDescDestroy", h);
}
Status cublasLtMatmulDescSetAttribute(MatmulHandle h, int which, const void* value, size_t bytes) {
  fake::Call c("cublasLtMatmulDescSetAttribute", false);
  c.require(bytes == 4 && (which == number::transpose_a || which == number::transpose_b),
            "an attribute that is not known");
  if (c) std::memcpy(which == number::transpose_a ? &h->a : &h->b, value, 4);
  return c.status();
}
Status cublasLtMatrixLayoutCreate(LayoutHandle* h, int type, uint64_t rows, uint64_t columns,
                                  int64_t ld) {
  return made<LayoutOf>(
      "cublasLtMatrixLayoutCreate", h,
      {type, static_cast<int64_t>(rows), static_cast<int64_t>(columns), ld, 0, 1});
}
Status cublasLtMatrixLayoutDestroy(LayoutHandle h) {
  return destroyed("cublasLtMatrixLayoutDestroy", h);
}
Status cublasLtMatrixLayoutSetAttribute(LayoutHandle h, int which, const void* value,
                                        size_t bytes) {
  fake::Call c("cublasLtMatrixLayoutSetAttribute", false);
  c.require(
      (bytes == 4 && which == number::batch_count) || (bytes == 8 && which == number::batch_offset),
      "an attribute that is not known");
  if (c && bytes == 4) std::memcpy(&h->batch, value, 4);
  if (c && bytes == 8) std::memcpy(&h->offset, value, 8);
  return c.status();
}
Status cublasLtMatmulPreferenceCreate(PreferenceHandle* h) {
  return made<PreferenceOf>("cublasLtMatmulPreferenceCreate", h, {});
}
Status cublasLtMatmulPreferenceDestroy(PreferenceHandle h) {
  return destroyed("cublasLtMatmulPreferenceDestroy", h);
}
Status cublasLtMatmulPreferenceSetAttribute(PreferenceHandle h, int which, const void* value,
                                            size_t bytes) {
  fake::Call c("cublasLtMatmulPreferenceSetAttribute", false);
  const bool aligns = which >= number::alignment_a && which <= number::alignment_d;
  c.require((bytes == 8 && which == number::max_workspace) || (bytes == 4 && aligns),
            "an attribute that is not known");
  if (c && aligns) std::memcpy(&h->alignment[which - number::alignment_a], value, 4);
  if (c && !aligns) std::memcpy(&h->workspace, value, 8);
  return c.status();
}
Status cublasLtMatmulAlgoGetHeuristic(BlasLtHandle, MatmulHandle, LayoutHandle, LayoutHandle,
                                      LayoutHandle, LayoutHandle, PreferenceHandle p, int wanted,
                                      MatmulChoice* to, int* found) {
  fake::Call c("cublasLtMatmulAlgoGetHeuristic");
  c.require(wanted == 1 && p->workspace >= room, "no room");
  for (const uint32_t a : p->alignment) c.require(a == 64, "another alignment than memory has");
  if (!c) return c.status();
  *to = {};
  to->algorithm.words[0] = algorithm;
  to->workspace = room;
  *found = 1;
  return 0;
}
Status cublasLtMatmul(BlasLtHandle, MatmulHandle m, const void* alpha, const void* a,
                      LayoutHandle of_a, const void* b, LayoutHandle of_b, const void* beta,
                      const void* from, LayoutHandle, void* to, LayoutHandle of_d,
                      const void* chosen, void* work, size_t bytes, StreamHandle stream) {
  fake::Call c("cublasLtMatmul");
  c.on(stream);
  const Matmul p{*m, *of_a, *of_b, *of_d, a, b, to};
  const bool wide = p.a.type == number::r_64f;
  c.require(m->compute == (wide ? number::compute_64f : number::compute_32f) &&
                m->scale == (wide ? number::r_64f : number::r_32f),
            "sums of another type");
  double one = 0, zero = 1;
  if (wide) {
    std::memcpy(&one, alpha, 8);
    std::memcpy(&zero, beta, 8);
  } else {
    one = read(number::r_32f, alpha, 0);
    zero = read(number::r_32f, beta, 0);
  }
  c.require(one == 1 && zero == 0, "factors other than 1 and 0");
  c.require(fits(p) && from == to, "matrices that do not fit");
  c.require(*static_cast<const uint64_t*>(chosen) == algorithm && bytes == room,
            "another choice than was made");
  const std::pair<const void*, const LayoutOf*> all[] = {{a, of_a}, {b, of_b}, {to, of_d}};
  for (const auto& [at, l] : all) {
    c.require(l->ld == l->rows && l->offset == l->rows * l->columns, "gaps in a matrix");
    c.inside(at, bytes_of(*l));
  }
  c.inside(work, static_cast<int64_t>(bytes));
  return c.queue([=] {
    std::memset(work, 0xee, bytes);
    run(p);
  });
}

}  // namespace weft::cuda
}
#pragma GCC visibility pop
