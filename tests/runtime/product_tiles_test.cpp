// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/runtime/product_tiles_test.cpp: products in tiles of registers.
#include "runtime/native/product_tiles.h"

#include <cmath>
#include <vector>

#include "support/check.h"

namespace weft {
namespace {

constexpr int64_t gap = 3;  // elements between rows that belong to no matrix

template <class T>
std::vector<T> numbers(int64_t n, T first) {
  std::vector<T> x;
  for (int64_t i = 0; i < n; ++i) x.push_back(std::sin(first + static_cast<T>(i)));
  return x;
}

// Returns the number of elements that differ from sums of the terms in order, or that were written
// between the rows.
template <class T>
int64_t wrong_elements(bool trans_a, bool trans_b, int64_t m, int64_t n, int64_t k) {
  const native::Gemm g{trans_a, trans_b, m, n, k, (trans_a ? m : k) + gap, (trans_b ? k : n) + gap,
                       n + gap};
  const std::vector<T> a = numbers<T>((trans_a ? k : m) * g.lda, 1),
                       b = numbers<T>((trans_b ? n : k) * g.ldb, 2);
  std::vector<T> c(m * g.ldc, 7);
  native::multiply_in_tiles(g, a.data(), b.data(), c.data());
  int64_t wrong = 0;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < g.ldc; ++j) {
      T sum = j < n ? 0 : 7;
      for (int64_t t = 0; j < n && t < k; ++t)
        sum = std::fma(a[trans_a ? t * g.lda + i : i * g.lda + t],
                       b[trans_b ? j * g.ldb + t : t * g.ldb + j], sum);
      wrong += c[i * g.ldc + j] != sum;
    }
  return wrong;
}

}  // namespace

TEST_CASE("tiles add the terms of each element in order", "[runtime][product]") {
  if (!native::has_product_tiles()) return;
  // Rows: one block, and several. Columns: each width of vectors, with and without a rest. Terms:
  // one packed block, and several.
  for (const int64_t m : {1, 2, 3, 4, 5, 7, 8, 9, 17, 33, 193})
    for (const int64_t n : {4, 5, 7, 8, 9, 15, 16, 17, 31, 48, 100, 130})
      for (const int64_t k : {1, 5, 16, 33, 128, 300})
        for (const bool trans_a : {false, true})
          for (const bool trans_b : {false, true}) {
            CAPTURE(m, n, k, trans_a, trans_b);
            CHECK(wrong_elements<float>(trans_a, trans_b, m, n, k) == 0);
            CHECK(wrong_elements<double>(trans_a, trans_b, m, n, k) == 0);
          }
}

TEST_CASE("products of doubles with one row or column are right at all sizes",
          "[runtime][product]") {
  for (const int n : {64, 1100}) {
    const Array a = sin(arange(n * n).astype(F64)).reshape({n, n}),
                x = cos(arange(n).astype(F64)).reshape({n, 1});
    const auto agrees = [](const Array& p, const Array& q) {
      const Array exact = (expand_dims(p, 2) * q).sum(1);
      return allclose(jit([](Array u, Array v) { return matmul(u, v); })(p, q), exact, 1e-10, 1e-10)
          .item<bool>();
    };
    CHECK(agrees(a, x));
    CHECK(agrees(a.T(), x));
    CHECK(agrees(x.T(), a));
    CHECK(agrees(x.T(), a.T()));
  }
}

}  // namespace weft
