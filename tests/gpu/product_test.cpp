// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/gpu/product_test.cpp: products of matrices whose threads share tiles: sums in order, to the
// bit, whatever the tiles.
#include "weft/jit/schedule/product.h"

#include <cmath>

#include "gpu/emulated.h"
#include "jit/schedule/product_kernel.h"
#include "weft/jit/emit/image.h"
#include "weft/weft.h"

using namespace weft;
using namespace weft::test;
using namespace weft::compiler;

namespace {

std::vector<float> numbers(size_t n, float scale) {
  std::vector<float> x(n);
  for (size_t i = 0; i < n; ++i) x[i] = scale * std::sin(static_cast<float>(i * i % 997));
  return x;
}

// [batch, m, k] x [batch, k, n] in numbers of T, terms in order.
template <class T>
std::vector<T> in_order(const Array& x, const Array& y) {
  const int64_t batch = x.shape()[0], m = x.shape()[1], k = x.shape()[2], n = y.shape()[2];
  const std::vector<T> a = x.to_vector<T>(), b = y.to_vector<T>();
  std::vector<T> r;
  for (int64_t z = 0; z < batch; ++z)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        T sum = 0;
        for (int64_t t = 0; t < k; ++t)
          sum = std::fma(a[static_cast<size_t>((z * m + i) * k + t)],
                         b[static_cast<size_t>((z * k + t) * n + j)], sum);
        r.push_back(sum);
      }
  return r;
}

Array sample(const Shape& s, double scale) {
  return (sin(arange(static_cast<double>(s.elements())) * 0.7) * scale).reshape(s);
}

}  // namespace

TEST_CASE("tiles of a product", "[gpu]") {
  constexpr int64_t rows = 45, columns = 70, terms = 40, matrix = 15;
  const nest::Kernel k = product_of_matrices();
  const std::vector<float> x = numbers(rows * terms, 1), y = numbers(2 * 7 + terms * columns, 2);
  std::vector<float> expected;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      float sum = 0;
      for (int64_t t = 0; t < terms; ++t)
        sum = std::fma(x[static_cast<size_t>(i * terms + t)],
                       y[static_cast<size_t>(t * columns + i / matrix * 7 + j)], sum);
      expected.push_back(std::fabs(sum));
    }
  TargetInfo target = gpu_target("sm_90");
  target.emulated = true;
  const There there_x(gpu(), x), there_y(gpu(), y);
  const nest::Id loop = product_loop(k)->loop;
  for (const ProductSchedule& tile : {ProductSchedule{loop, 128, 128, 16, 8, 8, matrix},
                                      ProductSchedule{loop, 64, 64, 16, 4, 4, matrix},
                                      ProductSchedule{loop, 32, 32, 16, 2, 2, matrix},
                                      ProductSchedule{loop, 16, 64, 8, 8, 1, matrix},
                                      ProductSchedule{loop, 64, 16, 32, 1, 8, matrix}}) {
    Schedule s;
    s.product = tile;
    s.block = tile.rows / tile.thread_rows * (tile.columns / tile.thread_columns);
    CAPTURE(to_string(s));
    REQUIRE(verify(s, k, target) == "");
    const auto f = gpu().load(gpu_image({{k, s}}, target), {"weft_kernel"});
    const There out(gpu(), std::vector<float>(expected.size(), -1.F));
    const int32_t* stop = gpu().stop_word();
    Arguments arguments(stop, there_x.data(), there_y.data(), out.data(), columns, columns, rows,
                        columns);
    gpu().launcher().launch(*f[0],
                            {.blocks = blocks_of_grid(s, {rows, columns}), .threads = s.block},
                            arguments.data(), "product");
    CHECK(out.read<float>() == expected);
  }
  check_no_complaints();
}

TEST_CASE("dots of a GPU take their terms in order", "[gpu]") {
  const auto tiled = [](const Array& x, const Array& y) {
    const auto f = jit([](Array a, Array b) { return matmul(a, b); });
    const Array a = device_put(x, "cuda:0"), b = device_put(y, "cuda:0");
    CHECK(f.lower(a, b).report().find("dot_general: tiled") != std::string::npos);
    return device_put(f(a, b), "cpu");
  };
  for (const auto& [batch, m, k, n] :
       std::vector<std::array<int64_t, 4>>{{1, 17, 300, 16}, {3, 33, 17, 40}, {2, 64, 64, 64}}) {
    CAPTURE(batch, m, k, n);
    const Array x = sample({batch, m, k}, 1), y = sample({batch, k, n}, 3);
    const Array f64 = tiled(x.astype(F64), y.astype(F64));
    CHECK(f64.to_vector<double>() == in_order<double>(x.astype(F64), y.astype(F64)));
    const Array f32 = tiled(x.astype(F32), y.astype(F32));
    CHECK(f32.to_vector<float>() == in_order<float>(x.astype(F32), y.astype(F32)));
  }
  check_no_complaints();
}

// What stands before and behind the product is computed in its kernel.
TEST_CASE("a product of a GPU with what its operands and results go through", "[gpu]") {
  const Array x = sample({40, 70}, 1).astype(F32), y = sample({33, 70}, 1).astype(BF16),
              bias = sample({33}, 1).astype(F32);
  const auto f = [](Array a, Array b, Array c) {
    const Array product = lax::dot_general(maximum(a, 0), b.astype(F32), {{1}, {1}, {}, {}});
    return tanh(product + c) * 2;
  };
  const auto there = [](const Array& a) { return device_put(a, "cuda:0"); };
  const auto g = jit(f);
  CHECK(g.lower(there(x), there(y), there(bias)).report().find("steps: 1\n") != std::string::npos);
  const Array r = device_put(g(there(x), there(y), there(bias)), "cpu");
  CHECK(allclose(r, jit(f)(x, y, bias), 1e-6, 1e-6).item<bool>());
  const Array d = device_put(jit([&](Array a, Array b, Array c) {
                               return grad([&](Array w) { return f(w, b, c).sum(); })(a);
                             })(there(x), there(y), there(bias)),
                             "cpu");
  CHECK(
      allclose(d, grad([&](Array w) { return f(w, y, bias).sum(); })(x), 1e-5, 1e-5).item<bool>());
  check_no_complaints();
}
