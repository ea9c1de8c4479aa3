// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/gpu/kernels/product_test.cpp: products of matrices whose threads share tiles. The sums are
// in order and have the same bits for all tiles. On tensor cores they are within rounding errors.
#include "jit/schedule/product.h"

#include <bit>
#include <cmath>

#include "gpu/emulated.h"
#include "jit/emit/compile/image.h"
#include "jit/schedule/choose/choose.h"
#include "jit/schedule/product_kernel.h"
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

// Computes [batch, m, k] x [batch, k, n] in type T, with the terms added in order.
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
Array there(const Array& a) { return device_put(a, "cuda:0"); }

constexpr int64_t rows = 45, columns = 70, terms = 40, matrix = 15;

// Runs the kernel of product_of_matrices() with each of these tiles.
void check_tiles(const nest::Kernel& k, const There& x, const There& y,
                 const std::vector<float>& expected, std::vector<ProductSchedule> tiles) {
  TargetInfo target = gpu_target("sm_90");
  target.emulated = true;
  for (ProductSchedule& tile : tiles) {
    tile.loop = product_loop(k)->loop;
    tile.matrix = matrix;
    Schedule s;
    s.product = tile;
    s.block = tile.rows / tile.thread_rows * (tile.columns / tile.thread_columns);
    CAPTURE(to_string(s));
    REQUIRE(verify(s, k, target) == "");
    const auto f = gpu().load(gpu_image({{k, s}}, target), {"weft_kernel"});
    const There out(gpu(), std::vector<float>(expected.size(), -1.F));
    const int32_t* stop = gpu().stop_word();
    Arguments arguments(stop, x.data(), y.data(), out.data(), columns, columns, rows, columns);
    gpu().launcher().launch(*f[0],
                            {.blocks = blocks_of_grid(s, {rows, columns}), .threads = s.block},
                            arguments.data(), "product");
    CHECK(out.read<float>() == expected);
  }
  check_no_complaints();
}
std::vector<float> expected_of(const std::vector<float>& x, const std::vector<float>& y) {
  std::vector<float> r;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      float sum = 0;
      for (int64_t t = 0; t < terms; ++t)
        sum = std::fma(x[static_cast<size_t>(i * terms + t)],
                       y[static_cast<size_t>(t * columns + i / matrix * 7 + j)], sum);
      r.push_back(std::fabs(sum));
    }
  return r;
}

}  // namespace

TEST_CASE("tiles of a product", "[gpu]") {
  const std::vector<float> x = numbers(rows * terms, 1), y = numbers(2 * 7 + terms * columns, 2);
  check_tiles(product_of_matrices(), There(gpu(), x), There(gpu(), y), expected_of(x, y),
              {{0, 128, 128, 16, 8, 8},
               {0, 64, 64, 16, 4, 4},
               {0, 32, 32, 16, 2, 2},
               {0, 16, 64, 8, 8, 1},
               {0, 64, 16, 32, 1, 8}});
}

// Sums of small integers are exact in any order.
TEST_CASE("tiles of a product on tensor cores", "[gpu]") {
  std::vector<float> x, y;
  for (int64_t n = 0; n < rows * terms; ++n) x.push_back(static_cast<float>(n * n % 17 - 8));
  for (int64_t n = 0; n < 2 * 7 + terms * columns; ++n)
    y.push_back(static_cast<float>(n * n % 23 - 11));
  const auto bits = [](const std::vector<float>& v, bool half) {
    std::vector<uint16_t> r;
    for (const float f : v)
      r.push_back(half ? std::bit_cast<uint16_t>(static_cast<_Float16>(f))
                       : static_cast<uint16_t>(std::bit_cast<uint32_t>(f) >> 16));
    return r;
  };
  for (const bool half : {false, true})
    check_tiles(product_of_matrices(half ? nest::Storage::F16 : nest::Storage::BF16, true),
                There(gpu(), bits(x, half)), There(gpu(), bits(y, half)), expected_of(x, y),
                {{0, 128, 128, 32, 8, 8, 0, true},
                 {0, 64, 64, 32, 4, 4, 0, true},
                 {0, 32, 32, 32, 2, 2, 0, true},
                 {0, 16, 64, 16, 2, 8, 0, true},
                 {0, 64, 32, 64, 8, 2, 0, true},
                 {0, 64, 64, 32, 4, 4, 0, false}});
}

TEST_CASE("products that do not use tensor cores", "[gpu]") {
  const auto refused = [](const nest::Kernel& k, const char* gpu) {
    const TargetInfo target = gpu_target(gpu);
    Schedule s = choose_schedule(k, target);
    CHECK(!s.product.mma);
    s.product.mma = true;
    return verify(s, k, target).find("mma is for factors of BF16 or of F16") != std::string::npos;
  };
  using nest::Storage;
  CHECK(refused(product_of_matrices(Storage::F32, true), "sm_90"));
  CHECK(refused(product_of_matrices(Storage::BF16, false), "sm_90"));
  CHECK(refused(product_of_matrices(Storage::BF16, true), "sm_75"));
  CHECK(choose_schedule(product_of_matrices(Storage::BF16, true), gpu_target("sm_80")).product.mma);
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

// The operations before and after the product are fused into its kernel.
TEST_CASE("a product of a GPU with what its operands and results go through", "[gpu]") {
  const Array x = sample({40, 70}, 1).astype(F32), y = sample({33, 70}, 1).astype(BF16),
              bias = sample({33}, 1).astype(F32);
  const auto f = [](Array a, Array b, Array c) {
    const Array product = lax::dot_general(maximum(a, 0), b.astype(F32), {{1}, {1}, {}, {}});
    return tanh(product + c) * 2;
  };
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

// The factors have each order of axes and a batch, with operations fused before and after the
// product. Small integers are exact. Other numbers are within the rounding errors of the sums.
TEST_CASE("dots on tensor cores", "[gpu]") {
  constexpr int64_t m = 50, k = 72, n = 40;
  for (const DType d : {BF16, F16})
    for (const bool x_turned : {false, true})
      for (const bool y_turned : {false, true})
        for (const int64_t batch : {1, 3}) {
          CAPTURE(short_name(d), x_turned, y_turned, batch);
          const lax::DotDims dims{{x_turned ? 1 : 2}, {y_turned ? 2 : 1}, {0}, {0}};
          const auto f = [&](Array a, Array b) {
            return -lax::dot_general(maximum(a, -3), b, dims, F32) + 1;
          };
          const Shape of_x = x_turned ? Shape{batch, k, m} : Shape{batch, m, k},
                      of_y = y_turned ? Shape{batch, n, k} : Shape{batch, k, n};
          const auto check = [&](const Array& x, const Array& y, double tolerance) {
            const auto g = jit(f);
            const std::string report = g.lower(there(x), there(y)).report();
            CHECK(report.find("dot_general: tensor") != std::string::npos);
            CHECK(report.find(" mma") != std::string::npos);
            CHECK(report.find("steps: 1\n") != std::string::npos);
            const Array r = device_put(g(there(x), there(y)), "cpu");
            CHECK(allclose(r, f(x, y), tolerance, tolerance).item<bool>());
          };
          check(rint(sample(of_x, 7)).astype(d), rint(sample(of_y, 9)).astype(d), 0);
          check(sample(of_x, 1).astype(d), sample(of_y, 1).astype(d), 72 * 0x1p-22);
        }
  check_no_complaints();
}

// A caller that needs the order of the terms has to request it.
TEST_CASE("narrow dots of a GPU in order", "[gpu]") {
  const Array x = sample({1, 40, 90}, 1).astype(BF16), y = sample({1, 90, 33}, 3).astype(BF16);
  const auto f =
      jit([](Array a, Array b) { return lax::dot_general(a, b, {{2}, {1}, {0}, {0}}, F32); });
  const auto c =
      f.lower(there(x), there(y)).compile({.implementations = {{"dot_general", "tiled"}}});
  const Array r = device_put(c(there(x), there(y)), "cpu");
  CHECK(r.to_vector<float>() == in_order<float>(x.astype(F32), y.astype(F32)));
  check_no_complaints();
}

TEST_CASE("long dots of a GPU in parts", "[gpu]") {
  const Array x = rint(sample({20, 6000}, 4)).astype(F32),
              y = rint(sample({6000, 17}, 4)).astype(F32);
  const auto f = [](Array a, Array b) { return matmul(a, b) * 2; };
  const auto g = jit(f);
  CHECK(g.lower(there(x), there(y)).report().find("grid [2x20x17]") != std::string::npos);
  CHECK(device_put(g(there(x), there(y)), "cpu").to_vector<float>() == f(x, y).to_vector<float>());
  check_no_complaints();
}
