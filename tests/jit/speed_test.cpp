// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/speed_test.cpp: what the generated code costs, against the hand-written kernels of
// the performance notes. Not run by default: jit_tests "[.speed]".
#include <atomic>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <functional>
#include <thread>

#include "compare.h"
#include "speed_kernels.h"

namespace weft::compiler {
namespace {

double best_ms(const std::function<void()>& f, int repeats = 25) {
  double best = 1e9;
  for (int r = 0; r < repeats; ++r) {
    const auto start = std::chrono::steady_clock::now();
    f();
    best = std::min(
        best, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
                  .count());
  }
  return best;
}

// Two threads take `grain` points at a time from [0, n).
void run_parallel(const Code& code, Memory& m, const std::vector<int64_t>& extents, int64_t n,
                  int64_t grain) {
  std::atomic<int64_t> next{0};
  const auto work = [&] {
    for (int64_t i; (i = next.fetch_add(grain)) < n;) {
      const int64_t range[4] = {0, 1, i, std::min(n, i + grain)};
      code.run(m.buffers(), extents.data(), range);
    }
  };
  std::thread other(work);
  work();
  other.join();
}

struct Variant {
  const char* name;
  Options options;
};
const Variant variants[] = {{"packs 1", {Options::Refill::never, 1}},
                            {"packs 2", {Options::Refill::never, 2}},
                            {"packs 4", {Options::Refill::never, 4}},
                            {"refill 1", {Options::Refill::always, 1}},
                            {"refill 2", {Options::Refill::always, 2}},
                            {"refill 4", {Options::Refill::always, 4}},
                            {"automatic", {}}};

}  // namespace

TEST_CASE("speed of Mandelbrot, 512 x 512, 1000 trips", "[.speed]") {
  const int64_t w = 512, n = w * w;
  std::vector<float> re, im;
  for (int64_t i = 0; i < w; ++i)
    for (int64_t j = 0; j < w; ++j) {
      re.push_back(-2 + 2.6f * static_cast<float>(j) / (w - 1));
      im.push_back(-1.2f + 2.4f * static_cast<float>(i) / (w - 1));
    }
  Memory m({raw(re), raw(im), zeros(Storage::I32, n)});
  for (const Variant& v : variants) {
    const auto code = compile(speed_mandelbrot(), host_target(), v.options);
    const double ms = best_ms([&] { run_parallel(*code, m, {}, n, 8192); });
    uint64_t sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += m.data<uint32_t>(2)[i];
    std::printf("mandelbrot %-10s %7.2f ms (goal 8), trips %lu\n", v.name, ms, sum);
  }
}

TEST_CASE("speed of rk45, 16384 lanes", "[.speed]") {
  const int64_t n = 16384;
  std::mt19937 g(1);
  std::uniform_real_distribution<float> u(.1f, 20);
  std::normal_distribution<float> normal;
  std::vector<float> mu, y, z;
  for (int64_t i = 0; i < n; ++i) {
    mu.push_back(u(g));
    y.push_back(normal(g));
    z.push_back(normal(g));
  }
  Memory m({raw(mu), raw(y), raw(z), zeros(Storage::F32, n)});
  for (const Variant& v : variants) {
    const auto start = std::chrono::steady_clock::now();
    const auto code = compile(speed_rk45(), host_target(), v.options);
    const double compiling =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    const double ms = best_ms([&] { run_parallel(*code, m, {}, n, 2048); });
    double sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += m.data<float>(3)[i];
    std::printf("rk45       %-10s %7.2f ms (goal 4.5), compiled in %.1f ms, sum %.6f\n", v.name, ms,
                compiling, sum);
  }
}

TEST_CASE("speed of short loops", "[.speed]") {
  const int64_t n = 4096;
  std::vector<float> x;
  for (int64_t i = 0; i < n; ++i) x.push_back(1 + static_cast<float>(i % 61) / 16);
  Memory m({raw(x), zeros(Storage::F32, n)});
  const int64_t range[] = {0, 1, 0, n};
  for (const Variant& v : variants) {
    const auto newton = compile(speed_newton(), host_target(), v.options),
               euler = compile(speed_euler(), host_target(), v.options);
    const double ms = best_ms([&] {
      for (int i = 0; i < 100; ++i) newton->run(m.buffers(), nullptr, range);
    });
    const double ms2 = best_ms([&] { euler->run(m.buffers(), nullptr, range); });
    std::printf("newton     %-10s %7.2f us for %ld points; euler, 200 steps: %.1f us\n", v.name,
                ms * 10, n, ms2 * 1e3);
  }
}

TEST_CASE("speed of sums", "[.speed]") {
  for (int64_t rows : {4096, 1}) {
    const int64_t n = (int64_t{1} << 24) / rows;
    Memory m({patterns(Storage::I32, n * rows, 1), zeros(Storage::F32, rows)});
    for (int64_t i = 0; i < n * rows; ++i) m.data<float>(0)[i] = 1;
    const auto code = compile(speed_row_sum(Vector::inner));
    const double ms =
        best_ms([&] { run_parallel(*code, m, {n, rows}, rows, std::max<int64_t>(1, rows / 64)); });
    std::printf("row sum    %4ld x %8ld %7.2f ms, %.1f GB/s\n", rows, n, ms,
                static_cast<double>(n * rows) * 4e-6 / ms);
  }
  const int64_t n = 4096;
  Memory m({patterns(Storage::I32, n, 1), zeros(Storage::F32, 1)});
  const auto code = compile(speed_row_sum(Vector::inner));
  const int64_t extents[] = {n, 1}, range[] = {0, 1, 0, 1};
  const double ms = best_ms([&] {
    for (int i = 0; i < 1000; ++i) code->run(m.buffers(), extents, range);
  });
  std::printf("row sum    in L1: %.0f ns for %ld floats, %.1f GB/s\n", ms * 1e3, n,
              static_cast<double>(n) * 4e-3 / ms);
}

TEST_CASE("speed of a product of matrices in lanes", "[.speed]") {
  const int64_t n = 256;
  Memory m({patterns(Storage::I32, n * n, 1), patterns(Storage::I32, n * n, 2),
            zeros(Storage::F32, n * n)});
  for (int b = 0; b < 2; ++b)
    for (int64_t i = 0; i < n * n; ++i) m.data<float>(b)[i] = 0.5f;
  for (auto v : {Vector::grid, Vector::inner}) {
    const auto code = compile(speed_matmul(v));
    const int64_t extents[] = {n}, range[] = {0, n, 0, n};
    const double ms = best_ms([&] { code->run(m.buffers(), extents, range); });
    std::printf("matmul     256, schedule %d: %.2f ms, %.1f GF/s on one thread\n",
                static_cast<int>(v), ms, 2e-6 * n * n * n / ms);
  }
}

TEST_CASE("speed of Cholesky in lanes", "[.speed]") {
  for (auto [n, batch] : {std::pair<int64_t, int64_t>{4, 100000}, {8, 50000}, {16, 10000}}) {
    std::vector<float> a;
    for (int64_t p = 0; p < batch; ++p)
      for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j)
          a.push_back(static_cast<float>(i == j) * 9 + .1f * static_cast<float>((i * j) % 3));
    Memory m({raw(a), zeros(Storage::F32, a.size())});
    const auto start = std::clock();
    const auto code = compile(speed_cholesky(n));
    const double compiling = 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    const double ms = best_ms([&] { run_parallel(*code, m, {}, batch, 2048); });
    std::printf("cholesky   %2ld x %6ld %7.3f ms, compiled in %.1f ms\n", n, batch, ms, compiling);
  }
}

TEST_CASE("speed of compiling", "[.speed]") {
  compile(speed_elementwise(0));
  double best = 1e9;
  for (int i = 1; i < 30; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const auto code = compile(speed_elementwise(i));
    best = std::min(
        best, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
                  .count());
  }
  std::printf("compile    d = a * b + c: %.2f ms (goal 4)\n", best);
  const int64_t n = int64_t{1} << 22;
  Memory m({zeros(Storage::F32, n), zeros(Storage::F32, n), zeros(Storage::F32, n),
            zeros(Storage::F32, n)});
  const auto code = compile(speed_elementwise(0));
  for (int64_t size : {int64_t{4096}, n}) {
    const int64_t range[] = {0, 1, 0, size};
    const int repeats = size == n ? 1 : 1000;
    const double ms = best_ms([&] {
                        for (int i = 0; i < repeats; ++i) code->run(m.buffers(), nullptr, range);
                      }) /
                      repeats;
    std::printf("elementwise %8ld: %.3f us, %.1f GB/s on one thread\n", size, ms * 1e3,
                static_cast<double>(size) * 16e-6 / ms);
  }
}

}  // namespace weft::compiler
