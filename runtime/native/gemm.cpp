// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/gemm.cpp: finds rows and columns among the axes of the operands, distributes
// products to threads, and computes each of them in tiles of registers, by oneDNN (float) or by
// OpenBLAS (double).
#include "runtime/native/gemm.h"

#include <cblas.h>
#include <oneapi/dnnl/dnnl.h>

#include <algorithm>
#include <string_view>
#include <type_traits>

#include "runtime/native/library_threads.h"
#include "runtime/native/product_tiles.h"
#include "weft/buffer.h"
#include "weft/device/threads.h"
#include "weft/error.h"

namespace weft::native {
namespace {

// An operand whose axes form a group of rows and a group of columns, with batch axes before and
// between them.
struct Side {
  bool ok = false;
  bool contracted_last = false;
  int64_t batch = 1, batch_between = 1, free = 1, contracted = 1;
};
Side side_of(const Shape& shape, const Ints& batch, const Ints& contract) {
  Side s;
  std::vector<int> role;  // 0 batch, 1 free, 2 contracted, in axis order
  Ints seen_batch, seen_contract;
  for (int a = 0; a < shape.ndim(); ++a) {
    const auto b = std::find(batch.begin(), batch.end(), a);
    const auto c = std::find(contract.begin(), contract.end(), a);
    role.push_back(b != batch.end() ? 0 : c != contract.end() ? 2 : 1);
    if (b != batch.end()) seen_batch.push_back(b - batch.begin());
    if (c != contract.end()) seen_contract.push_back(c - contract.begin());
    (role.back() == 0 ? s.batch : role.back() == 1 ? s.free : s.contracted) *= shape[a];
  }
  for (int a = 0; a < shape.ndim(); ++a)
    if (role[a] == 0 && std::any_of(role.begin(), role.begin() + a, [](int r) { return r != 0; }))
      s.batch_between *= shape[a];
  role.erase(std::unique(role.begin(), role.end()), role.end());
  if (!role.empty() && role[0] == 0) role.erase(role.begin());
  if (role.size() == 3 && role[1] == 0 && role[0] != role[2]) role.erase(role.begin() + 1);
  s.ok = role.size() <= 2 && std::count(role.begin(), role.end(), 0) == 0 &&
         std::is_sorted(seen_batch.begin(), seen_batch.end()) &&
         std::is_sorted(seen_contract.begin(), seen_contract.end());
  s.contracted_last = role.empty() || role.back() == 2;
  return s;
}

// ---- one product, or a part of one, on one thread

// The products that tiles compute in less time than the library, measured with AVX-512
// (docs/decisions/0002): with few rows, and with b in the L2 cache. OpenBLAS has kernels for small
// products, but blocks larger ones badly, so that tiles pay up to more rows. oneDNN generates its
// kernels in the first product of a process, which takes 30 ms. So tiles also compute the products
// for which they take about as long: those of many rows whose operands stay in L2.
struct TileLimits {
  int64_t rows;
  // A transposed b is rearranged first. That pays from a number of rows on, or if b is small. With
  // more columns than terms, oneDNN rearranges b well.
  int64_t transposed_rows, transposed_elements, transposed_columns;
  int64_t some_rows_elements = 4 * transposed_elements;  // the limit of a small b from some_rows on
};
template <class T>
constexpr TileLimits tile_limits =
    std::is_same_v<T, float> ? TileLimits{64, 16, 512, 128}
                             : TileLimits{512, 16, 256, int64_t{1} << 40};
constexpr int64_t l2_bytes = int64_t{1} << 21, few_rows = 8, some_rows = 8, many_rows = 32;

// Returns true if the product of many rows has operands that stay in L2. A tile takes time to begin
// and to be stored, so that a large result needs some terms.
bool in_tiles_of_many_rows(const Gemm& g) {
  constexpr int64_t most = l2_bytes / 2 / static_cast<int64_t>(sizeof(float)), some_terms = 16,
                    large_result = 1 << 18;
  return g.m * g.k <= most && g.n * g.k <= most && (g.k >= some_terms || g.m * g.n <= large_result);
}

template <class T>
bool in_tiles(const Gemm& g) {
  static const bool there = has_product_tiles();
  constexpr TileLimits l = tile_limits<T>;
  if (!there || g.n < least_tile_columns) return false;
  if (std::is_same_v<T, float> && g.m >= many_rows && in_tiles_of_many_rows(g)) return true;
  if (g.m > l.rows) return false;
  if (g.n * g.k * static_cast<int64_t>(sizeof(T)) > l2_bytes && (g.trans_b || g.m > few_rows))
    return false;
  const int64_t small = g.m >= some_rows ? l.some_rows_elements : l.transposed_elements;
  if (!g.trans_b || g.n * g.k <= small) return true;
  return g.m >= l.transposed_rows && (g.n <= l.transposed_columns || g.n <= g.k);
}

void call_library(const Gemm& g, const float* a, const float* b, float* c) {
  const OneOpenMpThread alone;
  const dnnl_status_t s = dnnl_sgemm(g.trans_a ? 'T' : 'N', g.trans_b ? 'T' : 'N', g.m, g.n, g.k,
                                     1.0f, a, g.lda, b, g.ldb, 0.0f, c, g.ldc);
  if (s != dnnl_success) throw OutOfMemoryError("oneDNN could not run a product");
}

// OpenBLAS packs the matrix for a product with one row or column, unless it is small.
constexpr int64_t unpacked_blas = 1'000'000;

void call_library(const Gemm& g, const double* a, const double* b, double* c) {
  one_blas_thread();
  const auto m = static_cast<int>(g.m), n = static_cast<int>(g.n), k = static_cast<int>(g.k),
             lda = static_cast<int>(g.lda), ldb = static_cast<int>(g.ldb),
             ldc = static_cast<int>(g.ldc);
  const auto transposed = [](bool t) { return t ? CblasTrans : CblasNoTrans; };
  if (g.m * g.n * g.k > unpacked_blas && n == 1)
    return cblas_dgemv(CblasRowMajor, transposed(g.trans_a), g.trans_a ? k : m, g.trans_a ? m : k,
                       1.0, a, lda, b, g.trans_b ? 1 : ldb, 0.0, c, ldc);
  if (g.m * g.n * g.k > unpacked_blas && m == 1)
    return cblas_dgemv(CblasRowMajor, transposed(!g.trans_b), g.trans_b ? n : k, g.trans_b ? k : n,
                       1.0, b, ldb, a, g.trans_a ? lda : 1, 0.0, c, 1);
  cblas_dgemm(CblasRowMajor, transposed(g.trans_a), transposed(g.trans_b), m, n, k, 1.0, a, lda, b,
              ldb, 0.0, c, ldc);
}

template <class T>
void gemm(const Gemm& g, const T* a, const T* b, T* c) {
  in_tiles<T>(g) ? multiply_in_tiles(g, a, b, c) : call_library(g, a, b, c);
}

// The depth and number of rows of the blocks that OpenBLAS packs: for its kernels for processors
// with AVX-512, and for the others.
struct Blocks {
  int64_t deep, rows;
};
Blocks openblas_blocks() {
  static const bool wide = [] {
    const std::string_view core = openblas_get_corename();
    return core == "SkylakeX" || core == "Cooperlake" || core == "SapphireRapids";
  }();
  return wide ? Blocks{384, 192} : Blocks{256, 512};
}

// The size of the packed blocks of the operands. The libraries' behaviour was derived from the
// growth of resident memory for products of many shapes (docs/decisions/0012). The libraries
// compute the transposed result: its columns are their rows.
int64_t gemm_workspace(int64_t m, int64_t n, int64_t k, int64_t item) {
  constexpr int64_t kib = 1024;
  const int64_t rows = n, columns = m, shorter = std::min(rows, columns);
  if (item == sizeof(float)) {
    constexpr int64_t least = 256, max_deep = 384;  // small products are not packed
    const int64_t blocks = std::max<int64_t>(1, (k + max_deep - 1) / max_deep);
    return shorter <= least ? 0 : rows * (k / blocks) * item + 500 * kib;
  }
  constexpr int64_t least = 128;
  const Blocks most = openblas_blocks();
  const int64_t deep = k >= 2 * most.deep ? most.deep : k > most.deep ? k / 2 : k;
  return shorter <= least ? 0 : (columns + std::min(rows, most.rows)) * deep * item + 250 * kib;
}

// ---- all products, on all threads

// The unit of work for a thread: whole products, or parts of one along the longer side of the
// result. The parts do not depend on the number of threads.
struct Parts {
  bool rows;  // split by rows of the result, not by columns
  int64_t items, grain;
};
Parts parts_of(const Product& p) {
  const double work =
      static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
  const bool rows = p.m >= p.n;
  if (p.batch > 1)
    return {rows, p.batch, static_cast<int64_t>(std::max(1., 1e6 / std::max(1., work)))};
  const int64_t side = rows ? p.m : p.n;
  return {
      rows, side,
      work < 2e6 ? std::max<int64_t>(1, side) : std::max<int64_t>(48, (side / 2 + 15) / 16 * 16)};
}

// The layout of an operand: elements from row to row, and where each product begins.
struct Layout {
  int64_t rows, columns, interleaved;
  int64_t row() const { return interleaved * columns; }
  int64_t first(int64_t product) const {
    return product / interleaved * rows * row() + product % interleaved * columns;
  }
};
Layout lhs_of(const Product& p) {
  return p.transposed_lhs ? Layout{p.k, p.m, p.interleaved_lhs}
                          : Layout{p.m, p.k, p.interleaved_lhs};
}
Layout rhs_of(const Product& p) {
  return p.transposed_rhs ? Layout{p.n, p.k, p.interleaved_rhs}
                          : Layout{p.k, p.n, p.interleaved_rhs};
}

// Computes rows m0..m1 and columns n0..n1 of one product.
template <class T>
void part(const Product& p, const T* a, const T* b, T* c, int64_t m0, int64_t m1, int64_t n0,
          int64_t n1) {
  const int64_t lda = lhs_of(p).row(), ldb = rhs_of(p).row();
  const Gemm g{p.transposed_lhs, p.transposed_rhs, m1 - m0, n1 - n0, p.k, lda, ldb, p.n};
  gemm(g, a + (p.transposed_lhs ? m0 : m0 * lda), b + (p.transposed_rhs ? n0 * ldb : n0),
       c + m0 * p.n + n0);
}

template <class T>
void multiply_as(const Product& p, const NativeArgs& args) {
  const T* a = args.in<T>(0, p.batch * p.m * p.k);
  const T* b = args.in<T>(1, p.batch * p.k * p.n);
  T* c = args.out<T>(0, p.batch * p.m * p.n);
  const Parts parts = parts_of(p);
  const auto compute = [&](int64_t lo, int64_t hi) {
    if (p.batch == 1)
      return parts.rows ? part(p, a, b, c, lo, hi, 0, p.n) : part(p, a, b, c, 0, p.m, lo, hi);
    for (int64_t i = lo; i < hi; ++i)
      part(p, a + lhs_of(p).first(i), b + rhs_of(p).first(i), c + i * p.m * p.n, 0, p.m, 0, p.n);
  };
  if (parts.items <= parts.grain)
    compute(0, parts.items);
  else
    parallel_for(parts.items, parts.grain, compute);
}

}  // namespace

std::optional<Product> matrix_product(const Shape& lhs, const Ints& lhs_batch,
                                      const Ints& lhs_contract, const Shape& rhs,
                                      const Ints& rhs_batch, const Ints& rhs_contract) {
  const Side a = side_of(lhs, lhs_batch, lhs_contract), b = side_of(rhs, rhs_batch, rhs_contract);
  if (!a.ok || !b.ok) return {};
  return Product{
      a.batch,           a.free,          b.free,         a.contracted, !a.contracted_last,
      b.contracted_last, a.batch_between, b.batch_between};
}

void multiply(const Product& p, DType type, const NativeArgs& args) {
  const Reserved workspace(multiply_workspace(p, type));
  if (type == F32)
    multiply_as<float>(p, args);
  else
    multiply_as<double>(p, args);
}

int64_t multiply_workspace(const Product& p, DType type) {
  const Parts parts = parts_of(p);
  const int64_t at_once =
      std::min<int64_t>(num_threads(), (parts.items + parts.grain - 1) / parts.grain);
  const bool whole = p.batch > 1;
  return at_once * gemm_workspace(whole || !parts.rows ? p.m : std::min(parts.grain, p.m),
                                  whole || parts.rows ? p.n : std::min(parts.grain, p.n), p.k,
                                  itemsize(type));
}

}  // namespace weft::native
