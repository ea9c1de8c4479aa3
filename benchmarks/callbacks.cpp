// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// benchmarks/callbacks.cpp: the cost of an effect per lane: build/release/benchmarks/callbacks
#include <weft/weft.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>

using namespace weft;

namespace {

// The shortest of several runs of a mapped function, in ns per lane.
template <class F>
void row(const char* name, F f) {
  constexpr int64_t lanes = 10'000;
  const auto g = jit(vmap(f));
  const Array x = linspace(1., 2., lanes);
  double best = 1e30;
  for (int k = 0; k < 20; ++k) {
    const auto start = std::chrono::steady_clock::now();
    g(x);
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count());
  }
  std::printf("%-16s %8.1f ns a lane\n", name, best / lanes);
}

void twice(void* const* out, const void* const* in, const BufferType*) {
  *static_cast<float*>(out[0]) = 2 * *static_cast<const float*>(in[0]);
}

}  // namespace

int main() {
  const ShapeDtypeStruct scalar{{}, F32};
  std::cout.rdbuf(nullptr);  // output is formatted and then discarded
  row("pure_callback",
      [&](Array x) { return pure_callback([](Array v) { return v; }, scalar, x); });
  row("io_callback", [&](Array x) { return io_callback([](Array v) { return v; }, scalar, x); });
  row("custom_call", [&](Array x) { return custom_call("benchmark.twice", twice, x, x); });
  row("check", [](Array x) {
    check(x > 0., "x = {}", x);
    return x;
  });
  row("debug_print", [](Array x) {
    debug_print("x = {}", x);
    return x;
  });
}
