// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/caches_test.cpp: programs are cached up to a limit, and caches can be cleared. A
// program that cannot be compiled, or takes too long to trace, ends.
#include <atomic>
#include <chrono>
#include <thread>

#include "support/check.h"

namespace weft {

using test::check_error;

TEST_CASE("a callable drops the program that was unused for longest", "[jit][caches]") {
  const Array large = ones({1 << 20});  // each program holds it
  int traced = 0;
  const auto f = jit([&](Array x, int n) {
    ++traced;
    return x * large[0] + static_cast<double>(n);
  });
  const Array x = ones({});
  for (int n = 0; n < 100; ++n) CHECK(f(x, n).item<float>() == static_cast<float>(n + 1));
  CHECK(traced == 100);
  (void)f(x, 99);
  CHECK(traced == 100);
  CHECK(f(x, 0).item<float>() == 1);
  CHECK(traced == 101);
}

TEST_CASE("several threads call while the cache drops programs", "[jit][caches]") {
  const Array large = ones({1 << 20});
  const auto f = jit([&](Array x, int n) { return x * large[0] + static_cast<double>(n); });
  const Array x = ones({});
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int n = 0; n < 60; ++n) {
        const int k = t * 60 + n;
        wrong += f(x, k).item<float>() != static_cast<float>(k + 1);
        wrong += f(x, 7).item<float>() != 8;
        if (n == 30) clear_caches();
      }
    });
  for (std::thread& t : threads) t.join();
  CHECK(wrong == 0);
}

TEST_CASE("clear_caches: callables trace anew", "[jit][caches]") {
  int traced = 0;
  const auto f = jit([&](Array x) {
    ++traced;
    return x + 1.;
  });
  CHECK(f(1.).item<float>() == 2);
  CHECK(f(1.).item<float>() == 2);
  clear_caches();
  CHECK(f(1.).item<float>() == 2);
  CHECK(traced == 2);
  // The caches are cleared inside a function while it is traced and run.
  const auto g = jit([&](Array x) {
    clear_caches();
    return f(x) * 2.;
  });
  CHECK(g(1.).item<float>() == 4);
}

TEST_CASE("calls that call one another twice end in an error", "[jit][caches]") {
  Function<Array(Array)> f = [](Array x) { return sin(x); };
  for (int k = 0; k < 40; ++k) f = jit([f](Array x) { return f(f(x)); });
  check_error<CompileError>([&] { (void)f(1.); }, "equations once its calls are replaced");
}

TEST_CASE("a time limit and an interrupt end tracing", "[jit][caches]") {
  const auto endless = [](Array x) {
    for (;;) x = x + 1.;
    return x;
  };
  check_error<InterruptedError>([&] { jit(endless, {.name = "adds", .time_limit = 0.05})(1.); },
                                "adds: the time limit is over");
  check_error<InterruptedError>(
      [&] { jit([&](Array x) { return vmap(endless)(x); }, {.time_limit = 0.05})(ones({2})); },
      "time limit");
  std::atomic<bool> over{false};
  std::thread stops([&] {
    while (!over) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      interrupt();
    }
  });
  check_error<InterruptedError>([&] { jit(endless)(1.); }, "interrupted");
  over = true;
  stops.join();
}

TEST_CASE("the number of threads may change while a program is kept", "[jit][caches]") {
  const int before = num_threads();
  for (const int now : {1, 2, 3, 7, 16}) {
    set_num_threads(now);
    const auto f = jit([](Array x) { return argsort(sin(x).reshape({64, 512})).sum(0); });
    CHECK(f(ones({64 * 512}))[0].item<int>() == 0);
    set_num_threads(now == 1 ? 5 : 1);
  }
  set_num_threads(before);
}

TEST_CASE("cost counts products, steps and terms", "[jit][caches]") {
  const auto flops = [](auto f, auto... x) { return jit(f).lower(x...).compile().cost().flops; };
  const Array a = ones({64, 64}), b = ones({64, 32});
  CHECK(flops([](Array p, Array q) { return matmul(p, q); }, a, b) == 2. * 64 * 64 * 32);
  CHECK(flops([](Array p) { return p.sum(); }, a) == 64. * 64);
  const auto steps = [](Array p) {
    return fori_loop(0, 100, [](Array, Array v) { return sin(v) * 2. + v; }, p);
  };
  const double looped = flops(steps, a);
  CHECK(looped >= 300. * 64 * 64);
  CHECK(looped <= 301. * 64 * 64 + 1000);
  CHECK(flops([](Array p) { return p.T().reshape({-1})[slice(0, 100)]; }, a) == 0);
  const auto either = [](Array p) {
    return cond(p[0][0] > 0., [](Array v) { return sin(sin(v)); }, [](Array v) { return v; }, p);
  };
  CHECK(flops(either, a) >= 2. * 64 * 64);
}

TEST_CASE("a budget of memory counts what loops and sorts need inside", "[jit][caches]") {
  const auto f = [](Array x) {
    return scan(
               [](Array c, Array) {
                 const Array big = sort(sin(c + arange(10000.)));
                 return std::pair(big[5] + cumsum(big)[7], c);
               },
               x, arange(2.))
        .first;
  };
  const auto chunked = [&](int64_t budget) {
    VmapOptions o;
    o.memory_budget = budget;
    // The text shows one step of the loop over chunks.
    const std::string text = to_string(make_jaxpr(vmap(f, 0, 0, o))(arange(64.)).jaxpr);
    return text.find("f32[64,10000]") == std::string::npos;
  };
  CHECK(chunked(1 << 20));
  CHECK(!chunked(1 << 30));
}

}  // namespace weft
