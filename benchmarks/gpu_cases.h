// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// benchmarks/gpu_cases.h: traced programs whose GPU code is inspected (tools/gpu_kernels.cpp,
// tests/jit/emit/image_test.cpp).
#pragma once
#include <string>
#include <vector>

#include "benchmarks/programs.h"
#include "weft/make_jaxpr.h"

namespace weft::programs {

struct GpuCase {
  std::string name;  // also the name of the kernel in limit_gpu.cu, if it exists
  std::string what;
  Jaxpr program;
  bool in_registers = false;  // true: the kernel may not spill at 128 registers
  int terms = 0;              // terms of a row per thread, if a warp shares a row
};

inline std::vector<GpuCase> gpu_cases() {
  const auto traced = [](auto f, const auto&... x) { return make_jaxpr(f)(x...).jaxpr; };
  const auto ids = [](Array x, Array id) { return segment_sum(x, id, {.num_segments = 1000}); };
  Net net;
  const int64_t sizes[] = {784, 512, 512, 10};
  for (int i = 0; i < 3; ++i)
    net.push_back({zeros({sizes[i], sizes[i + 1]}), zeros({sizes[i + 1]})});
  const auto layer = [](Array x, Array w, Array b) {
    return nn::relu(lax::dot_general(x, w, {{1}, {0}, {}, {}}, F32) + b);
  };
  const Array square = zeros({4096, 4096}), row = zeros({4096});
  const Array million = zeros({1 << 20}), plane = zeros({4096, 4096});
  const Array rows = zeros({4096, 1024});
  const auto layer_norm = [](Array x, Array gain, Array bias) {
    const typing::ReduceOptions kept{.keepdims = true};
    const Array d = x - mean(x, 1, kept);
    return d * lax::rsqrt(mean(d * d, 1, kept) + 1e-5f) * gain + bias;
  };
  const int64_t n = 65536;
  return {
      {"mandelbrot", "4096 x 4096 points", traced(vmap(vmap(mandelbrot)), plane, plane), true},
      {"rk45", "1,048,576 van der Pol oscillators",
       traced(vmap(van_der_pol), million, zeros({1 << 20, 2})), true},
      {"softmax", "4096 rows of 1024", traced([](Array x) { return nn::softmax(x); }, rows), true,
       32},
      {"layer_norm", "4096 rows of 1024", traced(layer_norm, rows, zeros({1024}), zeros({1024})),
       true, 32},
      {"sum_squares", "4096 rows of 1024", traced([](Array x) { return sum(x * x, 1); }, rows),
       true, 32},
      {"argmax", "4096 rows of 1024", traced([](Array x) { return argmax(x, 1); }, rows), true, 32},
      {"kalman_step", "65,536 filters of 4 states, 2 measured",
       traced(vmap(kalman_step), Belief{zeros({n, 4}), zeros({n, 4, 4})}, zeros({n, 2})), true},
      {"mlp_step", "gradient step of 784-512-512-10, 256 examples",
       traced(step, net, zeros({256, 784}), zeros({256}, I32))},
      {"gemm", "relu(x w + b), 4096 x 4096 x 4096", traced(layer, square, square, row), true},
      {"gemm_bf16", "the same with x and w of BF16, in F32",
       traced(layer, square.astype(BF16), square.astype(BF16), row), true},
      {"cholesky4", "65,536 matrices of 4 x 4",
       traced([](Array a) { return linalg::cholesky(a); }, zeros({n, 4, 4}))},
      {"cholesky8", "65,536 matrices of 8 x 8",
       traced([](Array a) { return linalg::cholesky(a); }, zeros({n, 8, 8}))},
      {"sort", "1,048,576 numbers", traced([](Array x) { return sort(x); }, million)},
      {"top_k", "10 of 1,048,576 numbers", traced([](Array x) { return top_k(x, 10); }, million)},
      {"cumsum", "1,048,576 numbers", traced([](Array x) { return cumsum(x); }, million)},
      {"segment_sum", "1,048,576 numbers, 1000 segments",
       traced(ids, million, million.astype(I32))},
      {"saxpy", "a x + y of 16,777,216 numbers",
       traced([](Array a, Array x, Array y) { return a * x + y; }, zeros({}), zeros({1 << 24}),
              zeros({1 << 24}))},
      {"transpose", "4096 x 2048 numbers",
       traced([](Array x) { return weft::transpose(x); }, zeros({4096, 2048}))},
      {"softmax_long", "2048 rows of 4096",
       traced([](Array x) { return nn::softmax(x); }, zeros({2048, 4096})), true},
      {"wave", "exp(-x²) sin x + √abs(x) of 16,777,216 numbers", traced(wave, zeros({1 << 24}))},
  };
}

}  // namespace weft::programs
