// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/cuda/libraries/solver.cpp: queries workspace sizes, and makes one call per matrix or one
// for the whole batch.
#include "runtime/cuda/libraries/solver.h"

#include "runtime/cuda/libraries/call.h"

namespace weft::cuda {
namespace {

constexpr const char* prefix = "cusolverDn";
constexpr int64_t index_bytes = sizeof(int32_t);
// Matrices of up to this many rows are factored by one batched call; the value was not tuned by
// measurement.
constexpr int64_t batched_rows = 256;

bool is_batched(const Columns& a) { return a.batch > 1 && a.rows <= batched_rows; }
int size(int64_t n) { return static_cast<int>(n); }

// A sequence of cuSOLVER calls on matrices of this type.
class SolverCall {
 public:
  SolverCall(const Columns& a, const NativeArgs& args, const std::string& function)
      : type_(a.type),
        call_(args, cusolver, function),
        table(solver(call_.driver()).of(a.type)),
        handle(call_.solver_handle()) {}
  // Queries the workspace size in elements, and allocates the workspace.
  template <class F, class... A>
  int query_workspace(F query, const char* routine, A... arguments) {
    int n = 0;
    check(routine, query(handle, arguments..., &n));
    workspace = call_.workspace(n * itemsize(type_));
    return n;
  }
  void check(const char* routine, Status s) const {
    if (s != 0) call_.check(routine_name(prefix, type_, routine), s);
  }
  LibraryCall& call() { return call_; }

 private:
  const DType type_;
  LibraryCall call_;

 public:
  const Solver::Typed& table;
  const SolverHandle handle;
  void* workspace = nullptr;
};

// Consecutive items of `stride` bytes each.
struct Rows {
  std::byte* first;
  int64_t stride;
  void* operator[](int64_t i) const { return first + i * stride; }
  int32_t* index(int64_t i) const { return reinterpret_cast<int32_t*>(first + i * stride); }
};
Rows operands(SolverCall& s, size_t k, int64_t batch, int64_t stride) {
  return {s.call().operand(k, batch * stride), stride};
}
Rows results(SolverCall& s, size_t k, int64_t batch, int64_t stride) {
  return {s.call().result(k, batch * stride), stride};
}
int64_t bytes_of(const Columns& a) { return a.rows * a.columns * itemsize(a.type); }

}  // namespace

std::string name_of_cholesky(const Columns& a) {
  return routine_name(prefix, a.type, is_batched(a) ? "potrfBatched" : "potrf");
}
bool lu_swaps(const Columns& a) { return !is_batched(a) || a.rows != a.columns; }
std::string name_of_lu(const Columns& a) {
  return lu_swaps(a) ? routine_name(prefix, a.type, "getrf")
                     : routine_name("cublas", a.type, "getrfBatched");
}
std::string name_of_reflections(const Columns& a) { return routine_name(prefix, a.type, "geqrf"); }
std::string name_of_product(const Columns& a) { return routine_name(prefix, a.type, "orgqr"); }
std::string name_of_eigh(const Columns& a) { return routine_name(prefix, a.type, "syevd"); }
std::string name_of_svd(const Columns& a) { return routine_name(prefix, a.type, "gesvd"); }

void cholesky(const Columns& a, const NativeArgs& args) {
  SolverCall s(a, args, name_of_cholesky(a));
  const Rows x = operands(s, 0, a.batch, bytes_of(a)), info = results(s, 0, a.batch, index_bytes);
  const int n = size(a.rows);
  if (is_batched(a)) {
    void* const* const all = s.call().table(x.first, x.stride, a.batch);
    s.check("potrfBatched", s.table.potrf_batched(s.handle, number::upper, n, all, n, info.index(0),
                                                  size(a.batch)));
  } else {
    const int lwork =
        s.query_workspace(s.table.potrf_size, "potrf_bufferSize", number::upper, n, x[0], n);
    for (int64_t i = 0; i < a.batch; ++i)
      s.check("potrf", s.table.potrf(s.handle, number::upper, n, x[i], n, s.workspace, lwork,
                                     info.index(i)));
  }
  s.call().done();
}

namespace {
void batched_lu(const Columns& a, const NativeArgs& args) {
  LibraryCall c(args, cublas, name_of_lu(a));
  std::byte* const x = c.operand(0, a.batch * bytes_of(a));
  auto* const pivots = reinterpret_cast<int*>(c.result(0, a.batch * a.rows * index_bytes));
  auto* const info = reinterpret_cast<int*>(c.result(1, a.batch * index_bytes));
  const int n = size(a.rows);
  const BlasHandle handle = c.blas_handle();
  void* const* const all = c.table(x, bytes_of(a), a.batch);
  c.check(
      name_of_lu(a),
      blas(c.driver()).of(a.type).getrf_batched(handle, n, all, n, pivots, info, size(a.batch)));
  c.done();
}
}  // namespace

void lu(const Columns& a, const NativeArgs& args) {
  if (!lu_swaps(a)) return batched_lu(a, args);
  SolverCall s(a, args, name_of_lu(a));
  const Rows x = operands(s, 0, a.batch, bytes_of(a)),
             pivots = results(s, 0, a.batch, a.smaller() * index_bytes),
             info = results(s, 1, a.batch, index_bytes),
             order = operands(s, 1, a.batch, a.rows * itemsize(F64));
  const int m = size(a.rows), n = size(a.columns);
  const auto swap_rows = solver(s.call().driver()).swap_rows;
  s.query_workspace(s.table.getrf_size, "getrf_bufferSize", m, n, x[0], m);
  for (int64_t i = 0; i < a.batch; ++i) {
    s.check("getrf",
            s.table.getrf(s.handle, m, n, x[i], m, s.workspace, pivots.index(i), info.index(i)));
    s.call().check("cusolverDnDlaswp",
                   swap_rows(s.handle, 1, order[i], m, 1, size(a.smaller()), pivots.index(i), 1));
  }
  s.call().done();
}

void reflections(const Columns& a, const NativeArgs& args) {
  SolverCall s(a, args, name_of_reflections(a));
  const Rows x = operands(s, 0, a.batch, bytes_of(a)),
             taus = results(s, 0, a.batch, a.smaller() * itemsize(a.type)),
             info = results(s, 1, a.batch, index_bytes);
  const int m = size(a.rows), n = size(a.columns);
  const int lwork = s.query_workspace(s.table.geqrf_size, "geqrf_bufferSize", m, n, x[0], m);
  for (int64_t i = 0; i < a.batch; ++i)
    s.check("geqrf",
            s.table.geqrf(s.handle, m, n, x[i], m, taus[i], s.workspace, lwork, info.index(i)));
  s.call().done();
}

void product_of_reflections(const Columns& a, int64_t count, const NativeArgs& args) {
  SolverCall s(a, args, name_of_product(a));
  const Rows x = operands(s, 0, a.batch, bytes_of(a)),
             taus = operands(s, 1, a.batch, count * itemsize(a.type)),
             info = results(s, 0, a.batch, index_bytes);
  const int m = size(a.rows), n = size(a.columns), k = size(count);
  const int lwork =
      s.query_workspace(s.table.orgqr_size, "orgqr_bufferSize", m, n, k, x[0], m, taus[0]);
  for (int64_t i = 0; i < a.batch; ++i)
    s.check("orgqr",
            s.table.orgqr(s.handle, m, n, k, x[i], m, taus[i], s.workspace, lwork, info.index(i)));
  s.call().done();
}

void eigh(const Columns& a, const NativeArgs& args) {
  SolverCall s(a, args, name_of_eigh(a));
  const Rows x = operands(s, 0, a.batch, bytes_of(a)),
             values = results(s, 0, a.batch, a.rows * itemsize(real_part(a.type))),
             info = results(s, 1, a.batch, index_bytes);
  const int n = size(a.rows), job = number::with_vectors, triangle = number::upper;
  const int lwork = s.query_workspace(s.table.syevd_size, "syevd_bufferSize", job, triangle, n,
                                      x[0], n, values[0]);
  for (int64_t i = 0; i < a.batch; ++i)
    s.check("syevd", s.table.syevd(s.handle, job, triangle, n, x[i], n, values[i], s.workspace,
                                   lwork, info.index(i)));
  s.call().done();
}

void svd(const Columns& a, bool vectors, const NativeArgs& args) {
  SolverCall s(a, args, name_of_svd(a));
  const int64_t item = itemsize(a.type), k = a.smaller();
  const Rows x = operands(s, 0, a.batch, bytes_of(a)),
             values = results(s, 0, a.batch, k * itemsize(real_part(a.type))),
             u = vectors ? results(s, 1, a.batch, a.rows * k * item) : Rows{nullptr, 0},
             v = vectors ? results(s, 2, a.batch, k * a.columns * item) : Rows{nullptr, 0},
             info = results(s, vectors ? 3 : 1, a.batch, index_bytes);
  const int m = size(a.rows), n = size(a.columns);
  const signed char job = vectors ? 'S' : 'N';
  const int lwork = s.query_workspace(s.table.gesvd_size, "gesvd_bufferSize", m, n);
  for (int64_t i = 0; i < a.batch; ++i)
    s.check("gesvd", s.table.gesvd(s.handle, job, job, m, n, x[i], m, values[i], u[i], m, v[i], n,
                                   s.workspace, lwork, nullptr, info.index(i)));
  s.call().done();
}

}  // namespace weft::cuda
