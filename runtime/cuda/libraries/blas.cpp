// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/cuda/libraries/blas.cpp: our matrices are row-major and cuBLAS is column-major, so each
// matrix is passed as its transpose, and left/right and lower/upper are swapped.
#include "runtime/cuda/libraries/blas.h"

#include <fmt/format.h>

#include <mutex>

#include "runtime/cuda/libraries/call.h"
#include "weft/error.h"

namespace weft::cuda {
namespace {

int size(int64_t n) { return static_cast<int>(n); }

// The scalar 1 of each type.
const void* one_of(DType d) {
  static constexpr float single[] = {1, 0};
  static constexpr double twice[] = {1, 0};
  return real_part(d) == F64 ? static_cast<const void*>(twice) : static_cast<const void*>(single);
}

}  // namespace

std::string name_of_triangular(const TriangularSystem& t) {
  return routine_name("cublas", t.type, t.batch > 1 ? "trsmBatched" : "trsm");
}

void solve_triangular(const TriangularSystem& t, const NativeArgs& args) {
  LibraryCall c(args, cublas, name_of_triangular(t));
  const int64_t item = itemsize(t.type), of_a = t.n * t.n * item, of_b = t.n * t.columns * item;
  std::byte* const a = c.operand(0, t.batch * of_a);
  std::byte* x = c.operand(1, t.batch * of_b);
  if (!args.own_operands) {
    std::byte* const to = c.result(0, t.batch * of_b);
    c.gpu().copy_within(to, x, t.batch * of_b);
    x = to;
  }
  const int side = t.left ? number::right : number::left,
            triangle = t.lower ? number::upper : number::lower,
            op = !t.transpose  ? number::as_it_is
                 : t.conjugate ? number::adjoint
                               : number::transpose,
            diagonal = t.unit_diagonal ? number::unit : number::non_unit, n = size(t.n),
            m = size(t.left ? t.columns : t.n), columns = size(t.left ? t.n : t.columns);
  const Blas::Typed& table = blas(c.driver()).of(t.type);
  const BlasHandle handle = c.blas_handle();
  const void* const one = one_of(t.type);
  c.check(name_of_triangular(t),
          t.batch > 1
              ? table.trsm_batched(handle, side, triangle, op, diagonal, m, columns, one,
                                   c.table(a, of_a, t.batch), n, c.table(x, of_b, t.batch), m,
                                   size(t.batch))
              : table.trsm(handle, side, triangle, op, diagonal, m, columns, one, a, n, x, m));
  c.done();
}

// ---- products

namespace {

// The most workspace that the library gets; the value was not tuned by measurement.
constexpr uint64_t max_workspace = 32 << 20;
// The alignment of arrays in memory (runtime/red_zones.h).
constexpr uint32_t alignment = 64;

int number_of(DType d) {
  return d == F32    ? number::r_32f
         : d == F64  ? number::r_64f
         : d == BF16 ? number::r_16bf
                     : number::r_16f;
}

class LtMultiplier final : public Multiplier {
 public:
  explicit LtMultiplier(const MatrixProduct& p) : p_(p) {}
  void run(const NativeArgs& args) override {
    const std::lock_guard lock(guard_);
    LibraryCall c(args, cublaslt, name_of_matmul);
    const int64_t in = p_.batch * p_.k * itemsize(p_.type),
                  out = p_.batch * p_.m * p_.n * itemsize(p_.result);
    std::byte *const lhs = c.operand(0, in * p_.m), *const rhs = c.operand(1, in * p_.n),
                     *const to = c.result(0, out);
    const BlasLtHandle handle = c.blas_lt_handle();
    if (made_for_ != &c.gpu()) make(c, handle);
    const double twice[] = {1, 0};
    const float single[] = {1, 0};
    const bool wide = p_.type == F64;
    const auto scale = [&](int i) {
      return wide ? static_cast<const void*>(&twice[i]) : static_cast<const void*>(&single[i]);
    };
    void* const workspace = c.workspace(static_cast<int64_t>(choice_.workspace));
    c.check(name_of_matmul,
            blas_lt(c.driver())
                .matmul(handle, matmul_.handle, scale(0), rhs, rhs_.handle, lhs, lhs_.handle,
                        scale(1), to, to_.handle, to, to_.handle, &choice_.algorithm, workspace,
                        choice_.workspace, c.stream()));
    c.done();
  }

 private:
  // Describes a column-major matrix of rows x columns; the product transposes it if `transposed`.
  void lay_out(LibraryCall& c, OwnedHandle<LayoutHandle>& h, DType d, int64_t rows,
               int64_t columns) {
    const BlasLt& l = blas_lt(c.driver());
    if (!h.handle) {
      h.destroy = l.layout_destroy;
      c.check("cublasLtMatrixLayoutCreate",
              l.layout_create(&h.handle, number_of(d), static_cast<uint64_t>(rows),
                              static_cast<uint64_t>(columns), rows));
    }
    const auto set = [&](int attribute, auto value) {
      c.check("cublasLtMatrixLayoutSetAttribute",
              l.layout_set(h.handle, attribute, &value, sizeof value));
    };
    set(number::batch_count, static_cast<int32_t>(p_.batch));
    set(number::batch_offset, rows * columns);
  }
  // Our second factor is the library's first.
  void describe(LibraryCall& c) {
    const BlasLt& l = blas_lt(c.driver());
    if (!matmul_.handle) {
      matmul_.destroy = l.matmul_destroy;
      const bool wide = p_.type == F64;
      c.check("cublasLtMatmulDescCreate",
              l.matmul_create(&matmul_.handle, wide ? number::compute_64f : number::compute_32f,
                              wide ? number::r_64f : number::r_32f));
    }
    const auto set = [&](int attribute, bool transposed) {
      const int32_t op = transposed ? number::transpose : number::as_it_is;
      c.check("cublasLtMatmulDescSetAttribute",
              l.matmul_set(matmul_.handle, attribute, &op, sizeof op));
    };
    set(number::transpose_a, p_.transposed_rhs);
    set(number::transpose_b, p_.transposed_lhs);
    lay_out(c, rhs_, p_.type, p_.transposed_rhs ? p_.k : p_.n, p_.transposed_rhs ? p_.n : p_.k);
    lay_out(c, lhs_, p_.type, p_.transposed_lhs ? p_.m : p_.k, p_.transposed_lhs ? p_.k : p_.m);
    lay_out(c, to_, p_.result, p_.n, p_.m);
  }
  void make(LibraryCall& c, BlasLtHandle handle) {
    describe(c);
    const BlasLt& l = blas_lt(c.driver());
    OwnedHandle<PreferenceHandle> preference;
    preference.destroy = l.preference_destroy;
    c.check("cublasLtMatmulPreferenceCreate", l.preference_create(&preference.handle));
    const auto prefer = [&](int attribute, auto value) {
      c.check("cublasLtMatmulPreferenceSetAttribute",
              l.preference_set(preference.handle, attribute, &value, sizeof value));
    };
    prefer(number::max_workspace, max_workspace);
    for (int a = number::alignment_a; a <= number::alignment_d; ++a) prefer(a, alignment);
    int found = 0;
    c.check("cublasLtMatmulAlgoGetHeuristic",
            l.choose(handle, matmul_.handle, rhs_.handle, lhs_.handle, to_.handle, to_.handle,
                     preference.handle, 1, &choice_, &found));
    if (found < 1)
      throw DeviceError(fmt::format(
          "device '{}': cuBLASLt has no way to multiply {} of {} x {} and {} x {}; choose another "
          "implementation of dot_general (WEFT_IMPL=dot_general=tiled)",
          c.gpu().name(), short_name(p_.type), p_.m, p_.k, p_.k, p_.n));
    made_for_ = &c.gpu();
  }

  const MatrixProduct p_;
  std::mutex guard_;  // guards the members below
  const Gpu* made_for_ = nullptr;
  OwnedHandle<MatmulHandle> matmul_;
  OwnedHandle<LayoutHandle> lhs_, rhs_, to_;
  MatmulChoice choice_{};
};

}  // namespace

std::shared_ptr<Multiplier> make_multiplier(const MatrixProduct& p) {
  return std::make_shared<LtMultiplier>(p);
}

}  // namespace weft::cuda
