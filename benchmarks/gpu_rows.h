// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// benchmarks/gpu_rows.h: the programs that are timed on a GPU, and the bytes and operations of
// each. benchmarks/gpu_peers.py has the same rows, with the same names, for other libraries.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/programs.h"
#include "weft/device.h"

namespace weft::programs {

// A row of one size, ready to be timed. `run` returns when the results are available.
struct Timed {
  std::function<void()> run;
  double bytes = 0;  // that must be read or written
  double flops = 0;
  double parts = 1;  // the reported time is that of one of this many equal parts
};
struct GpuRow {
  std::string name, what;
  int64_t size, tiny;  // for measurements; for tests
  Timed (*make)(int64_t n);
};

namespace rows {

inline Array normal(const Shape& s, int seed = 0) { return random::normal(random::key(seed), s); }
inline double count(int64_t n) { return static_cast<double>(n); }

// Calls f, compiled, with arguments that are on the device.
template <class F, class... A>
std::function<void()> calls(F f, A... x) {
  return [=, compiled = jit(f)] {
    const auto y = compiled(x...);
    for (const Array& leaf : tree::leaves(y)) leaf.block_until_ready();
  };
}

// Waits only for the last of n calls.
inline Timed launches(int64_t n) {
  const auto f = jit([](Array x) { return x + 1.f; });
  const Array x = zeros({256});
  const auto run = [=] {
    Array y = x;
    for (int64_t i = 0; i < n; ++i) y = f(y);
    y.block_until_ready();
  };
  return {.run = run, .parts = count(n)};
}
// Each sum depends on the previous one.
inline Timed small_kernels(int64_t n) {
  const auto f = [n](Array x) {
    for (int64_t i = 0; i < n; ++i) x = x - tanh(x).mean();
    return x;
  };
  const Array x = normal({4096});
  return {.run = calls(f, x), .parts = count(n)};
}

class Memory {
 public:
  Memory(detail::Device& d, int64_t bytes) : device_(d), bytes_(bytes) {
    data_ = static_cast<char*>(d.allocate(bytes, &capacity_));
  }
  ~Memory() { device_.release(data_, bytes_, capacity_); }
  Memory(const Memory&) = delete;
  char* data() const { return data_; }

 private:
  detail::Device& device_;
  const int64_t bytes_;
  int64_t capacity_ = 0;
  char* data_ = nullptr;
};
// The bandwidth of the driver's own copy.
inline Timed copy(int64_t n) {
  detail::Device& device = *detail::default_elsewhere();
  const auto memory = std::make_shared<Memory>(device, 8 * n);
  device.clear(memory->data(), 8 * n);
  const auto run = [=, &device] {
    device.copy_within(memory->data() + 4 * n, memory->data(), 4 * n);
    device.stream().synchronize();
  };
  return {.run = run, .bytes = 8 * count(n)};
}

inline Timed elementwise(int64_t n) {
  return {.run = calls(wave, normal({n})), .bytes = 8 * count(n)};
}
inline Timed saxpy(int64_t n) {
  const auto f = [](Array a, Array x, Array y) { return a * x + y; };
  return {.run = calls(f, normal({}), normal({n}), normal({n}, 1)), .bytes = 12 * count(n)};
}
inline Timed turned(int64_t n) {
  return {.run = calls([](Array x) { return transpose(x); }, normal({n, n})),
          .bytes = 8 * count(n) * count(n)};
}
inline Timed long_softmax(int64_t n) {
  return {.run = calls([](Array x) { return nn::softmax(x); }, normal({n, 4096})),
          .bytes = 8 * 4096 * count(n)};
}
inline Timed softmax(int64_t n) {
  return {.run = calls([](Array x) { return nn::softmax(x); }, normal({n, 1024})),
          .bytes = 8 * 1024 * count(n)};
}
inline Timed layer_norm(int64_t n) {
  return {.run = calls([](Array x) { return nn::layer_norm(x); }, normal({n, 1024})),
          .bytes = 8 * 1024 * count(n)};
}

inline Timed mandelbrot_plane(int64_t n) {
  const Array re = broadcast_to(linspace(-2., .6, n, {.dtype = F32}), {n, n}) + 0.f,
              im = broadcast_to(linspace(-1.2, 1.2, n, {.dtype = F32}).reshape({n, 1}), {n, n}) +
                   0.f;
  return {.run = calls(vmap(vmap(mandelbrot)), re, im)};
}
inline Timed rk45(int64_t n) {
  const Array stiffness = random::uniform(random::key(1), {n}, {.lo = .1f, .hi = 20.f});
  return {.run = calls(vmap(van_der_pol), stiffness, normal({n, 2}))};
}
inline Timed scan_steps(int64_t n) {
  const auto f = [](Array xs) {
    const auto step = [](Array c, Array x) { return std::pair{c * .9f + x, c}; };
    return scan(step, Array(0.f), xs).second;
  };
  return {.run = calls(f, normal({n}))};
}
inline Timed mlp_step(int64_t n) {
  Net net;
  const int64_t sizes[] = {784, 512, 512, 10};
  for (int i = 0; i < 3; ++i)
    net.push_back({normal({sizes[i], sizes[i + 1]}, i) * .1f, normal({sizes[i + 1]}, 3 + i)});
  return {.run = calls(step, net, normal({n, 784}), arange(static_cast<int>(n)) % 10)};
}

inline Array positive(int64_t n, int64_t m) {
  const auto f = [m](Array a) {
    return einsum("bij,bkj->bik", a, a) + static_cast<float>(m) * eye(m);
  };
  return jit(f)(normal({n, m, m}));
}
template <int64_t m>
Timed cholesky(int64_t n) {
  return {.run = calls([](Array a) { return linalg::cholesky(a); }, positive(n, m)),
          .bytes = 8. * m * m * count(n)};
}
template <int64_t m>
Timed solve(int64_t n) {
  const auto f = vmap([](Array a, Array b) { return linalg::solve(a, b); });
  return {.run = calls(f, positive(n, m), normal({n, m})),
          .bytes = 4. * (m * m + 2 * m) * count(n)};
}

inline Timed sort_numbers(int64_t n) {
  return {.run = calls([](Array x) { return sort(x); }, normal({n})), .bytes = 8 * count(n)};
}
inline Array places(int64_t n, int64_t end) { return random::randint(random::key(2), {n}, 0, end); }
constexpr int64_t segments = 10000, table = 1000000;
inline Timed sum_segments(int64_t n) {
  const auto f = [](Array x, Array id) { return segment_sum(x, id, {.num_segments = segments}); };
  return {.run = calls(f, normal({n}), places(n, segments)), .bytes = 8 * count(n)};
}
inline Timed scatter_add(int64_t n) {
  const auto f = [](Array x, Array id) { return zeros({table}).at(id).add(x); };
  return {.run = calls(f, normal({n}), places(n, table)), .bytes = 8 * count(n)};
}

template <DType d>
Timed product(int64_t n) {
  const Array a = normal({n, n}).astype(d), b = normal({n, n}, 1).astype(d);
  return {.run = calls([](Array x, Array y) { return matmul(x, y); }, a, b),
          .flops = 2 * count(n) * count(n) * count(n)};
}
inline Timed convolution(int64_t n) {
  return {.run = calls([](Array x, Array k) { return nn::conv(x, k); }, normal({32, n, n, 64}),
                       normal({3, 3, 64, 64}, 1)),
          .flops = 2. * 32 * 64 * 64 * 9 * count(n) * count(n)};
}

}  // namespace rows

inline std::vector<GpuRow> gpu_rows() {
  using namespace rows;
  return {
      {"copy", "copy by the driver of N numbers", int64_t{1} << 28, 1 << 12, copy},
      {"launch", "x + 1 of 256 numbers, N calls, one of them", 1000, 4, launches},
      {"small_kernels", "x - mean(tanh x) of 4096 numbers, N times in a program, one of them", 200,
       3, small_kernels},
      {"mlp_step", "gradient step of 784-512-512-10, N examples", 256, 2, mlp_step},
      {"elementwise", "exp(-x²) sin x + √abs(x) of N numbers", int64_t{1} << 28, 1 << 10,
       elementwise},
      {"saxpy", "a x + y of N numbers", int64_t{1} << 28, 1 << 10, saxpy},
      {"transpose", "N × N numbers, turned round", 1 << 13, 40, turned},
      {"softmax", "N rows of 1024", 1 << 18, 4, softmax},
      {"softmax_long", "N rows of 4096", 1 << 16, 4, long_softmax},
      {"layer_norm", "N rows of 1024", 1 << 18, 4, layer_norm},
      {"mandelbrot", "N × N points, 1000 trips at most", 4096, 8, mandelbrot_plane},
      {"rk45", "N van der Pol oscillators", 1000000, 16, rk45},
      {"scan", "c·0.9 + x, N steps", 100000, 32, scan_steps},
      {"cholesky_4", "N matrices of 4 × 4", 1000000, 64, cholesky<4>},
      {"cholesky_8", "N matrices of 8 × 8", 1000000, 64, cholesky<8>},
      {"solve_4", "N systems of 4", 1000000, 64, solve<4>},
      {"solve_8", "N systems of 8", 1000000, 64, solve<8>},
      {"sort", "N numbers", 10000000, 256, sort_numbers},
      {"segment_sum", "N numbers, 10,000 segments", 10000000, 256, sum_segments},
      {"scatter_add", "N numbers, to 1,000,000 places", 10000000, 256, scatter_add},
      {"gemm_f32", "N × N by N × N", 4096, 16, product<F32>},
      {"gemm_bf16", "N × N by N × N", 4096, 16, product<BF16>},
      {"conv", "32 images of N × N × 64, 3 × 3 to 64", 56, 2, convolution},
  };
}

}  // namespace weft::programs
